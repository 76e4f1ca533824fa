import BrowsingData
import Store
import Testing

@Suite struct PreparedVisitsTests {
  let fixture: HistoryFixture
  let exporter: RecordStore
  let importer: RecordStore

  init() throws {
    fixture = try HistoryFixture()
    exporter = try fixture.store()
    importer = try fixture.store()
  }

  /// All of a log in batches.
  private func batches(_ log: ChangeLog, records: Int) throws -> [ChangeBatch] {
    var batches: [ChangeBatch] = []
    while let batch = try exporter.changes(log, after: batches.last?.last ?? 0, maximumRecords: records) {
      batches.append(batch)
    }
    return batches
  }

  @Test(arguments: [UInt64](0..<8))
  func `what was made ready while the batch before was written ends like what was not`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let visits = generator.visits(300)
    try fixture.add(visits, to: exporter)
    // Some are there already, also as the first of a batch.
    let known = visits.enumerated().filter { $0.offset % (2 + Int(seed)) == 0 }.map(\.element)
    let plain = try fixture.store()
    for store in [importer, plain] { try fixture.add(known, to: store) }
    let (run, other) = (try fixture.transfer(into: importer), try fixture.transfer(into: plain))
    for run in [run, other] { try run.receive(from: exporter.incarnation) }
    for batch in try batches(.pages, records: 40) {
      _ = try run.apply(batch)
      _ = try other.apply(batch)
    }
    let all = try batches(.visits, records: 23)
    var prepared: PreparedBatch?
    var count = 0
    for (index, batch) in all.enumerated() {
      let work = index + 1 < all.count ? run.preparation(of: all[index + 1]) : nil
      let next = work?()
      if next != nil { count += 1 }
      let commits = index % 3 == 2 || index + 1 == all.count
      let result = try run.apply(batch, prepared: prepared, commits: commits)
      let same = try other.apply(batch)
      #expect(result.applied == same.applied && result.skipped == same.skipped)
      prepared = next
    }
    #expect(count >= all.count - 2 && count > 5)
    #expect(try run.receivedEnds() == other.receivedEnds())
    #expect(run.report == other.report)
    #expect(try run.finish() == other.finish())
    #expect(try fixture.visits(of: importer).sorted(by: order) == fixture.visits(of: plain).sorted(by: order))
    #expect(try Set(fixture.visits(of: importer)) == Set(fixture.visits(of: exporter)))
  }

  private func order(_ one: HistoryVisit, _ other: HistoryVisit) -> Bool { "\(one)" < "\(other)" }

  @Test func `what was made ready is void when page numbers are forgotten before its turn`() throws {
    try fixture.add((1...40).map { visit("https://a.test/\($0)", Int64($0)) }, to: exporter)
    let run = try fixture.transfer(into: importer)
    try run.receive(from: exporter.incarnation)
    for batch in try batches(.pages, records: 100) { _ = try run.apply(batch) }
    let all = try batches(.visits, records: 20)
    _ = try run.apply(all[0])
    let work = try #require(run.preparation(of: all[1]))
    let prepared = try #require(work())
    // The pages come again from another store: what the old numbers stood for is no longer known.
    let other = try fixture.store()
    try fixture.add([visit("https://b.test/", 7)], to: other)
    try run.receive(from: other.incarnation)
    #expect(throws: StoreError.malformed(.visits)) {
      try run.apply(
        ChangeBatch(log: .visits, first: 0, last: all[1].last, content: all[1].content), prepared: prepared)
    }
    try fixture.send(other, run)
    #expect(try run.receivedEnds()[.visits]?.digest == other.ending(.history)[.visits]?.digest)
  }

  @Test func `nothing is made ready of what names a page that never came`() throws {
    try fixture.add([visit("https://a.test/", 1)], to: exporter)
    let run = try fixture.transfer(into: importer)
    try run.receive(from: exporter.incarnation)
    for batch in try batches(.pages, records: 100) { _ = try run.apply(batch) }
    let batch = try #require(try batches(.visits, records: 100).first)
    #expect(run.preparation(of: batch).map { _ in 1 } == nil, "the store must be asked for the pages' numbers first")
    _ = try run.apply(batch)
    var visits = VisitBatch()
    visits.visits = [.init(page: 99, time: 1)]
    let wrong = ChangeBatch(log: .visits, first: batch.last, last: batch.last + 1, content: .visits(visits))
    let work = try #require(run.preparation(of: wrong))
    let made = work()
    #expect(made.map { _ in 1 } == nil)
    #expect(throws: StoreError.malformed(.visits)) { try run.apply(wrong) }
  }

  @Test func `a batch of which nothing may be stored is counted and skipped`() throws {
    try fixture.add([visit("https://a.test/", 1)], to: exporter)
    let run = try fixture.transfer(into: importer)
    try run.receive(from: exporter.incarnation)
    let pages = try #require(try batches(.pages, records: 100).first)
    guard case .pages(let content) = pages.content else { return }
    _ = try run.apply(pages)
    var visits = VisitBatch()
    visits.visits = [.init(page: content.pages[0].number, time: -5)]
    let result = try run.apply(ChangeBatch(log: .visits, first: 0, last: 9, content: .visits(visits)))
    #expect(result.applied == 0 && result.skipped == 1)
    #expect(try run.receivedEnds()[.visits]?.count == 1)
    #expect(run.report.remarks.count == 1)
  }

  @Test func `new visits stand behind all others in the log, whichever of a batch is known`() throws {
    let old = (1...3).map { visit("https://a.test/\($0)", Int64($0)) }
    for first in 1...3 {
      let store = try fixture.store()
      try fixture.add([old[first - 1]], to: store)
      try fixture.add([visit("https://z.test/", 1)], to: store)
      let before = try #require(try store.changes(.visits, after: 0)).last
      // One of the three is known, and one comes twice at once.
      try fixture.add(old + [old[0]], to: store)
      let added = try #require(try store.changes(.visits, after: before))
      #expect(added.count == 2)
      let end = try store.ending(.history)[.visits]
      #expect(end?.count == 4)
      #expect(try store.changes(.visits, after: added.last) == nil)
      #expect(try fixture.visits(of: store).count == 4)
    }
  }
}
