import BrowsingData
import Formats
import Foundation
import TestSupport
import Testing

private func write(_ bookmarks: [Bookmark], _ flavor: NetscapeFlavor, list: [ReadingListItem] = []) throws -> (
  String, [Loss]
) {
  let output = MemoryOutput()
  var sink = NetscapeBookmarkSink(output, flavor: flavor)
  try sink.write(.bookmarks(bookmarks))
  try sink.write(.readingList(list))
  let losses = try sink.finish()
  #expect(output.isFinished)
  return (String(decoding: output.bytes, as: UTF8.self), losses)
}

private func read(_ text: String) throws -> CollectedRecords {
  try CollectedRecords(NetscapeBookmarkSource(MemoryInput(Array(text.utf8))))
}

private func item(
  _ number: UInt64, _ kind: Bookmark.Kind, in parent: RecordID, at position: Int, _ title: String = "",
  url: String? = nil
) -> Bookmark {
  Bookmark(id: RecordID(high: 9, low: number), kind: kind, parent: parent, position: position, title: title, url: url)
}

@Suite struct NetscapeBookmarkSinkTests {
  @Test func `each element has its line and everything is escaped`() throws {
    let folder = item(1, .folder, in: .toolbar, at: 0, "F & G")
    var link = item(2, .bookmark, in: folder.id, at: 0, "t\"wo\" it's <1>\r\n2", url: "http://1.test/?a=1&b='2'")
    link.dateAdded = Timestamp(seconds: 1_500_000_001)
    link.tags = ["x", "a,b"]
    link.description = "a\nnote & more"
    link.attributes = [
      NamedValue(name: "PRIVATE", value: "1"), NamedValue(name: "bare", value: ""),
      NamedValue(name: "onclick", value: "evil()"), NamedValue(name: "a b", value: ""),
      NamedValue(name: "href", value: "no"),
    ]
    let (text, losses) = try write(
      [folder, item(3, .separator, in: folder.id, at: 1), item(4, .folder, in: folder.id, at: 2, "E"), link], .firefox)
    let end = """
          <DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bookmarks Toolbar</H3>
          <DL><p>
              <DT><H3>F &amp; G</H3>
              <DL><p>
                  <DT><A HREF="http://1.test/?a=1&amp;b=&#39;2&#39;" ADD_DATE="1500000001" TAGS="x,a b" PRIVATE="1" bare>\
      t&quot;wo&quot; it&#39;s &lt;1&gt; 2</A>
                  <DD>a
      note &amp; more
                  <HR>
                  <DT><H3>E</H3>
                  <DL><p>
                  </DL><p>
              </DL><p>
          </DL><p>
      </DL><p>

      """
    #expect(text.hasSuffix(end))
    #expect(text.hasPrefix("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"))
    #expect(
      Dictionary(uniqueKeysWithValues: losses.map { ($0.field, $0.count) }) == ["tags": 1, "attributes": 1, "title": 1])
  }

  @Test func `the roots come back under their roots`() throws {
    let bookmarks = RecordID.roots.enumerated().map { index, root in
      item(UInt64(index), .bookmark, in: root.id, at: 0, root.name, url: "http://\(root.name).test/")
    }
    for flavor in NetscapeFlavor.allCases {
      let (text, losses) = try write(bookmarks, flavor)
      #expect(try read(text).lines == RecordID.roots.map { "\($0.name) > \($0.name) <http://\($0.name).test/>" })
      #expect(losses.isEmpty)
      for bookmark in bookmarks {
        #expect(try read(write([bookmark], flavor).0).bookmarks.map(\.parent) == [bookmark.parent])
      }
    }
  }

  @Test func `Safari's file has no outer list, dates, separators and tags, and says so`() throws {
    var link = item(1, .bookmark, in: .other, at: 0, "it's", url: "http://1.test/")
    link.dateAdded = Timestamp(seconds: 1)
    link.tags = ["x"]
    link.keyword = "k"
    var later = ReadingListItem(
      id: RecordID(high: 1, low: 1), title: "r", url: "http://r.test/", dateAdded: Timestamp(seconds: 1))
    later.read = true
    let (text, losses) = try write([link, item(2, .separator, in: .other, at: 1)], .safari, list: [later])
    #expect(
      text == """
        <!DOCTYPE NETSCAPE-Bookmark-file-1>
        <HTML>
        <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
        <Title>Bookmarks</Title>
        <H1>Bookmarks</H1>
        <DT><H3 FOLDED id="com.apple.ReadingList">Reading List</H3>
        <DL><p>
            <DT><A HREF="http://r.test/">r</A>
        </DL><p>
        <DT><A HREF="http://1.test/">it&#39;s</A>
        </HTML>

        """)
    #expect(
      Set(losses.map { "\($0.type.name).\($0.field) \($0.count)" }) == [
        "bookmarks.date_added 1", "bookmarks.tags 1", "bookmarks.keyword 1", "bookmarks.kind 1",
        "reading-list.date_added 1",
        "reading-list.read 1",
      ])
  }

  @Test func `Chromium's file has no separators and keywords, and deep folders are said`() throws {
    var folders: [Bookmark] = []
    for depth in 0..<100 {
      folders.append(item(UInt64(depth), .folder, in: folders.last?.id ?? .toolbar, at: 0, "F"))
    }
    var link = item(500, .bookmark, in: .toolbar, at: 1, "k", url: "http://k.test/?q=%s")
    link.keyword = "k"
    let (text, losses) = try write(folders + [link, item(501, .separator, in: .toolbar, at: 2)], .chromium)
    #expect(!text.contains("<HR>") && !text.contains("SHORTCUTURL") && text.contains("http://k.test/?q=%s"))
    #expect(losses.map(\.field) == ["parent", "keyword", "kind"])
    #expect(losses[0].count == 5)
  }

  @Test(arguments: NetscapeFlavor.allCases)
  func `children before parents, orphans and circles are all written once`(flavor: NetscapeFlavor) throws {
    let lost = RecordID(high: 1, low: 1)
    let (one, two) = (
      item(1, .folder, in: RecordID(high: 9, low: 2), at: 0, "one"),
      item(2, .folder, in: RecordID(high: 9, low: 1), at: 0, "two")
    )
    let (text, losses) = try write(
      [
        item(3, .bookmark, in: RecordID(high: 9, low: 4), at: 0, "3", url: "http://3.test/"),
        item(4, .folder, in: .other, at: 0, "4"), item(5, .bookmark, in: lost, at: 0, "5", url: "http://5.test/"), one,
        two,
        item(6, .bookmark, in: RecordID(high: 9, low: 5), at: 0, "6", url: "http://6.test/"),
        item(7, .bookmark, in: two.id, at: 1, "7", url: "http://7.test/"),
      ], flavor)
    #expect(
      try read(text).lines == [
        "other > 4/", "other > 4 > 3 <http://3.test/>", "other > 5 <http://5.test/>", "other > 6 <http://6.test/>",
        "other > one/", "other > one > two/", "other > one > two > 7 <http://7.test/>",
      ])
    #expect(losses.map(\.count) == [3])
  }

  @Test func `nesting costs no more than its length`() throws {
    var folders: [Bookmark] = []
    for depth in 0..<20_000 { folders.append(item(UInt64(depth), .folder, in: folders.last?.id ?? .menu, at: 0, "F")) }
    let (text, _) = try write(folders, .firefox)
    #expect(text.utf8.count < 20_000 * 1000)
    #expect(try read(text).bookmarks.count == 20_000)
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `a random tree survives Firefox's flavor but for the losses`(seed: UInt64) throws {
    let bookmarks = randomTree(seed: seed, count: 400)
    let (text, losses) = try write(bookmarks, .firefox)
    let records = try read(text)
    #expect(records.lines.count == 400)
    let expected = Dictionary(uniqueKeysWithValues: bookmarks.map { ($0.url ?? $0.id.description, $0) })
    for found in records.bookmarks where found.kind == .bookmark {
      let original = try #require(expected[found.url ?? ""])
      #expect(found.title == original.title.trimmingCharacters(in: .whitespacesAndNewlines))
      #expect(found.dateAdded == original.dateAdded.flatMap { Timestamp(seconds: $0.microseconds / 1_000_000) })
      #expect(found.dateModified == original.dateModified.flatMap { Timestamp(seconds: $0.microseconds / 1_000_000) })
      #expect(found.tags == original.tags && found.keyword == original.keyword && found.postData == original.postData)
      #expect(found.charset == original.charset && found.icon == original.icon && found.iconURI == original.iconURI)
      #expect(found.attributes == original.attributes && found.position == original.position)
      let description = original.description?.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(found.description ?? "" == description ?? "")
    }
    #expect(
      Set(losses.map(\.field)).isSubset(of: ["date_added", "date_modified", "last_visited_at", "title", "description"]))
    let (second, none) = try write(records.bookmarks, .firefox)
    #expect(try write(read(second).bookmarks, .firefox).0 == second && none.isEmpty)
  }

  @Test(arguments: [NetscapeFlavor.chromium, .safari])
  func `a random tree keeps its shape in the other flavors`(flavor: NetscapeFlavor) throws {
    let bookmarks = randomTree(seed: 3, count: 300).filter { $0.kind != .separator }
    let (text, _) = try write(bookmarks, flavor)
    let expected = try read(write(bookmarks, .firefox).0).lines
    #expect(try read(text).lines == expected)
    #expect(try read(write(read(text).bookmarks, flavor).0).lines == expected)
  }

  @Test func `what is abandoned leaves nothing`() throws {
    let output = MemoryOutput()
    var sink = NetscapeBookmarkSink(output, flavor: .firefox)
    try sink.write(.bookmarks([item(1, .folder, in: .menu, at: 0, "F")]))
    sink.abandon()
    #expect(output.bytes.isEmpty && !output.isFinished)
  }
}
