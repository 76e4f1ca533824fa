internal import BrowsingData
internal import SQLite

/// What became of an incoming record. The raw value is the file's number.
enum Outcome: Int64 {
  case added = 1
  case changed = 2
  case unchanged = 3
  case conflicting = 4
  case skipped = 5
  /// Its source has deleted it since.
  case gone = 6
  /// Its parent has not come yet.
  case waiting = 7
}

/// Which record here each record of one transfer's source is: kept until the transfer ends, so that a transfer that is
/// resumed goes on as if it had never been cut. Empty, and never written, for files.
final class Arrivals {
  struct Row {
    var type: DataType
    var local: RecordID?
    var parent: RecordID?
    var position: Int
    var outcome: Outcome
    /// The source's incarnation and how often its logs were begun again, when it was last counted.
    var incarnation: Int64
    var pass: Int64
  }

  private let store: RecordStore
  private let entry: Int64
  private(set) var rows: [RecordID: Row] = [:]

  init(_ store: RecordStore, entry: Int64) throws {
    self.store = store
    self.entry = entry
    let read = try store.statement(
      "SELECT remote, type, local, parent, position, outcome, inc, pass FROM arrival WHERE entry = ?1")
    try read.bind(1, entry)
    while try read.step() {
      let remote = try read.requiredRecordID(0)
      guard let type = UInt8(exactly: read.int64(1)).flatMap(DataType.init(rawValue:)),
        let outcome = Outcome(rawValue: read.int64(5))
      else { throw StoreError.corrupt }
      rows[remote] = Row(
        type: type, local: try read.recordID(2),
        parent: try read.recordID(3), position: Int(read.int64(4)), outcome: outcome,
        incarnation: read.int64(6), pass: read.int64(7))
    }
  }

  subscript(remote: RecordID) -> Row? { rows[remote] }

  func save(_ remote: RecordID, _ row: Row) throws {
    rows[remote] = row
    let write = try store.statement("INSERT OR REPLACE INTO arrival VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
    try write.bind(1, entry)
    try write.bind(2, remote.bytes)
    try write.bind(3, Int64(row.type.rawValue))
    try write.bind(4, row.local?.bytes)
    try write.bind(5, row.parent?.bytes)
    try write.bind(6, Int64(row.position))
    try write.bind(7, row.outcome.rawValue)
    try write.bind(8, row.incarnation)
    try write.bind(9, row.pass)
    try write.run()
  }

  /// The transfer has ended.
  func forget() throws {
    rows = [:]
    for table in ["arrival", "waiting"] {
      let delete = try store.statement("DELETE FROM \(table) WHERE entry = ?1")
      try delete.bind(1, entry)
      try delete.run()
    }
  }
}
