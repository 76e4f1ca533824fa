import Browsers
import BrowsingData
import SQLite
import TestSupport
import Testing

@Suite struct PlacesBookmarksTests {
  private func read(_ places: PlacesDatabase) throws -> CollectedRecords {
    let profile = try FirefoxProfile(path: places.path)
    #expect(try RecordSourceContract.violations(of: profile) == [])
    return try CollectedRecords(profile, .bookmarks)
  }

  @Test func `order is the position's, whatever the rows' and with gaps`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    for (id, position) in [(Int64(10), Int64(9)), (11, 2), (12, 2), (13, -1)] {
      try places.bookmark(id, parent: 2, position: position, page: 1, guid: "g\(id)")
    }
    let bookmarks = try read(places).bookmarks
    #expect(bookmarks.map(\.title) == ["item 13", "item 11", "item 12", "item 10"])
    #expect(bookmarks.map(\.position) == [0, 1, 2, 3])
  }

  @Test func `an item keeps its id by its GUID, wherever it lies`() throws {
    let (left, right) = (try PlacesDatabase(), try PlacesDatabase())
    try left.bookmark(10, parent: 2, position: 0, type: 2, guid: "abcdefghijkl")
    try right.bookmark(77, parent: 6, position: 0, type: 2, guid: "abcdefghijkl")
    #expect(try read(left).bookmarks.map(\.id) == read(right).bookmarks.map(\.id))
  }

  @Test func `items without a GUID get different ids, the same at each reading`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    for id in Int64(10)...12 { try places.bookmark(id, parent: 3, position: id, page: 1, guid: nil) }
    let records = try read(places)
    #expect(Set(records.bookmarks.map(\.id)).count == 3)
    #expect(records.bookmarks.allSatisfy { $0.guid == nil })
  }

  @Test func `what hangs below no folder comes under other bookmarks`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    try places.bookmark(10, parent: 500, position: 0, page: 1, guid: "lost")
    try places.bookmark(11, parent: 1, position: 7, type: 2, guid: "extra")
    try places.bookmark(12, parent: 11, position: 0, page: 1, guid: "inside")
    try places.bookmark(13, parent: 10, position: 0, page: 1, guid: "below a bookmark")
    let records = try read(places)
    let place = Dictionary(uniqueKeysWithValues: records.bookmarks.map { ($0.guid ?? "", $0.parent) })
    #expect(place["lost"] == .other && place["extra"] == .other && place["below a bookmark"] == .other)
    #expect(place["inside"] == records.bookmarks.first { $0.guid == "extra" }?.id)
    #expect(records.remarks.count { $0.kind == .warning } == 3)
  }

  @Test func `folders in a ring are counted, not followed`() throws {
    let places = try PlacesDatabase()
    try places.bookmark(10, parent: 11, position: 0, type: 2, guid: "one")
    try places.bookmark(11, parent: 10, position: 0, type: 2, guid: "two")
    let records = try read(places)
    #expect(records.bookmarks.isEmpty)
    #expect(records.remarks.map(\.reason) == ["2 items lie in folders that lead to no root"])
  }

  @Test func `a bookmark without its page and an unknown kind are remarks`() throws {
    let places = try PlacesDatabase()
    try places.bookmark(10, parent: 2, position: 0, page: 99, guid: "no page")
    try places.bookmark(11, parent: 2, position: 1, type: 4, guid: "odd")
    try places.bookmark(12, parent: 2, position: 2, type: 3, guid: "line")
    let records = try read(places)
    #expect(records.bookmarks.map(\.kind) == [.separator])
    #expect(records.bookmarks.map(\.position) == [0])
    #expect(records.remarks.map(\.place) == [.id("no page"), .id("odd")])
  }

  @Test func `six hundred nested folders are read`() throws {
    let places = try PlacesDatabase()
    try places.database.transaction {
      for id in Int64(10)..<610 {
        try places.bookmark(id, parent: id == 10 ? 3 : id - 1, position: 0, type: 2, guid: "f\(id)")
      }
    }
    #expect(try read(places).bookmarks.count == 600)
  }

  @Test func `old annotations give the character set and the description`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    try places.bookmark(10, parent: 2, position: 0, page: 1, guid: "a")
    try places.database.execute(
      """
      INSERT INTO moz_anno_attributes VALUES (1, 'URIProperties/characterSet'), (2, 'bookmarkProperties/description');
      INSERT INTO moz_annos(place_id, anno_attribute_id, content) VALUES (1, 1, 'windows-1252');
      INSERT INTO moz_items_annos(item_id, anno_attribute_id, content) VALUES (10, 2, 'long words');
      """)
    let bookmark = try #require(try read(places).bookmarks.first)
    #expect(bookmark.charset == "windows-1252")
    #expect(bookmark.description == "long words")
  }
}
