import BrowsingData
import Store
import Testing

/// Two machines that already had similar records meet.
@Suite struct SyncAdoptionTests {
  @Test(arguments: 0..<12) func `similar lists become one, without a duplicate and with all neighbours`(seed: Int)
    throws
  {
    var random = StoreRandom(seed: UInt64(seed))
    let common = (0..<20 + random.below(20)).map { "c\($0)" }
    var lists = [common, common]
    for index in 0...1 {
      for number in 0..<random.below(12) {
        lists[index].insert("\(index == 0 ? "a" : "b")\(number)", at: random.below(lists[index].count + 1))
      }
      for _ in 0..<random.below(4) { lists[index].remove(at: random.below(lists[index].count)) }
    }
    let fixture = try SyncFixture(2)
    for index in 0...1 {
      try fixture.edit(index) { edits in
        // One of a folder, too: its children must meet although their folders have different ids.
        let folder = try edits.add([bookmark("F", &random, .folder)], into: .menu)[0]
        try edits.add(lists[index].map { bookmark($0, &random) }, into: folder)
        try edits.add(lists[index].map { bookmark($0, &random) }, into: .toolbar)
      }
    }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.differences() == [])
    let shown = try fixture.stores[0].shownBookmarks()
    for folder in [RecordID.toolbar, try fixture.id("F", 0)] {
      let ids = try #require(shown.children(of: folder))
      let titles = try ids.map { try #require(try shown.bookmark($0)).title }
      #expect(titles.sorted() == Set(lists[0] + lists[1]).sorted())
      #expect(ids.allSatisfy { shown.members(of: $0).count == 1 })
      for list in lists {
        let places = list.map { titles.firstIndex(of: $0)! }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
      }
    }
    fixture.rows = 0
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(fixture.rows == 0)
  }

  @Test func `the same file imported on both sides, then changed, keeps every neighbour`() throws {
    let fixture = try SyncFixture(2)
    let file = TreeBuilder.tree("a", "b", "c", "d", "e", "f")
    for index in 0...1 { try fixture.take(index, .bookmarks(file)) }
    var random = StoreRandom(seed: 1)
    try fixture.edit(0) { try $0.add([bookmark("x", &random)], into: .other, at: 2) }
    try fixture.edit(1) { try $0.add([bookmark("y", &random)], into: .other, at: 4) }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    let expected = ["a", "b", "x", "c", "d", "y", "e", "f"].map { "other " + $0 }
    #expect(try fixture.tree(0) == expected)
    #expect(try fixture.tree(1) == expected)
    #expect(try fixture.stores[0].conflicts().isEmpty && fixture.stores[1].conflicts().isEmpty)
  }

  @Test func `an empty machine joins, and the old one is unchanged`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.random(seed: 3, count: 60)), .logins(randomLogins(seed: 3, count: 9)))
    let before = try fixture.stores[0].changeMark()
    #expect(try fixture.sync(1, 0) == [.inStep, .inStep])
    #expect(try fixture.stores[0].changeMark() == before)
    #expect(try fixture.differences() == [])
  }

  @Test func `what only the dropped one had stays, and an undo of the sync brings it back`() throws {
    let fixture = try SyncFixture(2)
    var random = StoreRandom(seed: 5)
    for index in 0...1 {
      var one = bookmark("a", &random)
      one.tags = ["t\(index)"]
      if index == 0 { one.keyword = "k" }
      try fixture.edit(index) { try $0.add([one, bookmark("own\(index)", &random)], into: .other) }
    }
    let before = [try fixture.tree(0), try fixture.tree(1)]
    try fixture.sync(0, 1)
    let merged = try fixture.stores[1].shownBookmarks().bookmark(try fixture.id("a", 1))
    #expect(merged?.keyword == "k")
    #expect(Set(merged?.tags ?? []) == ["t0", "t1"])
    let adopter =
      try fixture.stores[0].journal().contains { $0.kind == .sync && $0.figures[.bookmarks]!.changed > 0 } ? 0 : 1
    let entry = try #require(try fixture.stores[adopter].journal().first { $0.kind == .sync })
    _ = try fixture.stores[adopter].undo(entry: entry.number)
    #expect(try Set(fixture.tree(adopter)) == Set(before[adopter]))
  }

  @Test func `one card on both sides is one`() throws {
    let fixture = try SyncFixture(2)
    for index in 0...1 {
      var card = PaymentCard(id: RecordID(high: 7, low: UInt64(index)), number: "4111111111111111")
      if index == 0 { card.holder = "H" } else { card.name = "N" }
      try fixture.take(index, .cards([card]))
    }
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.differences() == [])
    #expect(try fixture.all(0, .cards).count == 1)
    guard case .paymentCard(let card) = try fixture.all(0, .cards)[0] else { return }
    #expect(card.holder == "H" && card.name == "N")
  }

  private func bookmark(_ title: String, _ random: inout StoreRandom, _ kind: Bookmark.Kind = .bookmark) -> Bookmark {
    Bookmark(
      id: RecordID(high: random.next() | 1 << 63, low: random.next()), kind: kind, parent: .other, position: 0,
      title: title, url: kind == .bookmark ? "http://\(title).test/" : nil)
  }
}
