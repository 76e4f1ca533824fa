import BrowsingData
import Store
import Testing

@Suite struct BookmarkImportTests {
  @Test func `what was imported is listed in the source's order, with positions from 0`() throws {
    let fixture = try RecordFixture()
    let report = try fixture.take(.bookmarks(TreeBuilder.tree("F/1", "F/-", "F/2", "a", "-", "b")))
    #expect(report[.bookmarks].added == 7)
    #expect(report[.bookmarks].found == 7)
    #expect(try fixture.tree() == ["other F/", "  1", "  ----", "  2", "other a", "other ----", "other b"])
    let positions = try fixture.all(.bookmarks).map { record -> Int in
      guard case .bookmark(let one) = record else { return -1 }
      return one.position
    }
    #expect(positions == [0, 0, 1, 2, 1, 2, 3])
  }

  @Test func `a newer version of a file adds what is new, in its place, and changes nothing else`() throws {
    let fixture = try RecordFixture()
    try fixture.take(.bookmarks(TreeBuilder.tree("F/1", "a", "c")))
    let report = try fixture.take(.bookmarks(TreeBuilder.tree("first", "F/1", "F/2", "a", "b", "-", "c", "d")))
    #expect(report[.bookmarks].added == 5)
    #expect(report[.bookmarks].changed == 0)
    #expect(report[.bookmarks].unchanged == 4)
    #expect(
      try fixture.tree() == [
        "other first", "other F/", "  1", "  2", "other a", "other b", "other ----", "other c", "other d",
      ])
  }

  @Test func `bookmarks of another source meet by content below matching parents, one for one`() throws {
    let fixture = try RecordFixture()
    try fixture.take(.bookmarks(TreeBuilder.tree("F/1", "F/1", "a", "-", "b")))
    let before = try fixture.all(.bookmarks).map(\.id)
    var other = TreeBuilder.tree("F/1", "F/1", "F/1", "a", "-", "b", "-")
    renumber(&other)
    let report = try fixture.take(.bookmarks(other))
    #expect(report[.bookmarks].added == 2)
    #expect(report[.bookmarks].unchanged == 6)
    #expect(
      try fixture.tree() == ["other F/", "  1", "  1", "  1", "other a", "other ----", "other b", "other ----"])
    #expect(Set(before).isSubset(of: Set(try fixture.all(.bookmarks).map(\.id))))
  }

  @Test func `a separator of another source meets the one between the same neighbours`() throws {
    let fixture = try RecordFixture()
    try fixture.take(.bookmarks(TreeBuilder.tree("a", "b", "-", "c")))
    var other = TreeBuilder.tree("a", "-", "b", "-", "c")
    renumber(&other)
    let report = try fixture.take(.bookmarks(other))
    #expect(report[.bookmarks].added == 1)
    #expect(try fixture.tree() == ["other a", "other ----", "other b", "other ----", "other c"])
  }

  @Test func `folders of one name stay two`() throws {
    let fixture = try RecordFixture()
    var builder = TreeBuilder()
    for name in ["1", "2"] {
      let folder = builder.add(.folder, "Same", .menu)
      builder.add(.bookmark, name, folder, url: "http://\(name).test/")
      builder.add(.folder, "Empty", folder)
    }
    try fixture.take(.bookmarks(builder.bookmarks))
    let tree = ["menu Same/", "  1", "  Empty/", "menu Same/", "  2", "  Empty/"]
    #expect(try fixture.tree() == tree)
    renumber(&builder.bookmarks)
    let report = try fixture.take(.bookmarks(builder.bookmarks))
    #expect(report[.bookmarks].unchanged == 6)
    #expect(try fixture.tree() == tree)
  }

  @Test func `importing a random tree twice changes nothing, with its ids or with others`() throws {
    for seed in 1...12 as ClosedRange<UInt64> {
      let fixture = try RecordFixture()
      var bookmarks = TreeBuilder.random(seed: seed, count: 120)
      try fixture.take(.bookmarks(bookmarks))
      let before = try fixture.everything()
      #expect(before[.bookmarks]?.count == 120)
      let again = try fixture.take(.bookmarks(Array(bookmarks.prefix(50))), .bookmarks(Array(bookmarks.dropFirst(50))))
      #expect(again[.bookmarks].unchanged == 120)
      renumber(&bookmarks)
      // Dates known to one source only are no difference; those of equal siblings may meet crosswise and only fill.
      for index in bookmarks.indices { bookmarks[index].dateAdded = nil }
      let other = try fixture.take(.bookmarks(bookmarks))
      #expect(other[.bookmarks].unchanged == 120)
      #expect(try fixture.everything() == before)
    }
  }

  @Test func `by id a record is changed, moved and put where the source has it`() throws {
    let fixture = try RecordFixture()
    var bookmarks = TreeBuilder.tree("F/1", "G/", "a", "b", "c")
    try fixture.take(.bookmarks(bookmarks))
    let folder = bookmarks.first { $0.title == "G" }!.id
    for index in bookmarks.indices {
      if bookmarks[index].title == "1" { bookmarks[index].parent = folder }
      if bookmarks[index].title == "a" { bookmarks[index].title = "A" }
      if bookmarks[index].title == "c" { bookmarks[index].position = -1 }
    }
    let report = try fixture.take(.bookmarks(bookmarks))
    #expect(report[.bookmarks].changed == 3)
    #expect(report[.bookmarks].unchanged == 3)
    #expect(try fixture.tree() == ["other c", "other F/", "other G/", "  1", "other A", "other b"])
    #expect(try fixture.take(.bookmarks(bookmarks))[.bookmarks].unchanged == 6)
  }

  @Test func `absent fields erase nothing and an older record only fills gaps`() throws {
    let fixture = try RecordFixture()
    var bookmark = TreeBuilder.tree("a")[0]
    bookmark.tags = ["x"]
    bookmark.keyword = "k"
    bookmark.dateModified = Timestamp(microseconds: 2_000)
    try fixture.take(.bookmarks([bookmark]))
    var older = bookmark
    older.tags = []
    older.keyword = nil
    older.title = "older"
    older.description = "text"
    older.dateModified = Timestamp(microseconds: 1_000)
    #expect(try fixture.take(.bookmarks([older]))[.bookmarks].changed == 1)
    bookmark.description = "text"
    #expect(try fixture.all(.bookmarks) == [.bookmark(bookmark)])
  }

  @Test func `children may come before their parents, and those without one go to other`() throws {
    let fixture = try RecordFixture()
    var bookmarks = TreeBuilder.tree("F/G/1", "F/G/2", "F/3", "a")
    bookmarks.append(
      Bookmark(
        id: RecordID(high: 5, low: 5), kind: .bookmark, parent: RecordID(high: 5, low: 6), position: 0, title: "lost",
        url: "http://lost.test/"))
    try fixture.take(.bookmarks(bookmarks.reversed()))
    #expect(Set(try fixture.tree()) == ["other F/", "  G/", "    1", "    2", "  3", "other a", "other lost"])
    #expect(
      try fixture.tree().filter { $0 != "other lost" } == ["other F/", "  G/", "    1", "    2", "  3", "other a"])
  }

  @Test func `folders in one another in a circle are kept`() throws {
    let fixture = try RecordFixture()
    let ids = (1...3).map { RecordID(high: 9, low: UInt64($0)) }
    let circle = (0..<3).map { index in
      Bookmark(id: ids[index], kind: .folder, parent: ids[(index + 1) % 3], position: 0, title: "c\(index)")
    }
    let own = Bookmark(
      id: RecordID(high: 9, low: 9), kind: .folder, parent: RecordID(high: 9, low: 9), position: 0, title: "own")
    try fixture.take(.bookmarks(circle + [own]))
    #expect(try fixture.all(.bookmarks).count == 4)
  }

  @Test func `an id that comes twice in a file is two bookmarks, every time`() throws {
    let fixture = try RecordFixture()
    var bookmarks = TreeBuilder.tree("a", "b")
    bookmarks[1].id = bookmarks[0].id
    try fixture.take(.bookmarks(bookmarks))
    #expect(try fixture.tree() == ["other a", "other b"])
    #expect(try fixture.take(.bookmarks(bookmarks))[.bookmarks].unchanged == 2)
  }

  @Test func `into a folder everything is below it, and a second time nothing is new`() throws {
    let fixture = try RecordFixture()
    try fixture.take(.bookmarks(TreeBuilder.tree("F/1", "a")))
    let bookmarks = TreeBuilder.tree("t", root: .toolbar) + TreeBuilder.tree("F/1", "a")
    let report = try fixture.take(.bookmarks(bookmarks)) { $0.intoFolder = "New" }
    #expect(report[.bookmarks].added == 4)
    let tree = ["other F/", "  1", "other a", "other New/", "  t", "  F/", "    1", "  a"]
    #expect(try fixture.tree() == tree)
    let again = try fixture.take(.bookmarks(bookmarks)) { $0.intoFolder = "New" }
    #expect(again[.bookmarks].unchanged == 4)
    #expect(try fixture.tree() == tree)
    _ = try fixture.store.undo()
    _ = try fixture.store.undo()
    #expect(try fixture.tree() == ["other F/", "  1", "other a"])
  }

  @Test func `a dry run counts and leaves no trace`() throws {
    let fixture = try RecordFixture()
    let report = try fixture.take(.bookmarks(TreeBuilder.tree("F/1", "a"))) { $0.dryRun = true }
    #expect(report[.bookmarks].added == 3)
    #expect(try fixture.everything()[.bookmarks]?.isEmpty == true)
    #expect(try fixture.store.journal().isEmpty)
    #expect(try fixture.take(.bookmarks(TreeBuilder.tree("F/1", "a")))[.bookmarks].added == 3)
  }

  @Test func `too many changes of what was there stop the import, and force passes`() throws {
    let fixture = try RecordFixture()
    var bookmarks = TreeBuilder.random(seed: 3, count: 60)
    try fixture.take(.bookmarks(bookmarks))
    let before = try fixture.everything()
    for index in bookmarks.indices where bookmarks[index].kind != .separator { bookmarks[index].title += "!" }
    #expect(throws: StoreError.safetyStop(.bookmarks, affected: 21, existing: 60)) {
      try fixture.take(.bookmarks(bookmarks))
    }
    #expect(try fixture.everything() == before)
    #expect(try fixture.take(.bookmarks(bookmarks)) { $0.force = true }[.bookmarks].changed > 40)
  }

  @Test func `what is too large is skipped with its reason, and a date that cannot be is left out`() throws {
    let fixture = try RecordFixture()
    var bookmarks = TreeBuilder.tree("a", "b", "c")
    bookmarks[0].description = String(repeating: "x", count: 131_073)
    bookmarks[1].dateAdded = Timestamp(microseconds: -1)
    bookmarks[2].icon = String(repeating: "i", count: 131_073)
    let report = try fixture.take(.bookmarks(bookmarks))
    #expect(report[.bookmarks].skipped == 1)
    #expect(report[.bookmarks].added == 2)
    #expect(report[.bookmarks].found == 3)
    #expect(report.remarks.filter { $0.kind == .skipped }.count == 1)
    #expect(report.remarks.filter { $0.kind == .warning }.count == 2)
    #expect(try fixture.tree() == ["other b", "other c"])
  }

  @Test func `two sources of one import meet each other`() throws {
    let fixture = try RecordFixture()
    let run = try fixture.store.beginImport(ImportOptions(kind: .file, label: "two"))
    var bookmarks = TreeBuilder.tree("F/1", "a")
    try run.apply(.bookmarks(bookmarks))
    try run.beginSource()
    try run.apply(.bookmarks(bookmarks))
    try run.beginSource()
    renumber(&bookmarks)
    try run.apply(.bookmarks(bookmarks))
    let report = try run.finish()
    #expect(report[.bookmarks].added == 3)
    #expect(report[.bookmarks].unchanged == 6)
  }
}

/// Other ids for the same tree: as from a source with ids of its own.
func renumber(_ bookmarks: inout [Bookmark], by offset: UInt64 = 0x77) {
  for index in bookmarks.indices {
    let old = bookmarks[index]
    bookmarks[index].id = RecordID(high: old.id.high ^ offset, low: old.id.low)
    if !old.parent.isRoot { bookmarks[index].parent = RecordID(high: old.parent.high ^ offset, low: old.parent.low) }
  }
}
