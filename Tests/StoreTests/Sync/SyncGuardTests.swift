import BrowsingData
import Store
import Testing

/// What is never destroyed silently.
@Suite struct SyncGuardTests {
  @Test func `a deletion of too much stops that device until a person says that it may`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree(titles(60))))
    try fixture.sync(0, 1)
    try fixture.edit(0) { edits in
      for number in 0..<40 { try edits.delete(bookmark: fixture.id("t\(number)", 0)) }
    }
    let stop = StoreError.safetyStop(.bookmarks, affected: 40, existing: 60)
    #expect(throws: stop) { try fixture.sync(0, 1, records: 1_000) }
    #expect(try fixture.tree(1).count == 60)
    #expect(try fixture.peer(0, of: 1).hold?.affected == 40)
    // It stays so, also for what would be little by itself.
    #expect(throws: stop) { try fixture.sync(0, 1, records: 3) }
    #expect(try fixture.tree(1).count == 60)
    #expect(try fixture.stores[1].snapshots().isEmpty)
    #expect(try fixture.sync(0, 1, force: true, records: 1_000) == [.inStep, .inStep])
    #expect(try fixture.tree(1).count == 20)
    #expect(try fixture.peer(0, of: 1).hold == nil)
    // The store was copied before.
    let copies = try fixture.stores[1].snapshots()
    #expect(copies.count == 1)
    // And the sync can be taken back, as new edits that the other device gets.
    let report = try fixture.stores[1].undo()
    #expect(report[.bookmarks].added == 40)
    #expect(try fixture.tree(1).count == 60)
    #expect(try fixture.sync(0, 1, records: 1_000) == [.inStep, .inStep])
    #expect(try fixture.tree(0).count == 60)
    #expect(try fixture.differences() == [])
  }

  @Test func `copies are kept for a week, one a day`() throws {
    let fixture = try SyncFixture(1)
    for day in 0..<20 {
      let time = Timestamp(microseconds: fixture.time.microseconds + Int64(day) * 86_400_000_000)
      try fixture.stores[0].takeSnapshot(now: time)
      try fixture.stores[0].takeSnapshot(now: time)
    }
    #expect(try fixture.stores[0].snapshots().count == 7)
  }

  @Test func `a direction and a choice of kinds are kept to by both sides`() throws {
    let fixture = try SyncFixture(2)
    for index in 0...1 {
      try fixture.take(
        index, .bookmarks(TreeBuilder.tree("m\(index)")), .logins(randomLogins(seed: UInt64(index), count: 3)))
    }
    var peer = try fixture.peer(1, of: 0)
    peer.direction = .sendOnly
    peer.types = .bookmarks
    try fixture.stores[0].save(peer)
    try fixture.sync(0, 1)
    #expect(try fixture.tree(0) == ["other m0"])
    #expect(try fixture.tree(1).sorted() == ["other m0", "other m1"])
    let logins = try fixture.all(1, .passwords)
    #expect(logins.count == 3)
    // Later everything: what was left out comes.
    peer = try fixture.peer(1, of: 0)
    peer.direction = .both
    peer.types = .all
    try fixture.stores[0].save(peer)
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.differences() == [])
  }

  @Test func `a revoked device is no peer`() throws {
    let fixture = try SyncFixture(2)
    var peer = try fixture.peer(1, of: 0)
    peer.isRevoked = true
    try fixture.stores[0].save(peer)
    #expect(throws: StoreError.noSuchPeer) { try fixture.sync(0, 1) }
  }

  @Test func `an idle session writes nothing, and a change is noticed`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    try fixture.sync(0, 1)
    try fixture.sync(0, 1)
    var marks = [try fixture.stores[0].changeMark(), try fixture.stores[1].changeMark()]
    try fixture.sync(0, 1)
    for index in 0...1 { #expect(try !fixture.stores[index].hasChanged(since: &marks[index])) }
    try fixture.edit(1) { try $0.update(bookmark: fixture.id("a", 1)) { $0.title = "b" } }
    #expect(try fixture.stores[1].hasChanged(since: &marks[1]))
    #expect(try !fixture.stores[1].hasChanged(since: &marks[1]))
  }

  private func titles(_ count: Int) -> [String] { (0..<count).map { "t\($0)" } }
}

extension TreeBuilder {
  static func tree(_ titles: [String]) -> [Bookmark] {
    var builder = TreeBuilder()
    for title in titles { builder.add(.bookmark, title, .other, url: "http://\(title).test/") }
    return builder.bookmarks
  }
}
