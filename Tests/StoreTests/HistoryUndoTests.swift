import BrowsingData
import Store
import Testing

@Suite struct HistoryUndoTests {
  let fixture: HistoryFixture
  let store: RecordStore

  init() throws {
    fixture = try HistoryFixture()
    store = try fixture.store()
  }

  @Test(arguments: [UInt64](0..<20)) func `an import is taken back as a whole`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    try fixture.add(generator.visits(100), to: store)
    let before = try fixture.visits(of: store)
    let (pages, visits) = (try store.ending(.history)[.pages], try store.ending(.history)[.visits])
    try fixture.add(generator.visits(100), to: store)
    #expect(try fixture.visits(of: store) != before)
    let report = try store.undo()
    #expect(report[.history].removed > 0 && report[.history].skipped == 0)
    #expect(try fixture.visits(of: store) == before)
    #expect(try store.ending(.history)[.pages]?.digest == pages?.digest)
    #expect(try store.ending(.history)[.visits]?.digest == visits?.digest)
    #expect(try store.ending(.history)[.visits]?.count == visits?.count)
    _ = try store.undo()
    #expect(try fixture.visits(of: store).isEmpty)
    #expect(try store.ending(.history)[.pages]?.count == 0)
    #expect(throws: StoreError.noSuchEntry) { try store.undo() }
  }

  @Test func `what a later import changed stays and is said`() throws {
    try fixture.add([visit("https://a.test/", 1), visit("https://b.test/", 2)], to: store)
    try fixture.add([visit("https://a.test/", 1, count: 9)], to: store)
    let report = try store.undo(entry: 1)
    #expect(report[.history].skipped == 1 && report[.history].removed == 1)
    #expect(try fixture.visits(of: store) == [visit("https://a.test/", 1, count: 9)])
    #expect(try store.journal().map(\.kind) == [.undo, .file, .file])
  }

  @Test func `changes of three imports are taken back one by one`() throws {
    for count in [1, 2, 3] { try fixture.add([visit("https://a.test/", 1, count: count)], to: store) }
    for count in [2, 1] {
      _ = try store.undo()
      #expect(try fixture.visits(of: store).map(\.visitCount) == [count])
    }
    _ = try store.undo()
    #expect(try fixture.visits(of: store).isEmpty)
  }

  @Test func `a transfer is taken back, and another one brings its pages anew`() throws {
    let exporter = try fixture.store()
    try fixture.add([visit("https://a.test/", 1), visit("https://b.test/", 2)], to: exporter)
    let run = try fixture.transfer(into: store)
    try run.receive(from: exporter.incarnation)
    _ = try run.apply(try #require(try exporter.changes(.pages, after: 0)))
    _ = try store.undo()
    let visits = try #require(try exporter.changes(.visits, after: 0))
    #expect(throws: StoreError.wrongCursor(.pages)) { try run.apply(visits) }
    try fixture.send(exporter, run)
    #expect(try run.receivedEnds()[.pages]?.digest == exporter.ending(.history)[.pages]?.digest)
    #expect(try Set(fixture.visits(of: store)) == Set(fixture.visits(of: exporter)))
  }
}
