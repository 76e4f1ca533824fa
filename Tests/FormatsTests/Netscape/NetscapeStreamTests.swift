import BrowsingData
import Formats
import TestSupport
import Testing

private func read(_ text: String, chunk: Int = .max) throws -> CollectedRecords {
  try CollectedRecords(NetscapeBookmarkSource(MemoryInput(Array(text.utf8), chunk: chunk)))
}

@Suite struct NetscapeStreamTests {
  @Test func `a file longer than the window loses nothing where the window ends`() throws {
    var text = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n"
    var expected: [String] = []
    for number in 0..<9000 {
      let word = String(repeating: "é&amp;", count: number % 11)
      text += "<DT><A HREF=\"http://\(number).test/?a=1&amp;b\" X='1'>\(word)\(number)</A><!-- > -->\n"
      expected.append("other > \(String(repeating: "é&", count: number % 11))\(number) <http://\(number).test/?a=1&b>")
    }
    #expect(text.utf8.count > 800 << 10)
    let records = try read(text)
    #expect(records.lines == expected)
    #expect(records.remarks.isEmpty)
  }

  @Test(arguments: [1, 2, 3, 64])
  func `pieces of any size give the same records`(chunk: Int) throws {
    var numbers = SeededGenerator(seed: 3411)
    let parts = [
      "<DT>", "<A HREF=\"http://a.test/\">", "</A>", "<H3>", "</H3>", "<DL><p>", "</DL>", "<HR>", "<DD>", "&amp;",
      "&#x41;",
      "&copy", "\"", "'", "<", ">", "=", "x", " ", "\n", "<!--", "-->", "<!", "é", "日本", "<a href='", "TAGS=\"a,b\"",
      "\0",
      "<H3 id=\"com.apple.ReadingList\">", "</",
    ]
    for _ in 0..<200 {
      var text = "<DL>\n"
      for _ in 0..<Int.random(in: 0..<80, using: &numbers) { text += parts.randomElement(using: &numbers) ?? "" }
      let (whole, pieces) = (try read(text), try read(text, chunk: chunk))
      #expect(pieces.bookmarks == whole.bookmarks, "\(text.debugDescription)")
      #expect(pieces.readingList == whole.readingList, "\(text.debugDescription)")
      #expect(pieces.remarks == whole.remarks, "\(text.debugDescription)")
    }
  }

  @Test func `a tag longer than memory allows costs only itself`() throws {
    let long = String(repeating: "A", count: 17 << 20)
    let records = try read(
      "<DL>\n<DT><A HREF='http://1.test/'>1</A>\n<DT><A HREF='http://2.test/' ICON='\(long)'>2</A>\n"
        + "<DT><A HREF='http://3.test/'>3</A>")
    #expect(records.lines == ["other > 1 <http://1.test/>", "other > 3 <http://3.test/>"])
    #expect(records.skipped.map(\.place) == [.line(3)])
  }

  @Test func `a comment longer than memory allows hides nothing behind it`() throws {
    let records = try read(
      "<DL><!-- \(String(repeating: "-", count: 1 << 20))\(String(repeating: "x", count: 17 << 20))> --><DT><A HREF='http://1.test/'>1</A>"
    )
    #expect(records.lines == ["other > 1 <http://1.test/>"])
  }

  @Test func `a title longer than any store takes is cut, and its neighbours stay`() throws {
    let long = String(repeating: "word ", count: 500_000)
    let records = try read(
      "<DL><DT><A HREF='http://1.test/'>\(long)</A><DD>d<DT><A HREF='http://2.test/'>2</A><DD>\(long)<DD>\(long)")
    #expect(records.bookmarks.map(\.url) == ["http://1.test/", "http://2.test/"])
    #expect(records.bookmarks[0].title.utf8.count < 2 << 20)
    #expect(records.bookmarks[0].description == "d")
    #expect((records.bookmarks[1].description?.utf8.count ?? 0) < 4 << 20)
  }

  @Test func `a file made to be slow is not`() throws {
    #expect(try read("<DL>" + String(repeating: "<!-- x>", count: 200_000)).lines.isEmpty)
    #expect(try read("<DL>" + String(repeating: "<a x=\"", count: 100_000)).bookmarks.isEmpty)
  }

  @Test func `folders deeper than 131,072 are taken as one`() throws {
    let body = String(repeating: "<H3>F</H3><DL>", count: 132_000) + "<A HREF='http://deep.test/'>d</A>"
    let records = try read("<DL>" + body)
    #expect(records.bookmarks.count == 132_001)
    #expect(records.warnings.count == 1)
  }

  @Test func `a reading list too long to be held comes in batches after the bookmarks`() throws {
    let long = String(repeating: "w", count: 2000)
    let items = (0..<5000).map { "<DT><A HREF='http://\($0).test/'>\($0)</A><DD>p\($0)\(long)\n" }.joined()
    let text =
      "<DL>\n<H3 id='com.apple.ReadingList'>R</H3><DL>\(items)<DT><A HREF='http://7.test/'>7</A></DL><A HREF='http://b.test/'>b</A>"
    var kinds: [String] = []
    var found: [ReadingListItem] = []
    var remarks: [Remark] = []
    try NetscapeBookmarkSource(MemoryInput(Array(text.utf8))).read(.all) { batch in
      switch batch {
      case .bookmarks: kinds.append("bookmarks")
      case .readingList(let items):
        kinds.append(items.count <= 2048 ? "list" : "long list")
        found += items
      case .remarks(let more): remarks += more
      default: break
      }
    }
    #expect(kinds == ["bookmarks", "list", "list", "list"])
    #expect(found.map(\.title) == (0..<5000).map(String.init))
    #expect(found.map { $0.preview?.hasPrefix("p\($0.title)w") } == [Bool](repeating: true, count: 5000))
    #expect(remarks.map(\.place) == [.line(5002)])
  }
}
