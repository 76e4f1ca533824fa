internal import BrowsingData
internal import Merge
internal import SQLite

/// What the imports of all kinds of records share: the table, what has arrived, the figures, the safety stop.
final class RecordImport {
  unowned let run: ImportRun
  let table: RecordTable
  let arrivals: Arrivals
  let conflicts: ConflictLog
  /// What the running batch changes of what was counted of its log.
  private(set) var received = ReceivedRows()
  private var incarnation: Int64 = 0
  private var pass: Int64 = 0
  private var affected: [DataType: Int] = [:]
  private var existing: [DataType: Int] = [:]

  var store: RecordStore { run.store }
  var isTransfer: Bool { run.options.kind == .transfer }

  init(_ run: ImportRun) throws {
    self.run = run
    table = RecordTable(run.store, entry: run.entry, now: run.options.now)
    arrivals = try Arrivals(run.store, entry: run.entry)
    conflicts = ConflictLog(run.store, entry: run.entry, now: run.options.now)
    for type in DataType.stored where type != .history { existing[type] = try run.store.countRecords(type) }
  }

  /// Whether bookmarks wait for their parents from before this transfer was resumed.
  func hasWaiting() throws -> Bool {
    let read = try store.statement("SELECT 1 FROM waiting WHERE entry = ?1 LIMIT 1")
    try read.bind(1, run.entry)
    defer { read.reset() }
    return try read.step()
  }

  // MARK: - Counting what was received

  func beginBatch(pass: Int64) throws {
    received = ReceivedRows()
    self.pass = pass
    incarnation = try run.sourceIncarnation.map { try store.replicaNumber($0) } ?? 0
  }

  /// A living row came: it counts once, however often it is sent.
  func count(_ id: RecordID) {
    received.applied += 1
    if let known = arrivals[id], isCounted(known) { return }
    received.count += 1
    let hash = ContentHash.digest(id)
    received.sum.add(high: hash.high, low: hash.low)
  }

  /// A deletion came. Gives what the record was found to be; nil when there is nothing to do.
  func uncount(_ id: RecordID) -> Arrivals.Row? {
    received.applied += 1
    guard let known = arrivals[id], known.outcome != .gone else { return nil }
    if isCounted(known) {
      received.count -= 1
      let hash = ContentHash.digest(id)
      received.sum.subtract(high: hash.high, low: hash.low)
    }
    return known
  }

  private func isCounted(_ row: Arrivals.Row) -> Bool {
    row.outcome != .gone && row.incarnation == incarnation && row.pass == pass
  }

  // MARK: - Report

  /// Says what became of an incoming record, instead of what was said of it before.
  func note(
    _ remote: RecordID, _ type: DataType, local: RecordID?, parent: RecordID? = nil, position: Int = 0,
    outcome: Outcome
  ) throws {
    let former = isTransfer ? arrivals[remote] : nil
    tally(type, from: former?.outcome, to: outcome)
    guard isTransfer else { return }
    try arrivals.save(
      remote,
      Arrivals.Row(
        type: type, local: local, parent: parent ?? former?.parent, position: position, outcome: outcome,
        incarnation: incarnation, pass: pass))
  }

  /// Moves one record from one figure to another.
  func tally(_ type: DataType, from old: Outcome?, to new: Outcome) {
    add(type, old, -1)
    add(type, new, 1)
  }

  private func add(_ type: DataType, _ outcome: Outcome?, _ number: Int) {
    guard let outcome else { return }
    switch outcome {
    case .added: run.report[type].added += number
    case .changed: run.report[type].changed += number
    case .unchanged: run.report[type].unchanged += number
    case .conflicting: run.report[type].conflicts += number
    case .skipped: run.report[type].skipped += number
    case .gone, .waiting: return
    }
    run.report[type].found += number
  }

  /// Passes remarks on. Those on skipped records count in the report by themselves.
  func add(_ remarks: [Remark], of remote: RecordID, _ type: DataType) throws {
    for remark in remarks where remark.kind == .warning { run.report.add(remark) }
    guard let skipped = remarks.first(where: { $0.kind == .skipped }) else { return }
    if isTransfer { received.skipped += 1 }
    try note(remote, type, local: arrivals[remote]?.local, outcome: .skipped)
    run.report[type].skipped -= 1
    run.report[type].found -= 1
    run.report.add(skipped)
  }

  // MARK: - Writing

  /// Changes a record. `isOurs`: brought by this import, so that nothing that was there is touched.
  func update(_ row: RecordRow, _ changes: [FieldChange], over known: FieldList, isOurs: Bool) throws {
    if !isOurs, changes.contains(where: { FieldNumber.isWeighty($0.number) && known[$0.number] != nil }) {
      affected[row.type, default: 0] += 1
      try SafetyStop.check(
        row.type, affected: affected[row.type] ?? 0, existing: existing[row.type] ?? 0, force: run.options.force)
    }
    try table.update(row, changes)
  }

  /// The changes that make one list of the other; fields named by `except` are left alone.
  static func changes(from old: FieldList, to new: FieldList, except: Set<UInt64> = []) -> [FieldChange] {
    var changes: [FieldChange] = []
    for field in new.fields where !except.contains(field.number) && old[field.number] != field.value {
      changes.append(FieldChange(number: field.number, value: field.value))
    }
    for field in old.fields
    where !except.contains(field.number) && new[field.number] == nil && FieldNumber.isKnown(field.number) {
      changes.append(FieldChange(number: field.number, value: nil))
    }
    return changes
  }
}
