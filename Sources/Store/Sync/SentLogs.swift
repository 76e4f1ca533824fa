internal import BrowsingData
internal import SQLite

// Up to where role sync has sent each log, to whomever. What lies beyond nobody has: it may still be taken back as if it
// had never been.
extension RecordStore {
  /// The last sequence of a log that was ever sent; 0 when none was.
  func sentSequence(_ log: ChangeLog) throws -> Int64 {
    let read = try statement("SELECT seq FROM sent_log WHERE type = ?1")
    try read.bind(1, Int64(log.rawValue))
    defer { read.reset() }
    return try read.step() ? read.int64(0) : 0
  }

  /// Notes that a log is sent up to a sequence: before it is, and so that a power failure does not forget it.
  func noteSent(_ log: ChangeLog, upTo sequence: Int64) throws {
    guard try sentSequence(log) < sequence else { return }
    try writingDurably {
      let write = try statement("INSERT OR REPLACE INTO sent_log(type, seq) VALUES (?1, ?2)")
      try write.bind(1, Int64(log.rawValue))
      try write.bind(2, sequence)
      try write.run()
    }
  }

  /// The logs of which a record may be found to be a peer's, that have rows and of which nobody was sent any.
  func unsentLogs() throws -> Set<ChangeLog> {
    try [ChangeLog.bookmarks, .cards].reduce(into: []) { logs, log in
      if try sentSequence(log) == 0, try hasRecords(log) { logs.insert(log) }
    }
  }

  /// Notes that a log that has rows stands as a peer's does: what both have is one from now on, and is not looked for again.
  func noteMet(_ log: ChangeLog) throws {
    if try sentSequence(log) == 0, try hasRecords(log) { try noteSent(log, upTo: 1) }
  }

  private func hasRecords(_ log: ChangeLog) throws -> Bool {
    let read = try statement("SELECT EXISTS(SELECT 1 FROM rec WHERE seq BETWEEN ?1 AND ?2 AND body IS NOT NULL)")
    try read.bind(1, log.sequences.lowerBound)
    try read.bind(2, log.sequences.upperBound)
    defer { read.reset() }
    return try read.step() && read.int64(0) == 1
  }

  /// Whether history was ever exchanged with a peer: then what is taken back must be said to the others.
  func hasExchangedHistory() throws -> Bool {
    let read = try statement(
      """
      SELECT EXISTS(SELECT 1 FROM sent_log WHERE type IN (?1, ?2))
        OR EXISTS(SELECT 1 FROM cursor WHERE peer > 0 AND type IN (?1, ?2) AND seq > 0)
      """)
    try read.bind(1, Int64(ChangeLog.visits.rawValue))
    try read.bind(2, Int64(ChangeLog.pages.rawValue))
    defer { read.reset() }
    return try read.step() && read.int64(0) == 1
  }
}
