package import BrowsingData
internal import SQLite

extension RecordStore {
  /// Takes back one import, capture or transfer, the newest that is not taken back when none is named: each record that
  /// is as that entry left it. Records changed since stay; each is a remark. An undo is itself an entry.
  package func undo(entry number: Int64? = nil, now: Timestamp = WallClock.now) throws -> ApplyReport {
    // What was deleted is not to be found in the log either.
    defer { _ = try? database.text("PRAGMA wal_checkpoint(TRUNCATE)") }
    return try writing {
      guard let entry = try entryToUndo(number) else { throw StoreError.noSuchEntry }
      var report = ApplyReport()
      let undo = try beginEntry(.undo, label: entry.label, token: nil, at: now)
      try undoRecords(entry, as: undo, &report)
      try undoHistory(entry, &report)
      if entry.kind == .capture { try readAttachedHistoriesWhole() }
      let mark = try statement("UPDATE journal SET undone = ?2 WHERE entry = ?1")
      try mark.bind(1, entry.number)
      try mark.bind(2, undo)
      try mark.run()
      try updateEntry(undo, report, isDone: true)
      try forgetChanges(of: entry.number)
      try forgetChanges(of: undo)
      return report
    }
  }

  private func entryToUndo(_ number: Int64?) throws -> JournalEntry? {
    // What was delivered lies in a profile, which this room cannot reach.
    let candidates = try journal().filter {
      $0.kind != .undo && $0.kind != .delivery && $0.undoneBy == nil && !$0.isPruned
    }
    guard let number else { return candidates.first }
    return candidates.first { $0.number == number }
  }
}
