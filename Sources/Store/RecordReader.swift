internal import BrowsingData

/// What the store can say of the record table: everything but history.
extension RecordStore {
  /// How many live records of a kind there are.
  func countRecords(_ type: DataType) throws -> Int { 0 }

  /// Hands over the records of a kind that match, bookmarks in the order of their tree.
  func listRecords(_ type: DataType, search: SearchTerm?, limit: Int?, _ body: (Record) throws -> Void) throws {}

  /// Hands over all records of a kind in batches, bookmarks in the order of their tree, parents first.
  func readRecords(_ type: DataType, _ consume: (RecordBatch) throws -> Void) throws {}

  /// The rows of a log after a sequence; nil when there are none.
  func recordChanges(
    _ log: ChangeLog, after: Int64, maximumRecords: Int, maximumBytes: Int
  ) throws -> ChangeBatch? { nil }

  /// Where a log stands. Inside a read transaction.
  func recordEnding(_ log: ChangeLog) throws -> LogEnd { LogEnd(cursor: 0, count: 0, digest: DigestSum().digest) }

  /// Takes back what an entry did to records. Inside `writing`, under a journal entry of its own.
  func undoRecords(_ entry: JournalEntry, as undo: Int64, _ report: inout ApplyReport) throws {}
}
