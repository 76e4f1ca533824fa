import BrowsingData
import Store
import Testing

/// Edits of what is shown.
@Suite struct RecordEditsTests {
  private let fixture: SyncFixture
  init() throws { fixture = try SyncFixture(1) }

  @Test func `bookmarks are added, changed, moved and deleted where they are said to be`() throws {
    try fixture.take(0, .bookmarks(TreeBuilder.tree("F/1", "F/2", "a")))
    try fixture.edit(0) { edits in
      try edits.add([bookmark("x", 1), bookmark("y", 2)], into: fixture.id("F", 0), at: 1)
      try edits.update(bookmark: fixture.id("a", 0)) { $0.title = "b" }
    }
    #expect(try fixture.tree(0) == ["other F/", "  1", "  x", "  y", "  2", "other b"])
    try fixture.edit(0) { edits in
      try edits.move(bookmark: fixture.id("y", 0), into: .other, at: 0)
      try edits.move(bookmark: fixture.id("2", 0), into: fixture.id("F", 0), at: 0)
    }
    #expect(try fixture.tree(0) == ["other y", "other F/", "  2", "  1", "  x", "other b"])
    let report = try fixture.edit(0) { try $0.delete(bookmark: fixture.id("F", 0)) }
    #expect(report[.bookmarks].removed == 4)
    #expect(try fixture.tree(0) == ["other y", "other b"])
    _ = try fixture.stores[0].undo()
    #expect(try fixture.tree(0) == ["other y", "other F/", "  2", "  1", "  x", "other b"])
  }

  @Test func `equal ones get numbers of their own and stay two`() throws {
    try fixture.edit(0) { try $0.add([bookmark("a", 1), bookmark("a", 2)], into: .menu) }
    try fixture.edit(0) { try $0.add([bookmark("a", 3), bookmark("b", 4)], into: .menu, at: 0) }
    #expect(try fixture.tree(0) == ["menu a", "menu b", "menu a", "menu a"])
    try fixture.edit(0) {
      try $0.update(bookmark: RecordID(high: 1, low: 4)) { bookmark in
        bookmark.title = "a"
        bookmark.url = "http://a.test/"
      }
    }
    #expect(try fixture.tree(0).count == 4)
  }

  @Test func `what cannot be done is an error and leaves nothing`() throws {
    try fixture.take(0, .bookmarks(TreeBuilder.tree("F/G/1")))
    let before = try fixture.tree(0)
    let nobody = RecordID(high: 8, low: 8)
    let (outer, inner) = (try fixture.id("F", 0), try fixture.id("G", 0))
    let wishes: [(RecordEdits) throws -> Void] = [
      { try $0.move(bookmark: outer, into: inner) }, { try $0.move(bookmark: nobody, into: .menu) },
      { try $0.add([bookmark("x", 1)], into: nobody) }, { try $0.delete(bookmark: nobody) },
      { try $0.update(bookmark: nobody) { $0.title = "" } }, { try $0.delete(.passwords, outer) },
      { try $0.update(.readingList, nobody) { _ in } },
    ]
    for wish in wishes {
      #expect(throws: StoreError.noSuchRecord) {
        try fixture.edit(0) { edits in
          try edits.add([bookmark("z", 9)], into: .menu)
          try wish(edits)
        }
      }
    }
    #expect(try fixture.tree(0) == before)
    #expect(try fixture.stores[0].journal().count == 1)
  }

  @Test func `a change of nothing but times of use is none`() throws {
    try fixture.take(0, .logins(randomLogins(seed: 1, count: 1)))
    let id = try #require(try fixture.all(0, .passwords)[0].id)
    var mark = try fixture.stores[0].changeMark()
    try fixture.edit(0) { edits in
      try edits.update(.passwords, id) { record in
        guard case .login(var login) = record else { return }
        login.timesUsed = 77
        login.dateLastUsed = Timestamp(microseconds: 99)
        record = .login(login)
      }
    }
    #expect(try !fixture.stores[0].hasChanged(since: &mark))
    #expect(try fixture.stores[0].journal().count == 1)
  }

  @Test func `three hundred items put one after another at one place keep their order`() throws {
    try fixture.edit(0) { try $0.add([bookmark("first", 1), bookmark("last", 2)], into: .menu) }
    try fixture.edit(0) { edits in
      for number in 0..<300 { try edits.add([bookmark("n\(number)", 10 + UInt64(number))], into: .menu, at: 1) }
    }
    let titles = try fixture.tree(0)
    #expect(titles == ["menu first"] + (0..<300).reversed().map { "menu n\($0)" } + ["menu last"])
  }

  private func bookmark(_ title: String, _ number: UInt64) -> Bookmark {
    Bookmark(
      id: RecordID(high: 1, low: number), kind: .bookmark, parent: .other, position: 0, title: title,
      url: "http://\(title).test/")
  }
}
