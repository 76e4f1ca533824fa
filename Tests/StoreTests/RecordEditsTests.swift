import BrowsingData
import Store
import TestSupport
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
      { try $0.update(.readingList, nobody) { _ in } }, { try $0.delete(bookmarks: [inner, nobody]) },
      { _ = try $0.add(rows: [BookmarkRow(in: nobody, behind: nil, [bookmark("x", 1)])]) },
      { _ = try $0.add(rows: [BookmarkRow(in: .menu, behind: nobody, [bookmark("x", 1)])]) },
      { try $0.move(rows: [BookmarkRow(in: inner, behind: nil, [outer])]) },
      { try $0.move(rows: [BookmarkRow(in: .menu, behind: nil, [nobody])]) },
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

  @Test func `many edits in one leave in memory what is in the store`() throws {
    var random = SeededGenerator(seed: 5)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("F/1", "F/2", "G/1", "G/a", "a", "b", "c")))
    for round in 0..<30 as Range<UInt64> {
      try fixture.edit(0) { edits in
        for step in 0..<12 as Range<UInt64> {
          try change(edits, &random, UInt64(100) + round * 50 + step * 4)
        }
        var shown: [String] = []
        try edits.bookmarks().walk { shown.append("\($0.id) \($0.parent) \($0.position) \($0.title)") }
        var stored: [String] = []
        try fixture.stores[0].shownBookmarks().walk {
          stored.append("\($0.id) \($0.parent) \($0.position) \($0.title)")
        }
        #expect(shown == stored)
      }
    }
  }

  private func change(_ edits: RecordEdits, _ random: inout SeededGenerator, _ number: UInt64) throws {
    let shown = try edits.bookmarks()
    var items: [Bookmark] = []
    try shown.walk { items.append($0) }
    let folders = [.other, .menu] + items.filter { $0.kind == .folder }.map(\.id)
    guard let folder = folders.randomElement(using: &random), let item = items.randomElement(using: &random) else {
      return
    }
    let behind = shown.children(of: folder)?.filter { $0 != item.id }.randomElement(using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      // Equal ones, and what goes into a folder that is new itself.
      let new = Bookmark(id: RecordID(high: 2, low: number), kind: .folder, parent: .other, position: 0, title: "New")
      let ids = try edits.add(rows: [
        BookmarkRow(in: folder, behind: behind, [new, bookmark("a", number)]),
        BookmarkRow(in: folder, behind: nil, [bookmark("a", number + 1)]),
      ])
      #expect(ids.map(\.count) == [2, 1])
      _ = try edits.add(rows: [BookmarkRow(in: ids[0][0], behind: nil, [bookmark("b", number + 2)])])
      try edits.add([bookmark("b", number + 3)], into: ids[0][0])
    case 1: try edits.update(bookmark: item.id) { $0.title = ["a", "b", "c"].randomElement(using: &random) ?? "" }
    case 2:
      do { try edits.move(rows: [BookmarkRow(in: folder, behind: behind, [item.id])]) } catch StoreError.noSuchRecord {}
    case 3: do { try edits.move(bookmark: item.id, into: folder, at: 0) } catch StoreError.noSuchRecord {}
    default: if items.count > 20, item.kind == .bookmark { try edits.delete(bookmarks: [item.id]) }
    }
  }

  @Test func `rows go where they are said to, between equal keys and keys without room, too`() throws {
    try fixture.edit(0) { edits in
      try edits.add((0..<10).map { bookmark("n\($0)", 10 + UInt64($0)) }, into: .menu)
      for number in 0..<80 as Range<UInt64> {
        _ = try edits.add(rows: [
          BookmarkRow(in: .menu, behind: RecordID(high: 1, low: 12), [bookmark("x\(number)", 100 + number)])
        ])
      }
      try edits.move(rows: [
        BookmarkRow(in: .menu, behind: RecordID(high: 1, low: 12), [14, 13].map { RecordID(high: 1, low: $0) }),
        BookmarkRow(in: .menu, behind: nil, [RecordID(high: 1, low: 19)]),
        BookmarkRow(in: .other, behind: nil, [10, 18].map { RecordID(high: 1, low: $0) }),
      ])
    }
    #expect(
      try fixture.tree(0)
        == ["menu n9", "menu n1", "menu n2", "menu n4", "menu n3"] + (0..<80).reversed().map { "menu x\($0)" }
        + ["menu n5", "menu n6", "menu n7", "other n0", "other n8"])
    let menu = RecordID(high: 1, low: 12)
    let report = try fixture.edit(0) { try $0.delete(bookmarks: [menu, RecordID(high: 1, low: 17)]) }
    #expect(report[.bookmarks].removed == 2)
  }

  private func bookmark(_ title: String, _ number: UInt64) -> Bookmark {
    Bookmark(
      id: RecordID(high: 1, low: number), kind: .bookmark, parent: .other, position: 0, title: title,
      url: "http://\(title).test/")
  }
}
