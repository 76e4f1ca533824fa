internal import BrowsingData
internal import Crypto
internal import Merge
internal import SQLite

/// A row of the record table as it stands.
struct RecordRow {
  var sequence: Int64
  var type: DataType
  var id: RecordID
  /// nil of a deleted record.
  var body: [UInt8]?
  /// The journal entry that left it so.
  var entry: Int64?
}

/// Reads and writes the record table for one journal entry. All writing is inside `RecordStore.writing`.
/// Secret fields are sealed here; whoever calls has them in clear.
final class RecordTable {
  let store: RecordStore
  /// The journal entry that writes.
  let entry: Int64
  private let now: Timestamp
  /// Rows with a greater sequence were written since the last commit: nobody has read them, they keep their place.
  var committed: Int64
  private var replicas: [Int64: RecordID] = [:]
  private var numbers: [RecordID: Int64] = [:]
  private let me: RecordID

  init(_ store: RecordStore, entry: Int64, now: Timestamp) {
    self.store = store
    self.entry = entry
    self.now = now
    committed = store.lastSequence
    me = RecordID(bytes: store.incarnation) ?? RecordID(high: 0, low: 0)
  }

  // MARK: - Reading

  /// The row of this record, deleted or not; nil when there never was one.
  func row(_ id: RecordID) throws -> RecordRow? {
    let read = try store.statement("SELECT seq, type, body, entry FROM rec WHERE rid = ?1")
    try read.bind(1, id.bytes)
    defer { read.reset() }
    guard try read.step() else { return nil }
    guard let type = UInt8(exactly: read.int64(1)).flatMap(DataType.init(rawValue:)) else { throw StoreError.corrupt }
    return RecordRow(
      sequence: read.int64(0), type: type, id: id, body: read.bytes(2), entry: read.optionalInt64(3))
  }

  /// The fields in clear.
  func fields(_ row: RecordRow) throws -> FieldList {
    try store.openedFields(row.body ?? [1, 0], row.type, row.id)
  }

  // MARK: - Writing

  /// A new record, or one that was deleted and comes back. False, and nothing done, when the id is another kind's.
  func insert(_ type: DataType, _ id: RecordID, _ fields: FieldList, isKnownNew: Bool) throws -> Bool {
    if !isKnownNew, let row = try row(id) {
      guard row.type == type, row.body == nil else { return false }
      try write(row, changes: fields.fields.map { FieldChange(number: $0.number, value: $0.value) })
      return true
    }
    let dot = Dot(replica: me, counter: store.nextDot(now: now.microseconds))
    let stamp = Stamp(time: now.microseconds / 1_000, dot: dot)
    let stamped = fields.fields.map { field in
      StampedField(number: field.number, stamp: stamp, value: sealed(field.value, field.number, type, id))
    }
    let sequence = store.nextSequence(ChangeLog(type))
    let number = try self.number(me)
    let insert = try store.statement(
      """
      INSERT OR IGNORE INTO rec(seq, type, rid, ctx, hi, dot_r, dot_n, body, entry, born)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
      """)
    try insert.bind(1, sequence)
    try insert.bind(2, Int64(type.rawValue))
    try insert.bind(3, id.bytes)
    try insert.bind(4, ContextCodec.encode([(number, dot.counter)]))
    try insert.bind(5, stamp.time)
    try insert.bind(6, number)
    try insert.bind(7, dot.counter)
    try insert.bind(8, BodyCodec.encode(stamped) { _ in number })
    try insert.bind(9, entry)
    try insert.bind(10, sequence & sequenceMask)
    try insert.run()
    guard store.database.changes == 1 else { return false }
    try remember(type, id, sequence: sequence, body: nil, prior: nil)
    return true
  }

  /// Changes fields of a record; they are in clear.
  func update(_ row: RecordRow, _ changes: [FieldChange]) throws {
    guard !changes.isEmpty else { return }
    try write(row, changes: changes)
  }

  /// Deletes a record; a bookmark folder leaves its parent's name to its children.
  func delete(_ row: RecordRow) throws {
    guard row.body != nil else { return }
    try write(row, changes: nil)
  }

  /// Puts a record back as it was: `body` is sealed already, nil when it was not there.
  func restore(_ row: RecordRow, to body: [UInt8]?, leaving entry: Int64?) throws {
    guard let body else { return try write(row, changes: nil, leaving: entry) }
    let then = try BodyCodec.decode(body, dot: dot)
    let now = try BodyCodec.decode(row.body ?? [1, 0], dot: dot)
    var changes: [FieldChange] = []
    for field in then where now.first(where: { $0.number == field.number })?.value != field.value {
      changes.append(FieldChange(number: field.number, value: field.value))
    }
    for field in now where field.value != nil && !then.contains(where: { $0.number == field.number }) {
      changes.append(FieldChange(number: field.number, value: nil))
    }
    try write(row, changes: changes, isSealed: true, leaving: entry)
  }

  // MARK: -

  /// `changes` nil: a deletion. `leaving`: the journal entry whose state the row has afterwards, .some(nil) for "never there".
  private func write(
    _ row: RecordRow, changes: [FieldChange]?, isSealed: Bool = false, leaving: Int64?? = nil
  ) throws {
    var state = try self.state(of: row)
    let left = leaving ?? entry
    var dot: Dot?
    if let changes {
      let edit = Dot(replica: me, counter: store.nextDot(now: now.microseconds))
      let stored =
        isSealed
        ? changes
        : changes.map { change in
          FieldChange(
            number: change.number, value: change.value.map { sealed($0, change.number, row.type, row.id) })
        }
      _ = state.write(stored, dot: edit, now: now.microseconds / 1_000)
      dot = edit
    } else {
      state.delete(grave: try grave(of: state, row.type))
    }
    let keepsPlace = row.sequence & sequenceMask > committed
    let sequence = keepsPlace ? row.sequence : store.nextSequence(ChangeLog(row.type))
    let update = try store.statement(
      """
      UPDATE rec SET seq = ?2, was = ?3, frm = NULL, ctx = ?4, hi = ?5, grave = ?6, dot_r = ?7, dot_n = ?8, body = ?9,
        entry = ?10 WHERE seq = ?1
      """)
    try update.bind(1, row.sequence)
    try update.bind(2, sequence)
    try update.bind(3, keepsPlace ? 0 : row.sequence & sequenceMask)
    try update.bind(4, try context(of: state))
    try update.bind(5, state.newest)
    try update.bind(6, try state.grave.map { try GraveCodec.encode($0, number: self.number) })
    try update.bind(7, try dot.map { try number($0.replica) })
    try update.bind(8, dot?.counter)
    try update.bind(9, dot == nil ? nil : try BodyCodec.encode(state.versions[0].fields) { try number($0.replica) })
    try update.bind(10, left)
    try update.run()
    try remember(row.type, row.id, sequence: sequence, body: row.body, prior: row.entry, left: left)
  }

  /// What the record was before this entry, once for each record.
  private func remember(
    _ type: DataType, _ id: RecordID, sequence: Int64, body: [UInt8]?, prior: Int64?, left: Int64?? = nil
  ) throws {
    guard prior != entry else { return }
    let insert = try store.statement(
      "INSERT INTO rec_before(entry, no, type, rid, left_entry, prior, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    try insert.bind(1, entry)
    try insert.bind(2, sequence & sequenceMask)
    try insert.bind(3, Int64(type.rawValue))
    try insert.bind(4, id.bytes)
    try insert.bind(5, left ?? entry)
    try insert.bind(6, prior)
    try insert.bind(7, body)
    try insert.run()
  }

  private func state(of row: RecordRow) throws -> RecordState {
    var state = RecordState()
    let read = try store.statement("SELECT ctx, hi, grave, dot_r, dot_n FROM rec WHERE seq = ?1")
    try read.bind(1, row.sequence)
    guard try read.step() else { throw StoreError.corrupt }
    defer { read.reset() }
    let context = read.bytes(0) ?? []
    let grave = read.bytes(2)
    state.newest = read.int64(1)
    let replica = read.optionalInt64(3)
    let counter = read.int64(4)
    state.context = VersionVector(
      try ContextCodec.decode(context).map { VersionVector.Entry(replica: try id($0.0), counter: $0.1) })
    state.grave = try grave.map { try GraveCodec.decode($0, dot: dot) }
    if let body = row.body, let replica {
      state.versions = [
        RecordState.Version(
          dot: try dot(replica, counter), seen: state.context, fields: try BodyCodec.decode(body, dot: dot))
      ]
    }
    return state
  }

  private func context(of state: RecordState) throws -> [UInt8] {
    ContextCodec.encode(try state.context.entries.map { (try number($0.replica), $0.counter) })
  }

  private func grave(of state: RecordState, _ type: DataType) throws -> Grave? {
    guard type == .bookmarks,
      let kind = state.fields.first(where: { $0.number == FieldNumber.kind })?.value,
      kind == [Bookmark.Kind.folder.rawValue],
      let field = state.fields.first(where: { $0.number == FieldNumber.place }),
      let place = field.value.flatMap({ BookmarkPlace($0) })
    else { return nil }
    return Grave(stamp: field.stamp, parent: place.parent)
  }

  private func sealed(_ value: [UInt8], _ number: UInt64, _ type: DataType, _ id: RecordID) -> [UInt8] {
    guard FieldNumber.isSealed(number, type) else { return value }
    return store.seal.seal(value, type: type, record: id, field: number)
  }

  // MARK: - Replicas

  private func number(_ replica: RecordID) throws -> Int64 {
    if let known = numbers[replica] { return known }
    let number = try store.replicaNumber(replica.bytes)
    numbers[replica] = number
    replicas[number] = replica
    return number
  }

  private func id(_ number: Int64) throws -> RecordID {
    if let known = replicas[number] { return known }
    let read = try store.statement("SELECT inc FROM replica WHERE no = ?1")
    try read.bind(1, number)
    defer { read.reset() }
    guard try read.step() else { throw StoreError.corrupt }
    let id = try read.requiredRecordID(0)
    replicas[number] = id
    numbers[id] = number
    return id
  }

  private func dot(_ replica: Int64, _ counter: Int64) throws -> Dot {
    Dot(replica: try id(replica), counter: counter)
  }
}

/// The lower 48 bits of a row's sequence: its place among all rows; above them stands its log.
let sequenceMask: Int64 = 1 << 48 - 1

extension ChangeLog {
  /// The log of a kind that has one log.
  init(_ type: DataType) {
    switch type {
    case .bookmarks: self = .bookmarks
    case .readingList: self = .readingList
    case .extensions: self = .extensions
    case .passwords: self = .passwords
    case .cards: self = .cards
    case .history: self = .visits
    case .resources: self = .resources
    }
  }

  /// All sequences of this log's rows in the record table.
  var sequences: ClosedRange<Int64> {
    let base = Int64(rawValue) << 48
    return base...base | sequenceMask
  }
}

extension RecordStore {
  /// The last row sequence taken in this transaction; 0 outside of one.
  var lastSequence: Int64 { counters?.sequence ?? 0 }

  /// The fields of a body in clear.
  func openedFields(_ body: [UInt8], _ type: DataType, _ id: RecordID) throws -> FieldList {
    let list = try BodyCodec.values(body)
    guard type.isSecret else { return list }
    return FieldList(
      try list.fields.map { field in
        guard FieldNumber.isSealed(field.number, type) else { return field }
        let value = try seal.open(field.value, type: type, record: id, field: field.number)
        return FieldList.Field(number: field.number, value: value)
      })
  }
}
