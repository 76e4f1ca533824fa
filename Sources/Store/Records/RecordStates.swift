internal import BrowsingData
internal import Merge
internal import SQLite

/// Rows of the record table as states and back. A record with one version, whose author had seen all that was seen of
/// it, is one row; all others have their versions in the table `ver`, and the row holds what is shown.
final class RecordStates {
  unowned let store: RecordStore
  private var replicas: [Int64: RecordID] = [:]
  private var numbers: [RecordID: Int64] = [:]

  init(_ store: RecordStore) { self.store = store }

  // MARK: - Reading

  /// What is known of a record; secrets in clear unless nobody looks at them.
  func state(of row: RecordRow, opensSecrets: Bool = true) throws -> RecordState {
    var state = RecordState()
    state.newest = row.newest
    state.context = try vector(row.context)
    state.grave = try row.grave.map { try GraveCodec.decode($0, dot: dot) }
    guard let body = row.body else { return state }
    guard let replica = row.replica else {
      state.versions = try versions(of: row, opensSecrets)
      return state
    }
    let edit = try dot(replica, row.counter)
    state.versions = [
      RecordState.Version(
        dot: edit, seen: state.context.without(edit), fields: try fields(body, row.type, row.id, opensSecrets))
    ]
    return state
  }

  private func versions(of row: RecordRow, _ opensSecrets: Bool) throws -> [RecordState.Version] {
    let read = try store.statement("SELECT dot_r, dot_n, seen, body FROM ver WHERE type = ?1 AND rid = ?2")
    try read.bind(1, Int64(row.type.rawValue))
    try read.bind(2, row.id.bytes)
    var rows: [(replica: Int64, counter: Int64, seen: [UInt8], body: [UInt8])] = []
    while try read.step() {
      rows.append((read.int64(0), read.int64(1), read.bytes(2) ?? [], read.bytes(3) ?? []))
    }
    guard !rows.isEmpty else { throw StoreError.corrupt }
    return try rows.map { one in
      RecordState.Version(
        dot: try dot(one.replica, one.counter), seen: try vector(one.seen),
        fields: try fields(one.body, row.type, row.id, opensSecrets))
    }.sorted { $0.dot < $1.dot }
  }

  /// A body's fields, in clear if wanted.
  func fields(_ body: [UInt8], _ type: DataType, _ id: RecordID, _ opensSecrets: Bool = true) throws -> [StampedField] {
    let fields = try BodyCodec.decode(body, dot: dot)
    guard opensSecrets, type.isSecret else { return fields }
    return try fields.map { field in
      guard let value = field.value, FieldNumber.isSealed(field.number, type) else { return field }
      let open = try store.seal.open(value, type: type, record: id, field: field.number)
      return StampedField(number: field.number, stamp: field.stamp, value: open)
    }
  }

  private func vector(_ bytes: [UInt8]) throws -> VersionVector {
    VersionVector(
      try ContextCodec.decode(bytes).map { VersionVector.Entry(replica: try id($0.0), counter: $0.1) })
  }

  // MARK: - Writing

  /// The columns ctx, hi, grave, dot_r, dot_n and body of a state with secrets in clear; versions go into `ver`.
  func encode(_ state: RecordState, _ type: DataType, _ id: RecordID, hadVersions: Bool) throws -> RecordColumns {
    if hadVersions { try deleteVersions(type, id) }
    var columns = RecordColumns(
      context: try encode(state.context), newest: state.newest,
      grave: try state.grave.map { try GraveCodec.encode($0, number: number) })
    guard let first = state.versions.first else { return columns }
    columns.body = try encode(state.resolved, type, id)
    if state.versions.count == 1, first.seen.isSame(as: state.context, but: first.dot.replica) {
      columns.replica = try number(first.dot.replica)
      columns.counter = first.dot.counter
    } else {
      for version in state.versions { try insert(version, type, id) }
    }
    return columns
  }

  private func insert(_ version: RecordState.Version, _ type: DataType, _ id: RecordID) throws {
    let body = try encode(version.fields, type, id)
    let seen = try encode(version.seen)
    let replica = try number(version.dot.replica)
    let insert = try store.statement(
      "INSERT INTO ver(type, rid, dot_r, dot_n, seen, body) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    try insert.bind(1, Int64(type.rawValue))
    try insert.bind(2, id.bytes)
    try insert.bind(3, replica)
    try insert.bind(4, version.dot.counter)
    try insert.bind(5, seen)
    try insert.bind(6, body)
    try insert.run()
  }

  func deleteVersions(_ type: DataType, _ id: RecordID) throws {
    let delete = try store.statement("DELETE FROM ver WHERE type = ?1 AND rid = ?2")
    try delete.bind(1, Int64(type.rawValue))
    try delete.bind(2, id.bytes)
    try delete.run()
  }

  private func encode(_ fields: [StampedField], _ type: DataType, _ id: RecordID) throws -> [UInt8] {
    guard type.isSecret else { return try BodyCodec.encode(fields) { try number($0.replica) } }
    let sealed = fields.map { field in
      StampedField(
        number: field.number, stamp: field.stamp, value: field.value.map { store.sealed($0, field.number, type, id) })
    }
    return try BodyCodec.encode(sealed) { try number($0.replica) }
  }

  private func encode(_ vector: VersionVector) throws -> [UInt8] {
    ContextCodec.encode(try vector.entries.map { (try number($0.replica), $0.counter) })
  }

  // MARK: - Replicas

  /// The local number of a replica, given at first sight. Inside `writing` when it may be new.
  func number(_ replica: RecordID) throws -> Int64 {
    if let known = numbers[replica] { return known }
    let number = try store.replicaNumber(replica.bytes)
    remember(number, replica)
    return number
  }

  /// The replica of a local number.
  func id(_ number: Int64) throws -> RecordID {
    if let known = replicas[number] { return known }
    let read = try store.statement("SELECT inc FROM replica WHERE no = ?1")
    try read.bind(1, number)
    defer { read.reset() }
    guard try read.step() else { throw StoreError.corrupt }
    let id = try read.requiredRecordID(0)
    remember(number, id)
    return id
  }

  func dot(_ replica: Int64, _ counter: Int64) throws -> Dot { Dot(replica: try id(replica), counter: counter) }

  private func remember(_ number: Int64, _ id: RecordID) {
    numbers[id] = number
    replicas[number] = id
  }
}

/// What a state is in the columns of the record table.
struct RecordColumns {
  var context: [UInt8]
  var newest: Int64
  var grave: [UInt8]?
  /// Of the one version; nil where there is none, or where they are in `ver`.
  var replica: Int64?
  var counter: Int64?
  var body: [UInt8]?
}

extension VersionVector {
  /// What the author of an edit had seen, where nobody has seen more of the record: all but the edit.
  func without(_ dot: Dot) -> VersionVector {
    VersionVector(
      entries.compactMap { entry in
        guard entry.replica == dot.replica else { return entry }
        return dot.counter > 1 ? VersionVector.Entry(replica: dot.replica, counter: dot.counter - 1) : nil
      })
  }

  /// Whether both have seen the same of all replicas but one.
  func isSame(as other: VersionVector, but replica: RecordID) -> Bool {
    entries.filter { $0.replica != replica } == other.entries.filter { $0.replica != replica }
  }
}

extension RecordStore {
  /// A value as it is stored.
  func sealed(_ value: [UInt8], _ number: UInt64, _ type: DataType, _ id: RecordID) -> [UInt8] {
    guard FieldNumber.isSealed(number, type) else { return value }
    return seal.seal(value, type: type, record: id, field: number)
  }
}
