import BrowsingData

@testable import Wire

extension VectorValues {
  /// Batches of a sync, one for each form.
  static let syncBatches: [(name: String, message: Message)] = [
    ("BATCH of a bookmark that two have changed", rows(.bookmarks, .records([changedByTwo, deletedFolder]))),
    ("BATCH of visits named by the receiver's pages", rows(.visits, .visits(visitsOfReceiver))),
    ("BATCH of pages in a sync", rows(.pages, .pages(pagesOfSync))),
    ("BATCH of rules that forget", rows(.forgetRules, .rules(rules))),
  ]

  private static func rows(_ log: ChangeLog, _ content: SyncBatch.Content) -> Message {
    .syncBatch(SyncRows(number: 2, batch: SyncBatch(log: log, first: 7, last: 12, content: content)))
  }

  private static let here = SyncDot(incarnation: store, counter: 300)
  private static let there = SyncDot(incarnation: digest, counter: 5)

  private static let changedByTwo = SyncRecord(
    sequence: 9, id: .menu, context: [here, there], newest: 1_700_000_000_001,
    versions: [
      SyncVersion(
        dot: here, seen: [],
        fields: [SyncField(number: 10, stamp: SyncStamp(time: 1_700_000_000_000, dot: here), value: Array("One".utf8))]),
      SyncVersion(
        dot: there, seen: [SyncDot(incarnation: store, counter: 200)],
        fields: [
          SyncField(number: 10, stamp: SyncStamp(time: 1_700_000_000_001, dot: there), value: Array("Two".utf8)),
          SyncField(number: 19, stamp: SyncStamp(time: 1_700_000_000_001, dot: there), value: nil),
        ]),
    ])

  private static let deletedFolder = SyncRecord(
    sequence: 11, id: digest, context: [here], newest: 1_700_000_000_000,
    grave: SyncGrave(stamp: SyncStamp(time: 1_699_999_999_999, dot: here), parent: .toolbar), versions: [])

  private static var visitsOfReceiver: VisitBatch {
    var batch = VisitBatch()
    for (row, page) in [Int64(-4), 6].enumerated() {
      var visit = VisitBatch.Visit(page: page, time: time.microseconds)
      visit.sequence = 8 + Int64(row)
      batch.visits.append(visit)
    }
    return batch
  }

  private static var pagesOfSync: PageBatch {
    var batch = PageBatch()
    batch.append(number: 6, url: "https://one.test/".utf8, title: Array("One".utf8))
    batch.pages[0].sequence = 8
    return batch
  }

  private static let rules = [
    LoggedForgetRule(sequence: 8, rule: ForgetRule(.all, from: 0, to: 1_700_000_000_000_000)),
    LoggedForgetRule(sequence: 10, rule: ForgetRule(.host, "one.test", from: 5, to: 6)),
    LoggedForgetRule(sequence: 12, rule: ForgetRule(.url, "https://one.test/", from: 5, to: 6)),
  ]
}
