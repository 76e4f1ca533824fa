import BrowsingData
import Store
import Testing

/// Visits that are forgotten, here and everywhere.
@Suite struct ForgetTests {
  @Test func `forgotten visits go everywhere and do not come back`() throws {
    let fixture = try SyncFixture(3)
    try fixture.take(0, .history(visits(0..<30)))
    try fixture.sync(0, 1)
    try fixture.sync(1, 2)
    let report = try fixture.stores[1].forget(
      [ForgetRule(.host, "H1.test", from: base, to: base + 100)], label: "test", now: fixture.time)
    #expect(report[.history].removed == 10)
    try fixture.sync(1, 2)
    try fixture.sync(0, 1)
    for index in 0..<3 {
      #expect(try urls(fixture, index).allSatisfy { !$0.contains("h1") })
      #expect(try urls(fixture, index).count == 20)
    }
    // The same file again: what was forgotten stays so, and that is said.
    let again = try fixture.take(2, .history(visits(0..<30)))
    #expect(again[.history].added == 0 && again[.history].unchanged == 30)
    #expect(again.remarks.map(\.kind) == [.warning])
    // Outside of the times nothing was forgotten.
    try fixture.take(2, .history([visit("http://h1.test/9", 500)]))
    try fixture.sync(1, 2)
    #expect(try urls(fixture, 1).contains("http://h1.test/9"))
    #expect(try fixture.differences(1..<3) == [])
  }

  @Test func `a forgotten page leaves no trace but its rule, in links neither`() throws {
    let fixture = try SyncFixture(1)
    var next = visit("http://b.test/", 2)
    next.referrer = HistoryVisit.Link(url: "http://a.test/", visitedAt: Timestamp(microseconds: base + 1))
    try fixture.take(0, .history([visit("http://a.test/", 1), next]))
    _ = try fixture.stores[0].forget(
      [ForgetRule(.url, "http://a.test/", from: base, to: base + 9)], label: "test", now: fixture.time)
    guard case .historyVisit(let left) = try fixture.all(0, .history)[0] else { return }
    #expect(try fixture.all(0, .history).count == 1)
    #expect(left.referrer == nil)
    #expect(try fixture.stores[0].ending(.history)[.pages]?.count == 1)
    #expect(try fixture.stores[0].forgetRules().count == 1)
  }

  @Test func `rules come in any order and number, and one that forgets nothing is none`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .history(visits(0..<30)))
    let rules = [
      ForgetRule(.all, from: base + 3, to: base + 6), ForgetRule(.all, "x", from: base + 3, to: base + 6),
      ForgetRule(.all, from: 5, to: 5), ForgetRule(.host, "", from: 0, to: 9),
    ]
    _ = try fixture.stores[1].forget(rules, label: "test", now: fixture.time)
    #expect(try fixture.stores[1].forgetRules().count == 1)
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.all(0, .history).count == 27)
    #expect(try fixture.all(1, .history) == fixture.all(0, .history))
  }

  @Test func `an undo of visits that others have forgets them there, too`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .history(visits(0..<4)))
    try fixture.sync(0, 1)
    try fixture.take(0, .history(visits(2..<9)))
    try fixture.sync(0, 1)
    #expect(try fixture.all(1, .history).count == 9)
    #expect(try fixture.stores[0].undo()[.history].removed == 5)
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    for index in 0...1 { #expect(try fixture.all(index, .history).count == 4) }
    // The receiving side takes back what it got.
    let entry = try #require(try fixture.stores[1].journal().last { $0.kind == .sync })
    _ = try fixture.stores[1].undo(entry: entry.number)
    #expect(try fixture.sync(0, 1, force: true) == [.inStep, .inStep])
    for index in 0...1 { #expect(try fixture.all(index, .history).isEmpty) }
  }

  @Test func `a page that was deleted here is asked for again`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .history([visit("http://a.test/", 1), visit("http://b.test/", 2)]))
    try fixture.sync(0, 1)
    // Forgotten there and named anew here before the two meet.
    _ = try fixture.stores[1].forget(
      [ForgetRule(.url, "http://a.test/", from: base, to: base + 2)], label: "test", now: fixture.time)
    var later = visit("http://a.test/", 5)
    later.title = nil
    try fixture.take(0, .history([later]))
    #expect(throws: StoreError.wrongCursor(.pages)) { try fixture.sync(0, 1) }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    for index in 0...1 { #expect(try urls(fixture, index).sorted() == ["http://a.test/", "http://b.test/"]) }
  }

  private let base: Int64 = 1_600_000_000_000_000

  private func visit(_ url: String, _ number: Int64) -> HistoryVisit {
    HistoryVisit(url: url, title: "t", visitedAt: Timestamp(microseconds: base + number))
  }

  private func visits(_ numbers: Range<Int64>) -> [HistoryVisit] {
    numbers.map { visit("http://h\($0 % 3).test/\($0 % 5)", $0) }
  }

  private func urls(_ fixture: SyncFixture, _ index: Int) throws -> [String] {
    try fixture.all(index, .history).compactMap { if case .historyVisit(let one) = $0 { one.url } else { nil } }
  }
}
