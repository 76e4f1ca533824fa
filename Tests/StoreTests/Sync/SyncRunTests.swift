import BrowsingData
import Store
import Testing

@Suite struct SyncRunTests {
  @Test func `what one device has the other gets, and a second sync sends nothing`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("F/1", "F/2", "a")), .readingList(items(3)))
    try fixture.take(0, .logins(randomLogins(seed: 1, count: 5)))
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.tree(1) == ["other F/", "  1", "  2", "other a"])
    #expect(try fixture.all(1, .readingList) == fixture.all(0, .readingList))
    #expect(try fixture.all(1, .passwords) == fixture.all(0, .passwords))
    fixture.rows = 0
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(fixture.rows == 0)
    for index in 0...1 { #expect(try fixture.stores[index].keptDigests() == fixture.stores[index].computedDigests()) }
  }

  @Test func `history flows both ways, each page and visit once`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .history(visits(0..<40)))
    try fixture.take(1, .history(visits(30..<60)))
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.all(0, .history) == fixture.all(1, .history))
    #expect(try fixture.all(0, .history).count == 60)
    fixture.rows = 0
    try fixture.take(1, .history(visits(60..<62)))
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(fixture.rows <= 4)
    #expect(try fixture.all(0, .history).count == 62)
  }

  private func items(_ count: Int) -> [ReadingListItem] {
    (0..<count).map {
      ReadingListItem(id: RecordID(high: 9, low: UInt64($0)), title: "i\($0)", url: "http://i\($0).test/")
    }
  }

  private func visits(_ numbers: Range<Int>) -> [HistoryVisit] {
    numbers.map { number in
      HistoryVisit(
        url: "http://p\(number % 9).test/", title: "t\(number % 9)",
        visitedAt: Timestamp(microseconds: 1_600_000_000_000_000 + Int64(number)))
    }
  }
}
