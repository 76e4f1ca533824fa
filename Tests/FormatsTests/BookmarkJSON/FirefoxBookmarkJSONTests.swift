import BrowsingData
import Foundation
import TestSupport
import Testing

@testable import Formats

private func read(_ text: String) throws -> CollectedRecords {
  try CollectedRecords(FirefoxBookmarkJSONSource(MemoryInput(Array(text.utf8), chunk: 11)))
}

private func write(_ bookmarks: [Bookmark]) throws -> (String, [Loss]) {
  let output = MemoryOutput()
  var sink = FirefoxBookmarkJSONSink(output)
  try sink.write(.bookmarks(bookmarks))
  let losses = try sink.finish()
  #expect(output.isFinished)
  return (String(decoding: output.bytes, as: UTF8.self), losses)
}

/// A backup with these children in its menu.
private func backup(_ children: String, more: String = "") -> String {
  #"{"guid":"root________","typeCode":2,"root":"placesRoot","children":["#
    + #"{"guid":"menu________","root":"bookmarksMenuFolder","typeCode":2,"children":["# + children + "]}" + more + "]}"
}

@Suite struct FirefoxBookmarkJSONTests {
  @Test func `children come by their index at every level, with all their fields`() throws {
    let records = try read(
      backup(
        #"""
        {"index":2,"typeCode":3,"guid":"s"},
        {"index":1,"children":[{"index":1,"uri":"http://y.test/","typeCode":1,"title":"y"},
         {"index":0,"uri":"http://x.test/","type":"text/x-moz-place","title":"x"}],"typeCode":2,"title":"F","guid":"f",
         "annos":[{"name":"bookmarkProperties/description","flags":0,"value":"about F"},7]},
        {"index":0,"uri":"http://a.test/","typeCode":1,"title":"a","guid":"a","tags":" x,y z,,x","keyword":"k",
         "postData":"p=%s","charset":"UTF-8","iconUri":"http://i.test/","dateAdded":1500000000000001,"lastModified":0}
        """#,
        more: #",{"guid":"mobile______","children":[{"uri":"http://p.test/","title":"p"}],"typeCode":2}"#))
    #expect(
      records.lines == [
        "menu > a <http://a.test/>", "menu > F/", "menu > F > x <http://x.test/>", "menu > F > y <http://y.test/>",
        "menu > ----", "mobile > p <http://p.test/>",
      ])
    let first = try #require(records.bookmarks.first)
    #expect(first.id == RecordID(hashing: .bookmark(guid: "a", namespace: "firefox")) && first.guid == "a")
    #expect(first.tags == ["x", "y z"] && first.keyword == "k" && first.postData == "p=%s" && first.charset == "UTF-8")
    #expect(first.iconURI == "http://i.test/" && first.dateModified == nil)
    #expect(first.dateAdded?.microseconds == 1_500_000_000_000_001)
    #expect(records.bookmarks[1].description == "about F" && records.remarks.isEmpty)
  }

  @Test func `nodes under roots that are not known, without an address or with a used id are said`() throws {
    let records = try read(
      backup(
        #"{"typeCode":1,"guid":"no"},{"typeCode":1,"uri":"http://1.test/","guid":"g"},{"typeCode":1,"uri":"about:x","guid":"g"},5"#,
        more:
          #",{"root":"other","children":[{"uri":"http://l.test/","typeCode":1,"guid":"l"},{"typeCode":2,"children":[]}]},{"root":"tagsFolder","children":[{"typeCode":2}]}"#
      ))
    #expect(records.bookmarks.map(\.url) == ["http://1.test/", "about:x"] && records.bookmarks[1].guid == nil)
    #expect(records.skipped.map(\.place) == [.id("no"), .none, .id("l")])
    #expect(records.warnings.count == 3)
  }

  @Test func `dates that cannot be and bytes that are no UTF-8 spoil nothing`() throws {
    let text = backup(
      #"{"typeCode":1,"uri":"http://1.test/","title":"a?b","dateAdded":-5,"lastModified":99999999999999999999999}"#)
    let bytes = Array(text.utf8).map { $0 == UInt8(ascii: "?") ? 0xFF : $0 }
    let records = try CollectedRecords(FirefoxBookmarkJSONSource(MemoryInput(bytes)))
    #expect(records.bookmarks.map(\.title) == ["a\u{FFFD}b"])
    #expect(records.bookmarks[0].dateAdded == nil && records.bookmarks[0].dateModified == nil)
    #expect(records.warnings.count == 2)
  }

  @Test func `a thousand folders inside each other are read, ten thousand are refused`() throws {
    func deep(_ depth: Int) -> String {
      backup(
        String(repeating: #"{"typeCode":2,"children":["#, count: depth) + String(repeating: "]}", count: depth))
    }
    #expect(try read(deep(1000)).bookmarks.count == 1000)
    #expect(throws: FormatError.self) { try read(deep(10_000)) }
    #expect(throws: FormatError.self) { try read(String(repeating: "[", count: 10_000)) }
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"children":[]}"#, "{\"root\":\"placesRoot\"}", #"{"typeCode":2,"children":["#, "nul",
  ])
  func `what is no backup is refused`(text: String) {
    #expect(throws: FormatError.self) { try read(text) }
  }

  @Test func `a packed backup is unpacked, a damaged one refused`() throws {
    // One LZ4 block of literals: a token, the rest of the length, the bytes.
    let plain = Array(backup(#"{"typeCode":1,"uri":"http://1.test/","title":"a"}"#).utf8)
    var block: [UInt8] = [0xF0]
    var rest = plain.count - 15
    while rest >= 255 {
      block.append(255)
      rest -= 255
    }
    block.append(UInt8(rest))
    let length = [UInt8(plain.count & 255), UInt8(plain.count >> 8), 0, 0]
    let file = Array("mozLz40\0".utf8) + length + block + plain
    #expect(try FileRecognition.format(of: MemoryInput(file)) == .bookmarkJSON(.firefox))
    #expect(
      try CollectedRecords(FirefoxBookmarkJSONSource(MemoryInput(file))).lines == ["menu > a <http://1.test/>"])
    for damaged in [
      Array(file.dropLast(3)), Array(file[..<12]), file[..<8] + [255, 255, 255, 255] + file[12...], file + [1],
    ] {
      #expect(throws: FormatError.self) { try CollectedRecords(FirefoxBookmarkJSONSource(MemoryInput(Array(damaged)))) }
    }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a random tree survives but for the losses`(seed: UInt64) throws {
    let bookmarks = randomTree(seed: seed, count: 300)
    let (text, losses) = try write(bookmarks)
    #expect(try JSONSerialization.jsonObject(with: Data(text.utf8)) is [String: Any])
    let found = try read(text)
    let expected = try CollectedRecords(ArraySource(bookmarks))
    #expect(found.lines == expected.lines && found.remarks.isEmpty)
    let originals = Dictionary(
      uniqueKeysWithValues: bookmarks.compactMap { bookmark in bookmark.url.map { ($0, bookmark) } })
    for bookmark in found.bookmarks {
      guard let original = originals[bookmark.url ?? ""] else { continue }
      #expect(bookmark.dateAdded == original.dateAdded && bookmark.dateModified == original.dateModified)
      #expect(bookmark.tags == original.tags && bookmark.keyword == original.keyword)
      #expect(bookmark.postData == original.postData && bookmark.charset == original.charset)
    }
    #expect(Set(losses.map(\.field)).isSubset(of: ["description", "icon", "last_visited_at", "attributes"]))
    let (again, none) = try write(found.bookmarks)
    #expect(again == text && none.isEmpty)
    #expect(try RecordSourceContract.violations(of: FirefoxBookmarkJSONSource(MemoryInput(Array(text.utf8)))).isEmpty)
  }

  @Test func `a GUID of its own is kept, any other one is made of the id, none twice`() throws {
    func bookmark(_ number: UInt64, _ guid: String?) -> Bookmark {
      var bookmark = Bookmark(
        id: RecordID(high: number, low: 0), kind: .bookmark, parent: .menu, position: Int(number), title: "",
        url: "http://x.test/")
      bookmark.guid = guid
      return bookmark
    }
    let (text, _) = try write([
      bookmark(0, "menuAAAAAA01"), bookmark(1, "menuAAAAAA01"), bookmark(2, "menu________"),
      bookmark(3, "not base 64!"),
      bookmark(4, nil),
    ])
    let guids = try read(text).bookmarks.map { $0.guid ?? "" }
    #expect(guids[0] == "menuAAAAAA01" && Set(guids).count == 5 && !guids.contains("menu________"))
    #expect(guids.allSatisfy { $0.utf8.count == 12 })
  }
}

/// A source over bookmarks in memory.
struct ArraySource: RecordSource {
  let bookmarks: [Bookmark]
  let types: DataTypes = .bookmarks
  init(_ bookmarks: [Bookmark]) { self.bookmarks = bookmarks }
  func counts() -> RecordCounts { RecordCounts([.bookmarks: bookmarks.count]) }
  func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    try consume(.bookmarks(bookmarks))
  }
}
