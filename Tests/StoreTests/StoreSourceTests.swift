import BrowsingData
import Store
import Testing

@Suite struct StoreSourceTests {
  let fixture: HistoryFixture
  let store: RecordStore

  init() throws {
    fixture = try HistoryFixture()
    store = try fixture.store()
  }

  @Test func `of one entry it gives what that entry brought, with the folders above`() throws {
    let folder = RecordID(high: 9, low: 1)
    func bookmark(_ low: UInt64, _ parent: RecordID, position: Int) -> Bookmark {
      Bookmark(
        id: RecordID(high: 9, low: low), kind: .bookmark, parent: parent, position: position, title: "b\(low)",
        url: "https://b.test/\(low)")
    }
    var options = ImportOptions(kind: .file, label: "one")
    var run = try store.beginImport(options)
    try run.apply(
      .bookmarks([
        Bookmark(id: folder, kind: .folder, parent: .toolbar, position: 0, title: "F"),
        bookmark(2, folder, position: 0),
      ]))
    try run.apply(.history([visit("https://a.test/", 1)]))
    let first = run.entry
    _ = try run.finish()
    options.label = "two"
    run = try store.beginImport(options)
    try run.apply(
      .bookmarks([
        Bookmark(id: folder, kind: .folder, parent: .toolbar, position: 0, title: "F"),
        bookmark(2, folder, position: 0), bookmark(3, folder, position: 1),
      ]))
    try run.apply(.history([visit("https://a.test/", 1), visit("https://b.test/", 2)]))
    let second = run.entry
    _ = try run.finish()

    func titles(_ entry: Int64) throws -> [String] {
      var titles: [String] = []
      try store.source(entry: entry).read(.all) { batch in
        switch batch {
        case .bookmarks(let bookmarks): titles += bookmarks.map(\.title)
        case .history(let visits): titles += visits.map(\.url)
        default: break
        }
      }
      return titles
    }
    #expect(try titles(first) == ["F", "b2", "https://a.test/"])
    #expect(try titles(second) == ["F", "b3", "https://b.test/"])
    #expect(try store.source(entry: second).counts()[.history] == 1)
    #expect(try store.source(entry: 77).counts().byType.values.allSatisfy { $0 == 0 })
  }
}
