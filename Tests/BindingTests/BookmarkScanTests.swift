import BrowsingData
import Store
import TestSupport
import Testing

@testable import Binding

/// What becomes of a change in an attached profile, without a browser.
@Suite struct BookmarkScanTests {
  /// A profile's tree: foreign id, folder (foreign id or "other"), title; folders have no address.
  private typealias Line = (id: String, folder: String, title: String, url: String?)

  private let directory = TemporaryDirectory()
  private let store: RecordStore
  private var bonds: [Bond] = []

  init() throws { store = try RecordStore.open(home: Home.open(directory.file("home"))) }

  private func id(_ foreignID: String) -> RecordID {
    foreignID.utf8.reduce(RecordID(high: 9, low: 1)) { RecordID(high: 9, low: $0.low &* 131 &+ UInt64($1)) }
  }

  private func held(_ lines: [Line]) throws -> HeldTree {
    try HeldTree(
      lines.map { line in
        var bookmark = Bookmark(
          id: id(line.id), kind: line.url == nil ? .folder : .bookmark,
          parent: line.folder == "other" ? .other : id(line.folder), position: 0, title: line.title)
        bookmark.url = line.url
        return Held(line.id, bookmark)
      })
  }

  @discardableResult
  private mutating func scan(_ lines: [Line], force: Bool = false) throws -> ApplyReport {
    let (tree, known) = (try held(lines), bonds)
    var found: [Bond] = []
    let report = try store.edit(.capture, label: "test") { edits in
      var scan = try BookmarkScan(tree, bonds: known, in: edits) { _, _ in "" }
      found = try scan.run(force: force)
    }
    bonds = found
    return report
  }

  private func titles() throws -> [String] {
    var titles: [String] = []
    try store.shownBookmarks().walk { titles.append($0.title) }
    return titles
  }

  private static let start: [Line] = [
    ("f", "other", "Folder", nil), ("a", "f", "A", "https://a.test/"), ("b", "f", "B", "https://b.test/"),
    ("c", "other", "C", "https://c.test/"), ("d", "other", "D", "https://d.test/"),
  ]

  private func changed(_ change: (inout [Line]) -> Void) -> [Line] {
    var lines = Self.start
    change(&lines)
    return lines
  }

  @Test mutating func `what is new comes in at its place, and a second look changes nothing`() throws {
    try scan(Self.start)
    #expect(try titles() == ["Folder", "A", "B", "C", "D"])
    let again = try scan(Self.start)
    #expect(again.types.values.allSatisfy { $0.added + $0.changed + $0.removed == 0 })
    try scan(changed { $0.insert(("n", "f", "N", "https://n.test/"), at: 2) })
    #expect(try titles() == ["Folder", "A", "N", "B", "C", "D"])
  }

  @Test mutating func `many new ones in a row, folders and equal ones among them, come in in their order`() throws {
    try scan(Self.start)
    let lines = changed { lines in
      var new: [Line] = (0..<300).map { ("n\($0)", "other", "N\($0)", "https://n.test/\($0)") }
      new.insert(("g", "other", "Folder 2", nil), at: 100)
      for id in ["h", "i"] { new.insert((id, "g", "H", "https://h.test/"), at: 101) }
      new.insert(("e", "other", "N7", "https://n.test/7"), at: 200)
      lines.insert(contentsOf: new[..<150], at: 3)
      lines.insert(contentsOf: new[150...], at: lines.count - 1)
      lines.insert(("x", "f", "X", "https://x.test/"), at: 1)
    }
    #expect(try scan(lines)[.bookmarks].added == 305)
    #expect(try titles() == lines.map { $0.title })
    #expect(bonds.map(\.foreignID) == lines.map { $0.id })
    let again = try scan(lines)
    #expect(again.types.values.allSatisfy { $0.added + $0.changed + $0.removed == 0 })
  }

  @Test mutating func `a title and a place that were changed in the profile are taken, and nothing else`() throws {
    try scan(Self.start)
    let report = try scan(changed { $0[1].title = "A2" })
    #expect(report[.bookmarks].changed == 1)
    #expect(try titles() == ["Folder", "A2", "B", "C", "D"])
    let moved = try scan([
      ("f", "other", "Folder", nil), ("a", "f", "A2", "https://a.test/"), ("b", "f", "B", "https://b.test/"),
      ("d", "other", "D", "https://d.test/"), ("c", "other", "C", "https://c.test/"),
    ])
    #expect(moved[.bookmarks].changed == 1)
    #expect(try titles() == ["Folder", "A2", "B", "D", "C"])
  }

  @Test(arguments: 0..<12) mutating func `whatever was done to a profile at random, the store then shows it so`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var profile = RandomProfile(&random)
    try scan(profile.lines)
    #expect(try shape() == profile.shape)
    for _ in 0..<4 {
      profile.change(&random)
      try scan(profile.lines)
      #expect(try shape() == profile.shape)
      let mark = try store.changeMark()
      try scan(profile.lines)
      #expect(try store.changeMark() == mark)
    }
  }

  @Test mutating func `what is put in front moves nothing behind it`() throws {
    try scan(Self.start)
    let report = try scan(
      changed { lines in
        lines.insert(contentsOf: (0..<50).map { ("n\($0)", "other", "N\($0)", "https://n.test/\($0)") }, at: 0)
      })
    #expect(report[.bookmarks].added == 50 && report[.bookmarks].changed == 0)
  }

  /// The store's items with their depths.
  private func shape() throws -> [String] {
    var depths: [RecordID: Int] = [:]
    var shape: [String] = []
    try store.shownBookmarks().walk { one in
      let depth = one.parent.isRoot ? 0 : (depths[one.parent] ?? -9) + 1
      depths[one.id] = depth
      shape.append("\(depth) \(one.title) \(one.url ?? "")")
    }
    return shape
  }

  @Test mutating func `a change elsewhere stays when the profile changed another field`() throws {
    try scan(Self.start)
    let record = try #require(bonds.first { $0.foreignID == "a" }?.id)
    try store.edit(.edit, label: "elsewhere") { try $0.update(bookmark: record) { $0.url = "https://new.test/" } }
    try scan(changed { $0[1].title = "A2" })
    let now = try #require(try store.shownBookmarks().bookmark(record))
    #expect(now.title == "A2")
    #expect(now.url == "https://new.test/")
  }

  @Test mutating func `what is gone is deleted, unless it was changed elsewhere`() throws {
    try scan(Self.start)
    let record = try #require(bonds.first { $0.foreignID == "c" }?.id)
    try store.edit(.edit, label: "elsewhere") { try $0.update(bookmark: record) { $0.title = "C2" } }
    try scan(changed { $0.removeLast(2) })
    #expect(try titles() == ["Folder", "A", "B", "C2"])
  }

  @Test mutating func `a folder that is gone keeps what the profile never had`() throws {
    try scan(Self.start)
    let folder = try #require(bonds.first { $0.foreignID == "f" }?.id)
    try store.edit(.edit, label: "elsewhere") { edits in
      var bookmark = Bookmark(id: id("x"), kind: .bookmark, parent: folder, position: 0, title: "X")
      bookmark.url = "https://x.test/"
      try edits.add([bookmark], into: folder)
    }
    try scan(Array(Self.start.suffix(2)))
    #expect(try titles() == ["Folder", "X", "C", "D"])
  }

  @Test mutating func `what was deleted elsewhere and changed here comes back`() throws {
    try scan(Self.start)
    let record = try #require(bonds.first { $0.foreignID == "c" }?.id)
    try store.edit(.edit, label: "elsewhere") { try $0.delete(bookmark: record) }
    try scan(changed { $0[3].title = "C2" })
    #expect(try Set(titles()) == ["Folder", "A", "B", "C2", "D"])
  }

  @Test mutating func `a wiped profile stops, and force lets it go on`() throws {
    try scan(Self.start)
    #expect(throws: BindingError.tooManyMissing(missing: 5, of: 5)) { try scan([]) }
    #expect(try titles().count == 5)
    try scan([], force: true)
    #expect(try titles().isEmpty)
  }

  @Test func `few may go, and no more than a quarter of many`() throws {
    try MassDeletionGuard.check(missing: 20, of: 30, left: 10)
    try MassDeletionGuard.check(missing: 250, of: 1_000, left: 750)
    #expect(throws: BindingError.self) { try MassDeletionGuard.check(missing: 251, of: 1_000, left: 749) }
    #expect(throws: BindingError.self) { try MassDeletionGuard.check(missing: 3, of: 3, left: 0) }
  }
}
