internal import BrowsingData

/// The part of an import that writes the record table: everything but history.
final class RecordWriter {
  private unowned let run: ImportRun

  init(_ run: ImportRun) { self.run = run }

  /// Takes a batch of a source: bookmarks, reading list, extensions, logins or cards.
  func apply(_ batch: RecordBatch) throws { throw StoreError.noSuchEntry }

  /// Takes rows of a peer's log. `pass` counts how often the log was begun again.
  func apply(_ rows: [ChangedRecord], of log: ChangeLog, pass: Int64) throws -> ReceivedRows {
    throw StoreError.malformed(log)
  }

  /// Everything has come: before the journal entry is ended.
  func finish() throws {}
}
