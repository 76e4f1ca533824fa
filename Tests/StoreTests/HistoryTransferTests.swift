import BrowsingData
import Store
import Testing

@Suite struct HistoryTransferTests {
  let fixture: HistoryFixture
  let exporter: RecordStore
  let importer: RecordStore

  init() throws {
    fixture = try HistoryFixture()
    exporter = try fixture.store()
    importer = try fixture.store()
  }

  @Test(arguments: [UInt64](0..<10))
  func `history moves whole, and what was counted equals what the end says`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try fixture.add(generator.visits(400), to: exporter)
    if seed % 2 == 1 { try fixture.add(generator.visits(100), to: exporter) }
    if seed % 3 == 1 { try fixture.add(generator.visits(100), to: importer) }
    let there = try Set(fixture.visits(of: importer))
    let run = try fixture.transfer(into: importer)
    try fixture.send(exporter, run, records: 37)
    let end = try exporter.ending(.history)
    let received = try run.receivedEnds()
    for log in [ChangeLog.pages, .visits] {
      #expect(received[log]?.count == end[log]?.count && received[log]?.digest == end[log]?.digest)
    }
    let report = try run.finish()
    #expect(report[.history].found == Int(end[.visits]?.count ?? 0))
    if there.isEmpty {
      #expect(try Set(fixture.visits(of: importer)) == Set(fixture.visits(of: exporter)))
      #expect(report[.history].added == report[.history].found)
    }
  }

  @Test func `a transfer that is cut after each batch goes on from its cursor`() throws {
    var generator = SeededGenerator(seed: 99)
    try fixture.add(generator.visits(300), to: exporter)
    var rounds = 0
    while try fixture.send(exporter, fixture.transfer(into: importer), records: 20, limit: 1) > 0 { rounds += 1 }
    #expect(rounds > 15)
    let run = try fixture.transfer(into: importer)
    let end = try exporter.ending(.history)
    try run.receive(from: exporter.incarnation)
    #expect(try run.receivedEnds()[.visits]?.digest == end[.visits]?.digest)
    let report = try run.finish()
    #expect(report[.history].found == 300 && report[.history].added == 300)
    #expect(try Set(fixture.visits(of: importer)) == Set(fixture.visits(of: exporter)))
    #expect(try importer.journal().count == 1)
  }

  @Test func `a batch that does not start at the cursor is refused and leaves nothing`() throws {
    try fixture.add([visit("https://a.test/", 1)], to: exporter)
    let run = try fixture.transfer(into: importer)
    try run.receive(from: exporter.incarnation)
    let pages = try #require(try exporter.changes(.pages, after: 0))
    _ = try run.apply(pages)
    #expect(throws: StoreError.wrongCursor(.pages)) { try run.apply(pages) }
    #expect(try importer.ending(.history)[.pages]?.count == 1)
  }

  @Test func `a visit of a page that never came is malformed and leaves nothing`() throws {
    let run = try fixture.transfer(into: importer)
    try run.receive(from: exporter.incarnation)
    var visits = VisitBatch()
    visits.visits = [.init(page: 1, time: 1)]
    #expect(throws: StoreError.malformed(.visits)) {
      try run.apply(ChangeBatch(log: .visits, first: 0, last: 1, content: .visits(visits)))
    }
    #expect(try run.cursors()[.visits] == nil)
    #expect(run.report[.history] == ApplyReport.Figures())
  }

  @Test func `visits of a page that could not be read are skipped, also after the program was started again`() throws {
    try fixture.add([visit("https://a.test/", 1), visit("https://b.test/", 2)], to: exporter)
    var run = try fixture.transfer(into: importer)
    try run.receive(from: exporter.incarnation)
    let pages = try #require(try exporter.changes(.pages, after: 0))
    guard case .pages(var content) = pages.content else { return }
    let lost = content.pages.removeLast()
    let unread = Remark(.skipped, type: .history, reason: "a page that could not be read")
    _ = try run.apply(
      ChangeBatch(log: .pages, first: 0, last: pages.last, content: .pages(content), remarks: [unread]))
    #expect(run.incompleteLogs() == [.pages])
    run.abandon()
    run = try fixture.transfer(into: importer)
    try run.receive(from: exporter.incarnation)
    let visits = try #require(try exporter.changes(.visits, after: 0))
    let result = try run.apply(visits)
    #expect(result.applied == 1 && result.skipped == 1)
    #expect(run.incompleteLogs() == [.pages, .visits])
    #expect(try run.finish()[.history].added == 1)
    let left = try fixture.visits(of: importer).map(\.url)
    #expect(left == ["https://a.test/", "https://b.test/"].filter { $0 != content.string(lost.url) })
  }

  @Test func `rows that change after they were sent are sent again and not counted twice`() throws {
    try fixture.add([visit("https://a.test/", 1, title: "old"), visit("https://b.test/", 2)], to: exporter)
    let run = try fixture.transfer(into: importer)
    try fixture.send(exporter, run)
    var newer = visit("https://a.test/", 1, title: "renewed", count: 4)
    newer.title = "older than old is not; this is"
    try fixture.add([newer, visit("https://c.test/", 3)], to: exporter)
    #expect(try exporter.changes(.visits, after: run.cursors()[.visits] ?? 0) == nil)
    try fixture.send(exporter, run)
    let end = try exporter.ending(.history)
    let received = try run.receivedEnds()
    #expect(received[.pages]?.digest == end[.pages]?.digest && received[.visits]?.digest == end[.visits]?.digest)
    #expect(received[.visits]?.count == 3)
    #expect(try run.finish()[.history].found == 3)
    #expect(try Set(fixture.visits(of: importer)) == Set(fixture.visits(of: exporter)))
  }

  @Test func `after unequal digests everything comes again and counts as it did`() throws {
    var generator = SeededGenerator(seed: 5)
    try fixture.add(generator.visits(200), to: exporter)
    try fixture.add(generator.visits(50), to: importer)
    let run = try fixture.transfer(into: importer)
    try fixture.send(exporter, run)
    let first = run.report[.history]
    let ends = try run.receivedEnds()
    try run.restart()
    #expect(try run.cursors().values.allSatisfy { $0 == 0 })
    try fixture.send(exporter, run)
    #expect(try run.receivedEnds() == ends)
    #expect(run.report[.history] == first)
  }

  @Test func `another store under the same token begins anew`() throws {
    try fixture.add([visit("https://a.test/", 1)], to: exporter)
    let run = try fixture.transfer(into: importer)
    try fixture.send(exporter, run)
    let other = try fixture.store()
    try fixture.add([visit("https://a.test/", 1), visit("https://b.test/", 2)], to: other)
    try fixture.send(other, run)
    #expect(try run.receivedEnds()[.visits]?.digest == other.ending(.history)[.visits]?.digest)
    #expect(try Set(fixture.visits(of: importer)) == Set(fixture.visits(of: other)))
  }
}
