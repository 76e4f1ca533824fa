import BrowsingData

@testable import Wire

extension WireSamples {
  /// A batch of a sync, in the form in which decoding gives it back.
  mutating func syncBatch(_ log: ChangeLog, rows: Int = 6) -> SyncBatch {
    let stores = list(1...4) { $0.id() }.sorted()
    if log == .pages || log == .visits {
      let changes = batch(log, rows: rows)
      var content = SyncBatch.Content.rules([])
      switch changes.content {
      case .pages(let pages): content = .pages(pages)
      case .visits(var visits):
        // A page that the receiver gave is named by the receiver's number.
        for row in visits.visits.indices where chance() { visits.visits[row].page = -visits.visits[row].page }
        content = .visits(visits)
      case .records, .resources: break
      }
      return SyncBatch(log: log, first: changes.first, last: changes.last, content: content)
    }
    let first = number(1 << 50)
    var sequence = first
    var batch = SyncBatch(log: log, first: first, last: first + 1, content: .records([]))
    if log == .forgetRules {
      var rules: [LoggedForgetRule] = []
      for _ in 0..<rows {
        sequence += 1 + number(9)
        let scope = ForgetRule.Scope.allCases.randomElement(using: &random) ?? .all
        rules.append(
          LoggedForgetRule(
            sequence: sequence, rule: ForgetRule(scope, text(), from: number() - number(), to: number())))
      }
      batch.content = .rules(rules)
    } else {
      var records: [SyncRecord] = []
      for _ in 0..<rows {
        sequence += 1 + number(9)
        records.append(syncRecord(sequence, stores))
      }
      batch.content = .records(records)
    }
    batch.last = max(sequence, first + 1) + number(4)
    return batch
  }

  mutating func syncRecord(_ sequence: Int64, _ stores: [RecordID]) -> SyncRecord {
    var record = SyncRecord(
      sequence: sequence, id: id(), context: seen(stores), newest: number() - number(1 << 40), versions: [])
    if chance() { record.grave = SyncGrave(stamp: stamp(stores), parent: id()) }
    for store in stores where chance() {
      var version = SyncVersion(
        dot: SyncDot(incarnation: store, counter: 1 + number(1 << 60)), seen: seen(stores), fields: [])
      var field: UInt64 = 0
      for _ in 0..<Int(number(6)) {
        field += 1 + UInt64(number(70))
        let count = Int(number(20))
        version.fields.append(
          SyncField(number: field, stamp: stamp(stores), value: chance() ? bytes(count) : nil))
      }
      record.versions.append(version)
    }
    return record
  }

  private mutating func seen(_ stores: [RecordID]) -> [SyncDot] {
    stores.compactMap { chance() ? SyncDot(incarnation: $0, counter: 1 + number(1 << 60)) : nil }
  }

  private mutating func stamp(_ stores: [RecordID]) -> SyncStamp {
    SyncStamp(
      time: time().microseconds,
      dot: SyncDot(incarnation: stores.randomElement(using: &random) ?? .menu, counter: 1 + number(1 << 60)))
  }

  /// What a store says first, with every field.
  mutating func syncOpening() -> SyncOpening {
    var open = SyncOpening(
      incarnation: id(), counter: number(), sequence: number(), sends: [.bookmarks, .history], takes: .all)
    open.knows = list(2...4) { SyncDot(incarnation: $0.id(), counter: $0.number()) }
      .sorted { $0.incarnation < $1.incarnation }
    open.cursorsAbout = id()
    open.cursors = [.bookmarks: number(), .forgetRules: number()]
    open.whole = [.bookmarks, .visits]
    open.unsent = [.forgetRules]
    return open
  }
}
