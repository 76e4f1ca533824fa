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
  /// Of the one version; nil where there is none, or where they are in `ver`.
  var replica: Int64?
  var counter: Int64
  var context: [UInt8]
  var newest: Int64
  var grave: [UInt8]?
  /// Its first place in the change log.
  var born: Int64
  /// The peer that is known to have it so.
  var from: Int64?

  static let columns = "seq, type, rid, body, entry, dot_r, dot_n, ctx, hi, grave, born, frm"

  /// From a row of these columns.
  init(_ read: Statement) throws {
    guard let type = UInt8(exactly: read.int64(1)).flatMap(DataType.init(rawValue:)) else { throw StoreError.corrupt }
    sequence = read.int64(0)
    self.type = type
    id = try read.requiredRecordID(2)
    body = read.bytes(3)
    entry = read.optionalInt64(4)
    replica = read.optionalInt64(5)
    counter = read.int64(6)
    context = read.bytes(7) ?? []
    newest = read.int64(8)
    grave = read.bytes(9)
    born = read.int64(10)
    from = read.optionalInt64(11)
  }

  /// Whether its versions are in `ver`.
  var hasVersions: Bool { body != nil && replica == nil }
}

/// Reads and writes the record table for one journal entry. All writing is inside `RecordStore.writing`.
/// Secret fields are sealed here; whoever calls has them in clear.
final class RecordTable {
  let store: RecordStore
  /// The journal entry that writes.
  let entry: Int64
  let now: Timestamp
  let states: RecordStates
  /// Rows with a greater sequence were written since the last commit: nobody has read them, they keep their place.
  var committed: Int64
  /// The greatest edit number seen of each replica, where it is known.
  private var seen: [RecordID: Int64] = [:]

  init(_ store: RecordStore, entry: Int64, now: Timestamp) {
    self.store = store
    self.entry = entry
    self.now = now
    committed = store.lastSequence
    states = RecordStates(store)
  }

  // MARK: - Reading

  /// The row of this record, deleted or not; nil when there never was one.
  func row(_ id: RecordID) throws -> RecordRow? {
    let read = try store.statement("SELECT \(RecordRow.columns) FROM rec WHERE rid = ?1")
    try read.bind(1, id.bytes)
    defer { read.reset() }
    return try read.step() ? RecordRow(read) : nil
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
    var state = RecordState()
    _ = state.write(
      fields.fields.map { FieldChange(number: $0.number, value: $0.value) }, dot: nextDot(),
      now: now.microseconds / 1_000)
    return try insert(state, type, id, from: nil)
  }

  /// A row for a record that has none. False, and nothing done, when the id is taken after all.
  func insert(_ state: RecordState, _ type: DataType, _ id: RecordID, from peer: Int64?) throws -> Bool {
    let sequence = store.nextSequence(ChangeLog(type))
    let columns = try states.encode(state, type, id, hadVersions: false)
    let insert = try store.statement(
      """
      INSERT OR IGNORE INTO rec(seq, type, rid, frm, ctx, hi, grave, dot_r, dot_n, body, entry, born)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      """)
    try insert.bind(1, sequence)
    try insert.bind(2, Int64(type.rawValue))
    try insert.bind(3, id.bytes)
    try insert.bind(4, peer)
    try RecordTable.bind(columns, to: insert, from: 5)
    try insert.bind(11, entry)
    try insert.bind(12, sequence & sequenceMask)
    try insert.run()
    guard store.database.changes == 1 else { return false }
    store.pendingDigests[ChangeLog(type), default: LogDigest()].add(RecordHash.of(id, state))
    try remember(type, id, sequence: sequence, body: nil, prior: nil)
    return true
  }

  /// Changes fields of a record; they are in clear.
  func update(_ row: RecordRow, _ changes: [FieldChange]) throws {
    guard !changes.isEmpty else { return }
    try write(row, changes: changes)
  }

  /// Changes fields of a record for somebody who had not seen the shown values of those that are named: these stay beside,
  /// as conflicts.
  func update(_ row: RecordRow, _ changes: [FieldChange], unseen: Set<UInt64>) throws {
    guard !unseen.isEmpty else { return try update(row, changes) }
    let old = try states.state(of: row)
    var state = old
    state.writeBeside(changes, unseen: unseen, dot: nextDot(), now: now.microseconds / 1_000)
    try save(state, over: row, was: old, from: nil)
  }

  /// Writes what is shown as the one version, so that nothing of the record is concurrent any more.
  func settle(_ row: RecordRow) throws {
    guard row.body != nil else { return }
    try write(row, changes: [])
  }

  /// Deletes a record; a bookmark folder leaves its parent's name to its children.
  func delete(_ row: RecordRow) throws {
    guard row.body != nil else { return }
    try write(row, changes: nil)
  }

  /// Puts a record back as it was: `body` is as it was stored, nil when it was not there.
  func restore(_ row: RecordRow, to body: [UInt8]?, leaving entry: Int64?) throws {
    guard let body else { return try write(row, changes: nil, leaving: entry) }
    let then = try store.openedFields(body, row.type, row.id)
    let now = try fields(row)
    try write(row, changes: RecordImport.changes(from: now, to: then), leaving: entry)
  }

  /// `changes` nil: a deletion. `leaving`: the journal entry whose state the row has afterwards, .some(nil) for "never there".
  private func write(_ row: RecordRow, changes: [FieldChange]?, leaving: Int64?? = nil) throws {
    let old = try states.state(of: row)
    var state = old
    if let changes {
      _ = state.write(changes, dot: nextDot(), now: now.microseconds / 1_000)
    } else {
      state.delete(grave: RecordTable.grave(of: state, row.type))
    }
    try save(state, over: row, was: old, from: nil, leaving: leaving)
  }

  /// Writes a record's new state in place of the old one.
  func save(
    _ state: RecordState, over row: RecordRow, was old: RecordState, from peer: Int64?, leaving: Int64?? = nil
  ) throws {
    let keepsPlace = row.sequence & sequenceMask > committed
    let sequence = keepsPlace ? row.sequence : store.nextSequence(ChangeLog(row.type))
    let columns = try states.encode(state, row.type, row.id, hadVersions: row.hasVersions)
    let left = leaving ?? entry
    let update = try store.statement(
      """
      UPDATE rec SET seq = ?2, was = ?3, frm = ?4, ctx = ?5, hi = ?6, grave = ?7, dot_r = ?8, dot_n = ?9, body = ?10,
        entry = ?11 WHERE seq = ?1
      """)
    try update.bind(1, row.sequence)
    try update.bind(2, sequence)
    try update.bind(3, keepsPlace ? 0 : row.sequence & sequenceMask)
    try update.bind(4, peer)
    try RecordTable.bind(columns, to: update, from: 5)
    try update.bind(11, left)
    try update.run()
    var change = LogDigest()
    change.subtract(RecordHash.of(row.id, old))
    change.add(RecordHash.of(row.id, state))
    store.pendingDigests[ChangeLog(row.type), default: LogDigest()].add(change)
    if old.versions.count > 1 || state.versions.count > 1 { try noteConflicts(of: row.id, row.type, in: state) }
    try remember(row.type, row.id, sequence: sequence, body: row.body, prior: row.entry, left: left)
  }

  /// Removes a record as if it had never been. Only one that nobody was ever sent; an undo brings it back.
  func remove(_ row: RecordRow) throws {
    let state = try states.state(of: row)
    try states.deleteVersions(row.type, row.id)
    let delete = try store.statement("DELETE FROM rec WHERE seq = ?1")
    try delete.bind(1, row.sequence)
    try delete.run()
    store.pendingDigests[ChangeLog(row.type), default: LogDigest()].subtract(RecordHash.of(row.id, state))
    try remember(
      row.type, row.id, sequence: store.nextSequence(ChangeLog(row.type)), body: row.body, prior: row.entry)
  }

  private static func bind(_ columns: RecordColumns, to statement: Statement, from first: Int32) throws {
    try statement.bind(first, columns.context)
    try statement.bind(first + 1, columns.newest)
    try statement.bind(first + 2, columns.grave)
    try statement.bind(first + 3, columns.replica)
    try statement.bind(first + 4, columns.counter)
    try statement.bind(first + 5, columns.body)
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

  /// What a deleted folder leaves; nil of anything else.
  static func grave(of state: RecordState, _ type: DataType) -> Grave? {
    guard type == .bookmarks else { return nil }
    let fields = state.fields
    guard let kind = fields.first(where: { $0.number == FieldNumber.kind })?.value,
      kind == [Bookmark.Kind.folder.rawValue], let field = fields.first(where: { $0.number == FieldNumber.place }),
      let place = field.value.flatMap({ BookmarkPlace($0) })
    else { return nil }
    return Grave(stamp: field.stamp, parent: place.parent)
  }

  private func nextDot() -> Dot { Dot(replica: store.replica, counter: store.nextDot(now: now.microseconds)) }

  // MARK: - What was seen

  /// Takes note of the newest edits of other stores: what they are told they have made.
  func see(_ context: VersionVector) throws {
    for entry in context.entries
    where entry.replica != store.replica && seen[entry.replica, default: -1] < entry.counter {
      let update = try store.statement("UPDATE replica SET max_n = max(max_n, ?2) WHERE no = ?1")
      try update.bind(1, states.number(entry.replica))
      try update.bind(2, entry.counter)
      try update.run()
      seen[entry.replica] = entry.counter
    }
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
