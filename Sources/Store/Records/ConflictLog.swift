package import BrowsingData
internal import Merge
internal import SQLite

/// A value that a merge could not show, since another one is shown.
package struct Conflict: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  /// Its number: ascending, never given twice.
  package var number: Int64
  /// When it was found.
  package var at: Timestamp
  /// The record as it is shown.
  package var record: Record
  /// The field's name in records.md.
  package var field: String
  /// The value that is shown; a secret, as the other is. Nil when the field was taken away.
  package var shown: String?
  /// The value that is not shown: a secret. Empty when the field was taken away.
  package var value: String
  /// The number and the field; never a value.
  package var description: String { "Conflict(\(number), \(field), •••)" }
  /// The same: a dump shows no secret.
  package var customMirror: Mirror { Mirror(self, children: ["number": number]) }
}

/// Keeps what a merge does not show; the values are sealed as the field is.
final class ConflictLog {
  private struct Place: Hashable {
    var record: RecordID
    var field: UInt64
  }

  private let store: RecordStore
  private let entry: Int64
  private let now: Timestamp
  /// Hashes of the values that are listed, of the fields that were looked at; in memory only.
  private var listed: [Place: Set<ContentKey>] = [:]

  init(_ store: RecordStore, entry: Int64, now: Timestamp) {
    self.store = store
    self.entry = entry
    self.now = now
  }

  /// Lists a value. False, and nothing done, when it is known already.
  func add(_ loser: LoginMerge.Loser, of id: RecordID) throws -> Bool {
    let place = Place(record: id, field: ConflictLog.number(loser.field))
    if listed[place] == nil { listed[place] = try values(place) }
    guard listed[place, default: []].insert(ContentHash.of([loser.value])).inserted else { return false }
    let write = try store.statement(
      "INSERT INTO conflict_log(at, type, rid, field, value, entry) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    try write.bind(1, now.microseconds)
    try write.bind(2, Int64(DataType.passwords.rawValue))
    try write.bind(3, id.bytes)
    try write.bind(4, Int64(place.field))
    try write.bind(5, store.seal.seal(Array(loser.value.utf8), type: .passwords, record: id, field: place.field))
    try write.bind(6, entry)
    try write.run()
    return true
  }

  private func values(_ place: Place) throws -> Set<ContentKey> {
    let read = try store.statement("SELECT value FROM conflict_log WHERE rid = ?1 AND field = ?2")
    try read.bind(1, place.record.bytes)
    try read.bind(2, Int64(place.field))
    var values: Set<ContentKey> = []
    while try read.step() {
      guard let sealed = read.bytes(0) else { continue }
      let value = try store.seal.open(sealed, type: .passwords, record: place.record, field: place.field)
      values.insert(ContentHash.of([String(decoding: value, as: UTF8.self)]))
    }
    return values
  }

  static func number(_ field: LoginMerge.Field) -> UInt64 {
    switch field {
    case .password: FieldNumber.password
    case .notes: FieldNumber.notes
    case .otpauth: FieldNumber.otpauth
    }
  }
}

extension RecordTable {
  /// Lists the values of concurrent versions that are not shown, and no longer those that an edit has settled since:
  /// they stay in the table until they are too old.
  func noteConflicts(of id: RecordID, _ type: DataType, in state: RecordState) throws {
    let shown = state.fields
    let losers = state.conflicts.filter { loser in
      ConflictText.isListed(loser, shown: shown.first { $0.number == loser.number })
    }
    var listed: Set<StampedPlace> = []
    let read = try store.statement("SELECT field, dot_r, dot_n FROM conflict_log WHERE rid = ?1 AND live = 1")
    try read.bind(1, id.bytes)
    while try read.step() {
      listed.insert(
        StampedPlace(field: UInt64(bitPattern: read.int64(0)), dot: try states.dot(read.int64(1), read.int64(2))))
    }
    var wanted: Set<StampedPlace> = []
    for loser in losers {
      let place = StampedPlace(field: loser.number, dot: loser.stamp.dot)
      guard wanted.insert(place).inserted, !listed.contains(place) else { continue }
      try list(loser, id, type)
    }
    for place in listed.subtracting(wanted) {
      let update = try store.statement(
        "UPDATE conflict_log SET live = 0, resolved = 1 WHERE rid = ?1 AND field = ?2 AND dot_r = ?3 AND dot_n = ?4")
      try update.bind(1, id.bytes)
      try update.bind(2, Int64(bitPattern: place.field))
      try update.bind(3, states.number(place.dot.replica))
      try update.bind(4, place.dot.counter)
      try update.run()
    }
  }

  private func list(_ loser: StampedField, _ id: RecordID, _ type: DataType) throws {
    let replica = try states.number(loser.stamp.dot.replica)
    let insert = try store.statement(
      """
      INSERT INTO conflict_log(at, type, rid, field, value, entry, live, dot_r, dot_n)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, 1, ?7, ?8)
      """)
    try insert.bind(1, now.microseconds)
    try insert.bind(2, Int64(type.rawValue))
    try insert.bind(3, id.bytes)
    try insert.bind(4, Int64(bitPattern: loser.number))
    try insert.bind(5, store.sealed(loser.value ?? [], loser.number, type, id))
    try insert.bind(6, entry)
    try insert.bind(7, replica)
    try insert.bind(8, loser.stamp.dot.counter)
    try insert.run()
  }

  private struct StampedPlace: Hashable {
    var field: UInt64
    var dot: Dot
  }
}
