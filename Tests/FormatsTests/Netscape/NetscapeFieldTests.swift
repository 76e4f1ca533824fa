import BrowsingData
import Formats
import TestSupport
import Testing

private func read(_ body: String) throws -> CollectedRecords {
  try CollectedRecords(NetscapeBookmarkSource(MemoryInput(Array("<DL><p>\n\(body)".utf8))))
}

private func link(_ attributes: String) throws -> Bookmark {
  let records = try read("<DT><A HREF=\"http://a.test/\" \(attributes)>t</A>")
  return try #require(records.bookmarks.first)
}

@Suite struct NetscapeFieldTests {
  @Test(arguments: [
    ("1500000000", 1_500_000_000_000_000), ("1500000000000", 1_500_000_000_000_000),
    ("1500000000000001", 1_500_000_000_000_001), ("13144473600000000", 1_500_000_000_000_000),
    (" 1500000000.5", 1_500_000_000_000_000), ("1", 1_000_000),
  ])
  func `a date counts in the unit of its size`(text: String, microseconds: Int64) throws {
    #expect(
      try link("ADD_DATE=\"\(text)\" LAST_MODIFIED='\(text)' LAST_VISIT=\(text.dropFirst(0))").dateAdded?.microseconds
        == microseconds)
    #expect(try link("LAST_MODIFIED=\"\(text)\"").dateModified?.microseconds == microseconds)
    #expect(try link("LAST_VISIT=\"\(text)\"").lastVisitedAt?.microseconds == microseconds)
    #expect(try link("LAST_MODIFIED=\"\(text)\"").dateAdded == nil)
  }

  @Test(arguments: [
    "0", "-5", "abc", "", "5680281600", "300000000000000000", "99999999999999999999999", "10000000000000001",
  ])
  func `a date that cannot be is unknown`(text: String) throws {
    #expect(try link("ADD_DATE=\"\(text)\"").dateAdded == nil)
  }

  @Test func `only a number that is no date is worth a warning`() throws {
    #expect(try read("<DT><A HREF=http://a.test/ ADD_DATE=0>t</A>").warnings.isEmpty)
    #expect(try read("<DT><A HREF=http://a.test/ ADD_DATE=5680281600>t</A>").warnings.map(\.place) == [.line(2)])
  }

  @Test func `every attribute has its field, the first of two counts, others are kept verbatim`() throws {
    let bookmark = try link(
      """
      TAGS=" a, b b,,c,a" SHORTCUTURL="k" POST_DATA="q=%s&amp;l=de" LAST_CHARSET="windows-1251"
      ICON="data:image/png;base64,AA==" ICON_URI="http://a.test/i" PRIVATE="1" ToRead='&lt;0&gt;' bare PRIVATE=2 tags=z
      """)
    #expect(bookmark.tags == ["a", "b b", "c"])
    #expect(bookmark.keyword == "k" && bookmark.postData == "q=%s&l=de" && bookmark.charset == "windows-1251")
    #expect(bookmark.icon == "data:image/png;base64,AA==" && bookmark.iconURI == "http://a.test/i")
    #expect(
      bookmark.attributes == [
        NamedValue(name: "PRIVATE", value: "1"), NamedValue(name: "ToRead", value: "<0>"),
        NamedValue(name: "bare", value: ""),
      ])
  }

  @Test func `an icon of more than 128 KiB is dropped and said`() throws {
    let large = "data:" + String(repeating: "A", count: 128 << 10)
    let records = try read(
      "<DT><A HREF='http://a.test/' ICON='\(large)'>t</A><DT><A HREF='http://b.test/' ICON='data:x'>u</A>")
    #expect(records.bookmarks.map(\.icon) == [nil, "data:x"])
    #expect(records.warnings.count == 1)
    #expect(try link("ICON='http://i.test/'").iconURI == "http://i.test/")
  }

  @Test func `too many attributes of others are dropped and said`() throws {
    let many = (0..<2000).map { "x\($0)=1" }.joined(separator: " ")
    let records = try read("<DT><A HREF='http://a.test/' \(many)>t</A>")
    #expect(records.bookmarks.count == 1 && records.bookmarks[0].attributes.isEmpty && records.warnings.count == 1)
  }

  @Test func `what Safari writes on every folder is no attribute of one`() throws {
    let records = try read("<DT><H3 FOLDED>a</H3><DT><H3 FOLDED ADD_DATE='1500000000'>b</H3>")
    #expect(records.bookmarks.map { $0.attributes.map(\.name) } == [[], ["FOLDED"]])
  }

  @Test func `references are undone once, in titles and addresses`() throws {
    let records = try read(
      """
      <DT><A HREF="http://a.test/?x=1&amp;y=2">Tom&#39;s &#8212; &eacute; &#x1F600; &amp;lt;b&amp;gt; &acE; &notit; &#x80; &#0;&nosuch; &</A>
      <DT><A HREF="http://a.test/?a=1&copy=2&copy&lt;&#x26;&notin;">&copy2</A>
      """)
    #expect(
      records.bookmarks.map(\.title) == ["Tom's — é 😀 &lt;b&gt; \u{223E}\u{333} ¬it; € \u{FFFD}&nosuch; &", "©2"])
    #expect(records.bookmarks.map(\.url) == ["http://a.test/?x=1&y=2", "http://a.test/?a=1&copy=2©<&∉"])
  }

  @Test func `titles are trimmed at their ends only and may be empty`() throws {
    let records = try read(
      "<DT><A HREF=' http://a.test/\n'>\n  a\n b\t</A><DT><A HREF=http://b.test/></A><DT><H3> </H3>")
    #expect(records.bookmarks.map(\.title) == ["a\n b", "", ""])
    #expect(records.bookmarks[0].url == "http://a.test/")
  }

  @Test func `reading again gives the same ids, equal ones are told apart by number`() throws {
    let body =
      "<A HREF=http://1.test/>1</A><A HREF=http://1.test/>1</A><HR><HR><H3>S</H3><H3>S</H3><A HREF=http://1.test/>1</A>"
    let first = try read(body).bookmarks
    #expect(Set(first.map(\.id)).count == first.count && first.count == 7)
    #expect(try read(body).bookmarks == first)
  }
}

@Suite struct NetscapeEncodingTests {
  private func titles(_ bytes: [UInt8]) throws -> ([String], [Remark]) {
    let records = try CollectedRecords(NetscapeBookmarkSource(MemoryInput(bytes, chunk: 3)))
    return (records.bookmarks.map(\.title), records.remarks)
  }

  private func file(_ title: [UInt8], meta: String) -> [UInt8] {
    Array("<META content='text/html; charset=\(meta)'><DL><DT><A HREF='http://1.test/'>".utf8) + title
      + Array("</A>".utf8)
  }

  @Test func `valid UTF-8 is UTF-8 whatever the file says`() throws {
    #expect(try titles(file(Array("naïve 🦊".utf8), meta: "ISO-8859-1")) == (["naïve 🦊"], []))
    #expect(try titles([0xEF, 0xBB, 0xBF] + file(Array("naïve".utf8), meta: "windows-1251")) == (["naïve"], []))
  }

  @Test func `other bytes are what the file says, else windows-1252`() throws {
    #expect(try titles(file([0x43, 0xE9, 0x80], meta: "latin1")) == (["Cé€"], []))
    #expect(try titles(file([0xCF, 0xF0, 0xE8], meta: "windows-1251")) == (["При"], []))
    #expect(try titles(file([0x93, 0xFA, 0x96, 0x7B], meta: "Shift_JIS")) == (["日本"], []))
    #expect(try titles(file([0xC4, 0xE3, 0xBA, 0xC3, 0x81, 0x30, 0x81, 0x30], meta: "gb2312")).0 == ["你好\u{80}"])
    #expect(try titles(file([0x87, 0x40], meta: "x-sjis")) == (["①"], []))
    #expect(try titles(file([0xDE, 0x61, 0x80], meta: "ISO-8859-9")) == (["Şa€"], []))
    // A file of single bytes cannot be what it says.
    #expect(try titles(file([0xE9], meta: "UTF-16")) == (["é"], []))
    let (unknown, remarks) = try titles(file([0xE9], meta: ""))
    #expect(unknown == ["é"] && remarks.count == 1)
    #expect(try titles(file([0xE9], meta: "no-such-charset")).0 == ["é"])
    let (damaged, said) = try titles(file([0x61, 0xFF, 0x62], meta: "UTF-8"))
    #expect(damaged == ["a\u{FFFD}b"] && said.count == 1)
  }

  @Test func `UTF-16 is known by its mark or its first character`() throws {
    let units = Array("<DL><DT><A HREF='http://1.test/'>日本 😀</A>".utf16)
    let little = units.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
    let big = units.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    for bytes in [[0xFF, 0xFE] + little, [0xFE, 0xFF] + big, little, big, little + [0x20]] {
      #expect(try titles(bytes) == (["日本 😀"], []))
    }
  }

  @Test func `NULs stop nothing`() throws {
    let (found, remarks) = try titles(
      Array("<DL>\0<DT><A HREF='http://1.te\0st/'>a\0b</A>\0<A HREF=http://2.test/>n</A>".utf8))
    #expect(found == ["ab", "n"] && remarks.count == 1)
  }
}
