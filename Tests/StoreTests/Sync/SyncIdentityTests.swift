import BrowsingData
import SQLite
import Store
import TestSupport
import Testing

/// Restored, cloned and damaged stores.
@Suite struct SyncIdentityTests {
  @Test func `a restored database takes a new name before it writes, and no edit is lost`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    try fixture.sync(0, 1)
    let name = fixture.stores[0].incarnation
    try fixture.copyHome(0, to: fixture.directory.file("copy"), dataOnly: true)
    #expect(fixture.stores[0].incarnation == name)
    try fixture.edit(0) { try $0.update(bookmark: fixture.id("a", 0)) { $0.title = "b" } }
    try fixture.sync(0, 1)
    try fixture.restoreHome(0, from: fixture.directory.file("copy"), dataOnly: true)
    #expect(fixture.stores[0].incarnation != name)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("c")))
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.tree(0).sorted() == ["other b", "other c"])
    #expect(try fixture.differences() == [])
  }

  @Test func `a restored home is recognised by what its peer knows of it`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    try fixture.sync(0, 1)
    try fixture.copyHome(0, to: fixture.directory.file("copy"))
    let name = fixture.stores[0].incarnation
    try fixture.edit(0) { try $0.update(bookmark: fixture.id("a", 0)) { $0.title = "b" } }
    try fixture.sync(0, 1)
    try fixture.restoreHome(0, from: fixture.directory.file("copy"))
    #expect(fixture.stores[0].incarnation == name)
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(fixture.stores[0].incarnation != name)
    #expect(try fixture.tree(0) == ["other b"])
    #expect(try fixture.differences() == [])
  }

  @Test func `a restored home is recognised by a third device that it never told`() throws {
    let fixture = try SyncFixture(3)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    try fixture.copyHome(0, to: fixture.directory.file("copy"))
    let name = fixture.stores[0].incarnation
    try fixture.edit(0) { try $0.update(bookmark: fixture.id("a", 0)) { $0.title = "b" } }
    try fixture.sync(0, 1)
    try fixture.sync(1, 2)
    try fixture.restoreHome(0, from: fixture.directory.file("copy"))
    #expect(try fixture.sync(0, 2) == [.inStep, .inStep])
    #expect(fixture.stores[0].incarnation != name)
    #expect(try fixture.tree(0) == ["other b"])
  }

  @Test func `two copies of one home are refused once both have spoken`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    try fixture.sync(0, 1)
    try fixture.copyHome(0, to: fixture.directory.file("copy"))
    try fixture.edit(0) { try $0.update(bookmark: fixture.id("a", 0)) { $0.title = "b" } }
    try fixture.sync(0, 1)
    try fixture.copyHome(0, to: fixture.directory.file("first"))
    // The copy comes, is behind, and takes a new name; then the first machine comes with the old one.
    try fixture.restoreHome(0, from: fixture.directory.file("copy"))
    try fixture.sync(0, 1)
    try fixture.restoreHome(0, from: fixture.directory.file("first"))
    #expect(throws: StoreError.clonedIdentity) { try fixture.sync(0, 1) }
  }

  @Test func `two copies of one home that both edited as much lose nothing, and are refused once both have spoken`()
    throws
  {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a", "b")))
    try fixture.sync(0, 1)
    try fixture.copyHome(0, to: fixture.directory.file("second"))
    // The first one has made as many changes as the second, so that no number goes back.
    try fixture.take(0, .bookmarks(TreeBuilder.tree("of the first")))
    try fixture.sync(0, 1)
    try fixture.copyHome(0, to: fixture.directory.file("first"))
    try fixture.restoreHome(0, from: fixture.directory.file("second"))
    try fixture.take(0, .bookmarks(TreeBuilder.tree("of the second")))
    fixture.now += 1_000
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    let all = ["other a", "other b", "other of the first", "other of the second"]
    for index in 0...1 { #expect(try fixture.tree(index).sorted() == all) }
    #expect(try fixture.differences() == [])
    // The first one goes on. As soon as the second one comes with nothing newer it takes a new name; then two bear one key.
    try fixture.copyHome(0, to: fixture.directory.file("second"))
    try fixture.restoreHome(0, from: fixture.directory.file("first"))
    try fixture.take(0, .bookmarks(TreeBuilder.tree("later of the first")))
    fixture.now += 1_000
    try fixture.sync(0, 1)
    try fixture.copyHome(0, to: fixture.directory.file("first"))
    try fixture.restoreHome(0, from: fixture.directory.file("second"))
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    try fixture.restoreHome(0, from: fixture.directory.file("first"))
    #expect(throws: StoreError.clonedIdentity) { try fixture.sync(0, 1) }
    #expect(try Set(fixture.tree(1)).isSuperset(of: all))
  }

  @Test func `a device does not speak to itself`() throws {
    let fixture = try SyncFixture(1)
    try fixture.stores[0].save(
      Peer(keyHash: fixture.key(0), name: "me", types: .all, pairedAt: fixture.time))
    #expect(throws: StoreError.clonedIdentity) { try fixture.sync(0, 0) }
    #expect(throws: StoreError.noSuchPeer) { try fixture.stores[0].beginSync(with: [1]) }
  }

  @Test func `nothing is taken from a peer that has not found out that it was put back`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    try fixture.sync(0, 1)
    let run = try fixture.stores[1].beginSync(with: fixture.key(0))
    var opening = try fixture.stores[0].beginSync(with: fixture.key(1)).opening()
    opening.counter = 1
    #expect(try run.begin(opening) == .wait)
    #expect(throws: StoreError.clonedIdentity) {
      try run.apply(SyncBatch(log: .bookmarks, first: 0, last: 1, content: .records([])))
    }
  }

  @Test func `rows that got lost are found by the digest and come again, once a day`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("F/a", "F/b", "c")))
    try fixture.take(0, .history([HistoryVisit(url: "http://a.test/", visitedAt: Timestamp(microseconds: 1))]))
    try fixture.sync(0, 1)
    func lose() throws {
      let database = try Database(path: fixture.stores[1].path, mode: .readWrite)
      try database.execute("DELETE FROM rec WHERE seq = (SELECT max(seq) FROM rec)")
      let write = try database.prepare("UPDATE digest SET count = count - 1, sum = ?1 WHERE type = 1")
      try write.bind(1, try #require(try fixture.stores[1].computedDigests()[.bookmarks]).bytes)
      try write.run()
    }
    try lose()
    #expect(try fixture.tree(1).count == 3)
    fixture.now += 100_000
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.tree(1) == fixture.tree(0))
    try lose()
    #expect(try fixture.sync(0, 1).contains(.differs([.bookmarks], repairs: false)))
    #expect(try fixture.tree(1) != fixture.tree(0))
    fixture.now += 86_400_000
    try fixture.sync(0, 1)
    #expect(try fixture.tree(1) == fixture.tree(0))
  }

  @Test func `a digest that is wrong is mended, and the two are in step again`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("F/a", "F/b", "c")))
    try fixture.take(0, .history([HistoryVisit(url: "http://a.test/", visitedAt: Timestamp(microseconds: 1))]))
    try fixture.sync(0, 1)
    try Database(path: fixture.stores[1].path, mode: .readWrite).execute(
      "UPDATE digest SET sum = zeroblob(16) WHERE type IN (1, 6)")
    fixture.now += 100_000
    #expect(try fixture.sync(0, 1) == [.inStep, .inStep])
    #expect(try fixture.differences() == [])
  }

  @Test func `one that may not ask for all today still answers one that may`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a", "b")))
    try fixture.sync(0, 1)
    for index in 0...1 {
      try Database(path: fixture.stores[0].path, mode: .readWrite).execute(
        "UPDATE digest SET sum = zeroblob(16) WHERE type = 1")
      // It has asked a moment ago; the other one has not.
      let database = try Database(path: fixture.stores[index].path, mode: .readWrite)
      try database.execute("UPDATE peer SET repaired = \(fixture.time.microseconds)")
      try Database(path: fixture.stores[1 - index].path, mode: .readWrite).execute("UPDATE peer SET repaired = NULL")
      // One that is in step ends the round for both; that neither ever is would be a hang.
      #expect(try fixture.sync(0, 1).contains(.inStep))
    }
  }
}
