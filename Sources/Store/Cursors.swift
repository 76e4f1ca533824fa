internal import BrowsingData
internal import SQLite

/// How far one log of a peer's store has come into this one, and what of it was counted.
struct ReceivedLog {
  var sequence: Int64 = 0
  var count: Int64 = 0
  var sum = DigestSum()
  /// 0, or why the log was begun again.
  var pass: Int64 = 0
  /// Begun again after everything had come once.
  static let again: Int64 = 1
  /// Begun again because the peer's store is another one.
  static let afresh: Int64 = 2
  /// A bit beside these: rows of it came that could not be read. They are in the report, but their ids are not known,
  /// so that count and digest cannot agree.
  static let isIncomplete: Int64 = 4

  /// Why the log was begun again, alone.
  var reason: Int64 { pass & ~ReceivedLog.isIncomplete }
  /// Whether rows of it could not be read.
  var isIncomplete: Bool { pass & ReceivedLog.isIncomplete != 0 }
}

/// By how much a batch changes what was counted of a log, and what became of its records.
struct ReceivedRows {
  var applied = 0
  var skipped = 0
  var count: Int64 = 0
  var sum = DigestSum()
  /// Whether some could not be read.
  var isIncomplete = false
}

extension RecordStore {
  /// `peer` is a peer's number, or a journal entry's number negated for a one-time transfer.
  func receivedLogs(peer: Int64, incarnation: [UInt8]) throws -> [ChangeLog: ReceivedLog] {
    let read = try statement(
      """
      SELECT type, seq, count, sum, pass FROM cursor
      WHERE peer = ?1 AND inc = (SELECT no FROM replica WHERE replica.inc = ?2)
      """)
    try read.bind(1, peer)
    try read.bind(2, incarnation)
    var logs: [ChangeLog: ReceivedLog] = [:]
    while try read.step() {
      guard let log = UInt8(exactly: read.int64(0)).flatMap(ChangeLog.init(rawValue:)) else { continue }
      logs[log] = ReceivedLog(
        sequence: read.int64(1), count: read.int64(2), sum: DigestSum(bytes: read.bytes(3) ?? []),
        pass: read.int64(4))
    }
    return logs
  }

  /// The incarnation whose logs a peer's cursors are about; nil when there are none.
  func knownIncarnation(peer: Int64) throws -> [UInt8]? {
    let read = try statement(
      "SELECT replica.inc FROM cursor JOIN replica ON replica.no = cursor.inc WHERE cursor.peer = ?1 LIMIT 1")
    try read.bind(1, peer)
    defer { read.reset() }
    return try read.step() ? read.bytes(0) : nil
  }

  func save(_ log: ReceivedLog, of type: ChangeLog, peer: Int64, incarnation: [UInt8]) throws {
    let write = try statement("INSERT OR REPLACE INTO cursor VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    try write.bind(1, peer)
    try write.bind(2, replicaNumber(incarnation))
    try write.bind(3, Int64(type.rawValue))
    try write.bind(4, log.sequence)
    try write.bind(5, log.count)
    try write.bind(6, log.sum.bytes)
    try write.bind(7, log.pass)
    try write.run()
  }

  /// Forgets how far a peer's logs have come, and its page numbers.
  func forgetCursors(peer: Int64) throws {
    let delete = try statement("DELETE FROM cursor WHERE peer = ?1")
    try delete.bind(1, peer)
    try delete.run()
    try forgetPageNumbers(peer: peer)
  }

  func forgetPageNumbers(peer: Int64) throws {
    let delete = try statement("DELETE FROM peer_page WHERE inc = ?1")
    try delete.bind(1, peer)
    try delete.run()
  }
}
