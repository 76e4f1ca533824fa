import BrowsingData
import Store
import Testing

/// Clocks that are wrong, and devices that come back after a long time.
@Suite struct SyncTimeTests {
  private let year: Int64 = 365 * 86_400_000

  @Test(arguments: [1, -1]) func `a clock that is a year off decides no deletion and no edit that was seen`(
    sign: Int64
  ) throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a", "b", "c")))
    try fixture.sync(0, 1)
    // Device 1 lives in another year.
    func there(_ body: () throws -> Void) rethrows {
      fixture.now += sign * year
      defer { fixture.now -= sign * year }
      try body()
    }
    // An edit there, seen here and edited again: the later one holds, whatever the clocks say.
    try there { try fixture.edit(1) { try $0.update(bookmark: fixture.id("a", 1)) { $0.title = "a there" } } }
    try fixture.sync(0, 1)
    try fixture.edit(0) { try $0.update(bookmark: fixture.id("a there", 0)) { $0.title = "a here" } }
    // A deletion there of what was edited here meanwhile, and the other way round: both edits live.
    try fixture.edit(0) { try $0.update(bookmark: fixture.id("b", 0)) { $0.title = "b here" } }
    try fixture.edit(0) { try $0.delete(bookmark: fixture.id("c", 0)) }
    try there {
      try fixture.edit(1) { try $0.delete(bookmark: fixture.id("b", 1)) }
      try fixture.edit(1) { try $0.update(bookmark: fixture.id("c", 1)) { $0.title = "c there" } }
    }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.tree(0).sorted() == ["other a here", "other b here", "other c there"])
    #expect(try fixture.differences() == [])
    #expect(try fixture.stores[0].conflicts().isEmpty)
    fixture.rows = 0
    try there { _ = try fixture.sync(0, 1) }
    #expect(fixture.rows == 0)
  }

  @Test(arguments: [1, -1]) func `of two titles given at once a clock that is a year off loses none`(sign: Int64) throws
  {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    try fixture.sync(0, 1)
    fixture.now += 1_000
    try fixture.edit(0) { try $0.update(bookmark: fixture.id("a", 0)) { $0.title = "here" } }
    fixture.now += sign * year
    try fixture.edit(1) { try $0.update(bookmark: fixture.id("a", 1)) { $0.title = "there" } }
    fixture.now -= sign * year
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    for index in 0...1 {
      let conflict = try #require(try fixture.stores[index].conflicts().first)
      #expect(conflict.shown == (sign > 0 ? "there" : "here"))
      #expect(conflict.value == (sign > 0 ? "here" : "there"))
    }
    // Whoever edits now has seen both: that holds on both sides.
    try fixture.edit(0) { try $0.update(bookmark: fixture.id(sign > 0 ? "there" : "here", 0)) { $0.title = "now" } }
    try fixture.sync(0, 1)
    for index in 0...1 {
      #expect(try fixture.tree(index) == ["other now"])
      #expect(try fixture.stores[index].conflicts().isEmpty)
    }
  }

  @Test func `a device that was away for more than ninety days loses nothing and revives nothing`() throws {
    let fixture = try SyncFixture(3)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("F/a", "F/b", "c", "d")))
    let visits = (0..<40).map { number in
      HistoryVisit(
        url: "http://h\(number % 4).test/",
        visitedAt: Timestamp(microseconds: fixture.time.microseconds + Int64(number)))
    }
    try fixture.take(0, .history(visits))
    try fixture.sync(0, 1)
    try fixture.sync(1, 2)
    // Device 2 leaves. The others delete, edit and forget, and clean up what they no longer need.
    try fixture.edit(0) { try $0.delete(bookmark: fixture.id("c", 0)) }
    try fixture.edit(0) { try $0.delete(bookmark: fixture.id("a", 0)) }
    try fixture.edit(1) { try $0.update(bookmark: fixture.id("d", 1)) { $0.title = "d here" } }
    _ = try fixture.stores[0].forget(
      [ForgetRule(.host, "h1.test", from: 0, to: .max)], label: "test", now: fixture.time)
    try fixture.sync(0, 1)
    for _ in 0..<4 {
      fixture.now += 31 * 86_400_000
      try fixture.take(0, .bookmarks(TreeBuilder.tree("new \(fixture.now)")))
      try fixture.sync(0, 1)
    }
    // Meanwhile, over there.
    try fixture.edit(2) { try $0.update(bookmark: fixture.id("a", 2)) { $0.title = "a there" } }
    try fixture.edit(2) { try $0.update(bookmark: fixture.id("d", 2)) { $0.title = "d there" } }
    try fixture.take(2, .bookmarks(TreeBuilder.tree("own")))
    #expect(try fixture.sync(2, 1) == [.inStep, .inStep])
    #expect(try fixture.sync(1, 0) == [.inStep, .inStep])
    #expect(try fixture.sync(2, 1) == [.inStep, .inStep])
    #expect(try fixture.differences() == [])
    let tree = try fixture.tree(2).map { $0.trimmingPrefix("other ").trimmingPrefix("  ") }.map(String.init)
    // Deleted without being seen again: gone. Edited there: alive. Edited on both sides: one shown, one listed.
    #expect(Set(tree).isSuperset(of: ["F/", "a there", "b", "own"]) && !tree.contains("c"))
    #expect(tree.count == 9)
    #expect(try fixture.all(2, .history).count == 30)
    for index in 0...2 {
      let conflicts = try fixture.stores[index].conflicts()
      #expect(conflicts.map { Set([$0.shown, $0.value]) } == [["d here", "d there"]])
    }
  }
}
