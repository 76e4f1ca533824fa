internal import BrowsingData
internal import Merge
internal import SQLite

extension RecordStore {
  /// Takes back what an entry did to records: each that is as the entry left it becomes what it was; one changed since
  /// stays and is a remark. Inside `writing`, under a journal entry of its own.
  func undoRecords(_ entry: JournalEntry, as undo: Int64, _ report: inout ApplyReport) throws {
    let table = RecordTable(self, entry: undo, now: WallClock.now)
    var last: Int64 = 0
    while true {
      let steps = try undoSteps(entry.number, after: last)
      guard let end = steps.last else { break }
      last = end.number
      for step in steps { try take(step, back: table, &report) }
    }
    let forget = try statement("DELETE FROM conflict_log WHERE entry = ?1 AND resolved = 0 AND live = 0")
    try forget.bind(1, entry.number)
    try forget.run()
  }

  private struct UndoStep {
    var number: Int64
    var type: DataType
    var id: RecordID
    var left: Int64?
    var prior: Int64?
    var body: [UInt8]?
  }

  private func undoSteps(_ entry: Int64, after: Int64) throws -> [UndoStep] {
    let read = try statement(
      "SELECT no, type, rid, left_entry, prior, body FROM rec_before WHERE entry = ?1 AND no > ?2 ORDER BY no LIMIT 1000"
    )
    try read.bind(1, entry)
    try read.bind(2, after)
    var steps: [UndoStep] = []
    while try read.step() {
      guard let type = UInt8(exactly: read.int64(1)).flatMap(DataType.init(rawValue:)) else { throw StoreError.corrupt }
      steps.append(
        UndoStep(
          number: read.int64(0), type: type, id: try read.requiredRecordID(2), left: read.optionalInt64(3),
          prior: read.optionalInt64(4), body: read.bytes(5)))
    }
    return steps
  }

  private func take(_ step: UndoStep, back table: RecordTable, _ report: inout ApplyReport) throws {
    guard let row = try table.row(step.id) else {
      // It was found to be a peer's and removed.
      if let body = step.body { try bringBack(step, body, table, &report) }
      return
    }
    guard row.type == step.type else { return }
    guard row.entry == step.left else {
      // Deleted since, and not there before: it is as it was.
      if row.body == nil, step.body == nil { return }
      report.add(
        Remark(
          .skipped, type: step.type, place: .id(step.id.description), reason: "it was changed later and stays as it is")
      )
      return
    }
    try table.restore(row, to: step.body, leaving: step.prior)
    report[step.type].found += 1
    switch (row.body == nil, step.body == nil) {
    case (false, true): report[step.type].removed += 1
    case (true, false): report[step.type].added += 1
    case (true, true), (false, false): report[step.type].changed += 1
    }
  }

  private func bringBack(
    _ step: UndoStep, _ body: [UInt8], _ table: RecordTable, _ report: inout ApplyReport
  ) throws {
    let fields = try openedFields(body, step.type, step.id)
    guard try table.insert(step.type, step.id, fields, isKnownNew: true) else { return }
    report[step.type].found += 1
    report[step.type].added += 1
  }
}
