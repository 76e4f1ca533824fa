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
  /// The value that is not shown: a secret.
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

  static func name(_ number: UInt64) -> String {
    switch number {
    case FieldNumber.password: "password"
    case FieldNumber.notes: "notes"
    default: "otpauth"
    }
  }
}

extension RecordStore {
  /// The values that are not shown and on which nobody has decided, oldest first.
  package func conflicts() throws -> [Conflict] {
    try reading {
      let read = try statement(
        """
        SELECT conflict_log.no, conflict_log.at, conflict_log.rid, conflict_log.field, conflict_log.value, rec.body
        FROM conflict_log JOIN rec ON rec.rid = conflict_log.rid
        WHERE resolved = 0 AND rec.body IS NOT NULL ORDER BY conflict_log.no
        """)
      var conflicts: [Conflict] = []
      while try read.step() {
        let id = try read.requiredRecordID(2)
        let field = UInt64(bitPattern: read.int64(3))
        let value = try seal.open(read.bytes(4) ?? [], type: .passwords, record: id, field: field)
        let shown = try openedFields(read.bytes(5) ?? [], .passwords, id)
        guard shown[field] != value else { continue }
        conflicts.append(
          Conflict(
            number: read.int64(0), at: Timestamp(microseconds: read.int64(1)),
            record: .login(RecordContent.login(id, shown)), field: ConflictLog.name(field),
            value: String(decoding: value, as: UTF8.self)))
      }
      return conflicts
    }
  }

  /// Decides on a conflict, which is listed no more: the value that is not shown takes the shown one's place, as a journal
  /// entry that `undo` takes back, or, with `keepingShown`, nothing else happens.
  package func resolveConflict(_ number: Int64, keepingShown: Bool, now: Timestamp = WallClock.now) throws {
    try writing {
      let read = try statement("SELECT rid, field, value FROM conflict_log WHERE no = ?1 AND resolved = 0")
      try read.bind(1, number)
      guard try read.step(), let id = RecordID(bytes: read.bytes(0) ?? []) else { throw StoreError.noSuchEntry }
      let field = UInt64(bitPattern: read.int64(1))
      let sealed = read.bytes(2) ?? []
      read.reset()
      if !keepingShown {
        let value = try seal.open(sealed, type: .passwords, record: id, field: field)
        try show(value, id, field, now)
      }
      let update = try statement("UPDATE conflict_log SET resolved = 1 WHERE no = ?1")
      try update.bind(1, number)
      try update.run()
    }
  }

  private func show(_ value: [UInt8], _ id: RecordID, _ field: UInt64, _ now: Timestamp) throws {
    let entry = try beginEntry(.file, label: "conflict", token: nil, at: now)
    let table = RecordTable(self, entry: entry, now: now)
    guard let row = try table.row(id), row.body != nil else { throw StoreError.noSuchEntry }
    var changes = [FieldChange(number: field, value: value)]
    if field == FieldNumber.password {
      changes.append(
        FieldChange(number: FieldNumber.datePasswordChanged, value: FieldList.bigEndian(UInt64(now.microseconds))))
    }
    try table.update(row, changes)
    var report = ApplyReport()
    report[.passwords].found = 1
    report[.passwords].changed = 1
    try updateEntry(entry, report, isDone: true)
  }
}
