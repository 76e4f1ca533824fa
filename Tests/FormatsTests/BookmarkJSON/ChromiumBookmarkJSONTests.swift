import BrowsingData
import Crypto
import Foundation
import TestSupport
import Testing

@testable import Formats

private func read(_ text: String) throws -> CollectedRecords {
  try CollectedRecords(ChromiumBookmarkJSONSource(MemoryInput(Array(text.utf8), chunk: 13)))
}

private func write(_ bookmarks: [Bookmark]) throws -> (String, [Loss]) {
  let output = MemoryOutput()
  var sink = ChromiumBookmarkJSONSink(output)
  try sink.write(.bookmarks(bookmarks))
  let losses = try sink.finish()
  #expect(output.isFinished)
  return (String(decoding: output.bytes, as: UTF8.self), losses)
}

/// The checksum as another reader of the file computes it.
private func checksum(_ file: [String: Any]) throws -> String {
  var bytes: [UInt8] = []
  func add(_ node: [String: Any]) throws {
    bytes += try #require(node["id"] as? String).utf8
    bytes += try #require(node["name"] as? String).utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    if node["type"] as? String == "url" {
      bytes += try ("url" + #require(node["url"] as? String)).utf8
    } else {
      bytes += "folder".utf8
      for child in try #require(node["children"] as? [[String: Any]]) { try add(child) }
    }
  }
  let roots = try #require(file["roots"] as? [String: [String: Any]])
  for name in ["bookmark_bar", "other", "synced"] { try add(#require(roots[name])) }
  return hexadecimal(Hash.md5(bytes))
}

@Suite struct ChromiumBookmarkJSONTests {
  @Test func `all roots are read in their order, with what Vivaldi adds`() throws {
    let records = try read(
      #"""
      {"checksum":"0","roots":{
       "bookmark_bar":{"children":[
         {"date_added":"13144473600000000","date_last_used":"0","guid":"g1","id":"4","name":"one","type":"url","url":"http://1.test/",
          "meta_info":{"Description":"d","Nickname":"n","x":[1]}},
         {"children":[],"date_added":"0","date_modified":"13144473600000001","guid":"g2","id":"5","name":"E","type":"folder"},
         {"name":"---","type":"url","url":"http://bookmark.placeholder.url/","date_added":"x"}],"name":"Bar","type":"folder"},
       "synced":{"children":[{"name":"m","type":"url","url":"http://m.test/","guid":"g1"}],"type":"folder"},
       "trash":{"children":[{"name":"t","type":"url","url":"http://t.test/","guid":"g9"}],"type":"folder"},
       "sync_transaction_version":"1"},"version":1}
      """#)
    #expect(
      records.lines == [
        "toolbar > one <http://1.test/>", "toolbar > E/", "toolbar > ----", "mobile > m <http://m.test/>",
      ])
    #expect(records.bookmarks[0].dateAdded?.microseconds == 1_500_000_000_000_000)
    #expect(records.bookmarks[0].id == RecordID(hashing: .bookmark(guid: "g1", namespace: "chromium")))
    #expect(records.bookmarks[0].description == "d" && records.bookmarks[0].keyword == "n")
    #expect(
      records.bookmarks[1].dateAdded == nil && records.bookmarks[1].dateModified?.microseconds == 1_500_000_000_000_001)
    #expect(records.skipped.map(\.place) == [.id("g9")] && records.warnings.count == 3)
  }

  @Test func `what a feature of Chromium has noted of a bookmark is kept and given back`() throws {
    let (text, losses) = try write(
      read(
        #"""
        {"roots":{"bookmark_bar":{"children":[
         {"name":"t","type":"url","url":"http://t.test/","meta_info":{"power_bookmark_meta":"x\"x","Nickname":"n","":"é"}},
         {"name":"f","type":"folder","children":[],"meta_info":{"last_visited_desktop":"7"}}],"type":"folder"}}}
        """#
      ).bookmarks)
    let file = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let roots = try #require(file["roots"] as? [String: [String: Any]])
    let nodes = try #require(roots["bookmark_bar"]?["children"] as? [[String: Any]])
    #expect(
      nodes.map { $0["meta_info"] as? [String: String] } == [
        ["power_bookmark_meta": "x\"x", "": "é"], ["last_visited_desktop": "7"],
      ])
    #expect(losses.map(\.field) == ["keyword"])
    #expect(try read(text).bookmarks.map(\.attributes.count) == [2, 1])
    #expect(try checksum(file) == file["checksum"] as? String)
  }

  @Test func `notes that are no texts, or too many, are counted in one warning`() throws {
    let many = (0..<65).map { "\"k\($0)\":\"v\"" }.joined(separator: ",")
    let node = #"{"name":"t","type":"url","url":"http://t.test/","meta_info":"#
    let records = try read(
      #"{"roots":{"other":{"children":["# + "\(node){\"a\":{}}},\(node){\(many)}},\(node){\"a\":\"b\"}}]}}}")
    #expect(records.bookmarks.map(\.attributes.count) == [0, 64, 1])
    #expect(records.warnings.map { $0.reason.prefix(14) } == ["of 2 bookmarks"])
  }

  @Test(arguments: ["", "{}", "[]", #"{"roots":5}"#, #"{"roots":{"other":{"children":["#])
  func `what is no bookmark file is refused`(text: String) {
    #expect(throws: FormatError.self) { try read(text) }
  }

  @Test func `values in the place of roots and lists are said`() throws {
    let text =
      #"{"roots":{"bookmark_bar":[],"other":{"children":{},"type":"folder"},"synced":null,"sync_transaction_version":"1"}}"#
    let found = try read(text)
    #expect(found.bookmarks.isEmpty)
    #expect(found.warnings.count == 2)
  }

  @Test func `ten thousand folders inside each other are refused`() {
    let deep = String(repeating: #"{"children":["#, count: 10_000)
    #expect(throws: FormatError.self) { try read(#"{"roots":{"other":"# + deep) }
    #expect(throws: FormatError.self) { try FileRecognition.format(of: MemoryInput(Array((#"{"x":"# + deep).utf8))) }
  }

  @Test func `each file is told from its keys`() throws {
    func format(_ text: String) throws -> RecognizedFormat {
      try FileRecognition.format(of: MemoryInput(Array(text.utf8)))
    }
    #expect(try format(write([]).0) == .bookmarkJSON(.chromium))
    #expect(
      try format(#"{"guid":"root________","title":"","children":[],"root":"placesRoot"}"#) == .bookmarkJSON(.firefox))
    #expect(try format("url,username,password\n") == .passwordTable)
    #expect(throws: LoginCSVSource.withoutColumns) {
      try FileRecognition.format(of: MemoryInput(Array("a,b\n".utf8), name: "x.CSV"))
    }
  }

  @Test func `a written file has the fixed roots, unique ids and the right checksum`() throws {
    var deep: [Bookmark] = []
    for depth in 0..<97 {
      deep.append(
        Bookmark(
          id: RecordID(high: 5, low: UInt64(depth)), kind: .folder, parent: deep.last?.id ?? .other, position: 0,
          title: "F"))
    }
    var link = Bookmark(
      id: RecordID(high: 6, low: 1), kind: .bookmark, parent: .menu, position: 0, title: "a\tb 😀\n",
      url: "http://1.test/?a=1&b=2")
    link.guid = "{0A}"
    link.keyword = "k"
    let separator = Bookmark(id: RecordID(high: 6, low: 2), kind: .separator, parent: .toolbar, position: 0, title: "")
    let (text, losses) = try write(deep + [link, separator])
    let file = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(try file["checksum"] as? String == checksum(file))
    #expect(file["version"] as? Int == 1)
    let roots = try #require(file["roots"] as? [String: [String: Any]])
    #expect(roots["bookmark_bar"]?["guid"] as? String == "0bc5d13f-2cba-5d74-951f-3f233fe6c908")
    #expect((roots["bookmark_bar"]?["children"] as? [Any])?.isEmpty == true)
    #expect(
      try read(text).lines.prefix(2) == [
        "other > Bookmarks menu/", "other > Bookmarks menu > a b 😀  <http://1.test/?a=1&b=2>",
      ])
    #expect(
      losses.map { "\($0.field) \($0.count)" }.sorted() == ["keyword 1", "kind 1", "parent 1", "parent 2", "title 1"])
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a random tree survives but for the losses`(seed: UInt64) throws {
    let bookmarks = randomTree(seed: seed, count: 300).map { bookmark -> Bookmark in
      var bookmark = bookmark
      if bookmark.parent == .menu { bookmark.parent = .mobile }
      return bookmark
    }
    let (text, losses) = try write(bookmarks)
    let file = try #require(JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    #expect(try file["checksum"] as? String == checksum(file))
    let found = try read(text)
    let expected = try CollectedRecords(ArraySource(bookmarks.filter { $0.kind != .separator }))
    #expect(found.lines == expected.lines && found.remarks.isEmpty)
    let originals = Dictionary(
      uniqueKeysWithValues: bookmarks.compactMap { bookmark in bookmark.url.map { ($0, bookmark) } })
    for bookmark in found.bookmarks {
      guard let original = originals[bookmark.url ?? ""] else { continue }
      #expect(bookmark.dateAdded == original.dateAdded && bookmark.lastVisitedAt == original.lastVisitedAt)
    }
    #expect(
      Set(losses.map(\.field)).isSubset(of: [
        "kind", "date_modified", "tags", "keyword", "post_data", "description", "charset", "icon", "icon_uri",
        "attributes",
      ]))
    let (again, none) = try write(found.bookmarks)
    #expect(again == text && none.isEmpty)
    #expect(try RecordSourceContract.violations(of: ChromiumBookmarkJSONSource(MemoryInput(Array(text.utf8)))).isEmpty)
  }
}
