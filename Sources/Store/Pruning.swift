internal import BrowsingData
internal import SQLite

// What is kept to be taken back or read again is kept for 90 days.
extension RecordStore {
  private static let keptFor: Int64 = 90 * 86_400_000_000

  /// Deletes what is older: values that were decided on, and what entries changed; the entries stay in the journal and say
  /// that they cannot be taken back. Inside `writing`.
  func prune(now: Timestamp) throws {
    let limit = now.microseconds - RecordStore.keptFor
    let conflicts = try statement("DELETE FROM conflict_log WHERE resolved = 1 AND at < ?1")
    try conflicts.bind(1, limit)
    try conflicts.run()
    let old = "SELECT entry FROM journal WHERE at < ?1 AND pruned = 0 AND done = 1"
    for table in ["rec_before", "rec_undo", "delivered"] {
      let delete = try statement("DELETE FROM \(table) WHERE entry IN (\(old))")
      try delete.bind(1, limit)
      try delete.run()
    }
    let mark = try statement("UPDATE journal SET pruned = 1 WHERE at < ?1 AND pruned = 0 AND done = 1")
    try mark.bind(1, limit)
    try mark.run()
  }

  /// What an entry changed is no longer needed: it is taken back, or is itself an undo.
  func forgetChanges(of entry: Int64) throws {
    for table in ["rec_before", "rec_undo"] {
      let delete = try statement("DELETE FROM \(table) WHERE entry = ?1")
      try delete.bind(1, entry)
      try delete.run()
    }
  }
}
