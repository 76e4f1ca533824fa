import BrowsingData
import Formats
import TestSupport
import Testing

private let head = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n"

private func read(_ body: String, types: DataTypes = .all) throws -> CollectedRecords {
  try CollectedRecords(NetscapeBookmarkSource(MemoryInput(Array((head + body).utf8), chunk: 7)), types)
}

@Suite struct NetscapeStructureTests {
  @Test func `nested folders stay nested`() throws {
    let records = try read(
      """
      <DL><p><DT><H3>A</H3><DL><p><DT><H3>B/b</H3><DL><p><DT><A HREF="http://l.test/">l</A></DL><p></DL><p>
      <DT><A HREF="http://m.test/">m</A></DL><p>
      """)
    #expect(
      records.lines == [
        "other > A/", "other > A > B/b/", "other > A > B/b > l <http://l.test/>", "other > m <http://m.test/>",
      ])
    #expect(records.remarks.isEmpty)
  }

  @Test func `a heading without a list is an empty folder`() throws {
    let records = try read(
      "<DL><DT><H3>E1</H3><DT><H3>E2</H3><DT><A HREF=http://1.test/>1</A><DT><H3>F</H3><DL><A HREF=http://2.test/>2</A>"
    )
    #expect(
      records.lines == [
        "other > E1/", "other > E2/", "other > 1 <http://1.test/>", "other > F/", "other > F > 2 <http://2.test/>",
      ])
  }

  @Test func `redundant lists and surplus ends hide nothing`() throws {
    let records = try read(
      """
      <DL><DL><A HREF="http://1.test/">1</A></DL></DL></DL><A HREF="http://2.test/">2</A>
      <H3>F</H3><UL><LI><A HREF="http://3.test/">3</A></UL></UL><MENU><A HREF="http://4.test/">4</A></MENU>
      """)
    #expect(
      records.lines == [
        "other > 1 <http://1.test/>", "other > 2 <http://2.test/>", "other > F/", "other > F > 3 <http://3.test/>",
        "other > 4 <http://4.test/>",
      ])
  }

  @Test func `a description belongs to what stands before it, and a link in it is text`() throws {
    let records = try read(
      """
      <DL><DT><H3>F</H3><DD>about F &amp; more
      <DL><DT><A HREF="http://1.test/">1</A><DD>see <a href="http://no.test/">x</a><br>and <b>y</b>
      <DD>more</DL><DD>lost</DL>
      """)
    #expect(records.lines == ["other > F/", "other > F > 1 <http://1.test/>"])
    #expect(records.bookmarks.map(\.description) == ["about F & more", "see x\nand y\nmore"])
    #expect(records.warnings.map(\.place) == [.line(6)])
  }

  @Test func `a link that is not closed ends at the next item, inline tags go`() throws {
    let records = try read(
      "<DL><DT><A HREF='http://1.test/'>o<b>n</b>e\n<DT><A HREF='http://2.test/'>Use <script> here</A><HR><DT><A HREF='http://3.test/'>a < b <c and <d></A>"
    )
    #expect(
      records.lines == [
        "other > one <http://1.test/>", "other > Use  here <http://2.test/>", "other > ----",
        "other > a < b <c and <http://3.test/>",
      ])
  }

  @Test func `comments hide what is in them, one without an end only its own tag`() throws {
    let records = try read(
      "<DL><!-- > <A HREF='http://h.test/'>h</A> --><A HREF='http://1.test/'>1</A><!-- oops><A HREF='http://2.test/'>2</A>"
    )
    #expect(records.lines == ["other > 1 <http://1.test/>", "other > 2 <http://2.test/>"])
  }

  @Test func `a quote closed with the other quote swallows nothing`() throws {
    let records = try read(
      "<DL>\n<DT><A HREF=\"http://x.test/'>X</A>\n  <DT><A HREF=\"http://y.test/\">Y</A>\n<DT><A HREF=\"http://z.test/>Z</A>"
    )
    #expect(
      records.lines == ["other > X <http://x.test/>", "other > Y <http://y.test/>", "other > Z <http://z.test/>"])
    #expect(records.warnings.map(\.place) == [.line(5), .line(7)])
  }

  @Test func `what has no address is skipped and counted with its line`() throws {
    let records = try read(
      "<DL>\n<A HREF=''>e</A>\n<A NAME=x>n</A><DD>d\n<DT><A HREF=' '>b</A><A HREF='http://x.test/'>x</A>")
    #expect(records.lines == ["other > x <http://x.test/>"])
    #expect(records.skipped.map(\.place) == [.line(5), .line(6), .line(7)])
    #expect(records.warnings.isEmpty)
  }

  @Test func `odd addresses are kept as they are, and said`() throws {
    let odd = ["about:config", "place:sort=8", "not a url", "http://", "chrome://settings/"]
    let plain = ["javascript:alert(1)", "data:text/html,hi", "file:///x.html", "ftp://f.test/", "HTTP://x.test"]
    let records = try read("<DL>" + (odd + plain).map { "<DT><A HREF=\"\($0)\">t</A>" }.joined())
    #expect(records.bookmarks.map(\.url) == odd + plain)
    #expect(records.warnings.count == odd.count)
    #expect(!records.warnings.contains { $0.reason.contains("config") || $0.reason.contains("not a url") })
  }

  @Test func `a separator may be a link to a placeholder`() throws {
    let records = try read(
      "<DL><A HREF='http://bookmark.placeholder.url/'>---</A><DT><A HREF='http://1.test/'>1</A><HR NAME=x>")
    #expect(records.lines == ["other > ----", "other > 1 <http://1.test/>", "other > ----"])
  }

  @Test(arguments: [600, 100_000])
  func `folders may be nested deeply`(depth: Int) throws {
    let body = String(repeating: "<DT><H3>F</H3><DL><p>", count: depth) + "<A HREF='http://deep.test/'>d</A>"
    let records = try read(body)
    #expect(records.bookmarks.count == depth + 1)
    #expect(records.bookmarks.last?.parent == records.bookmarks[depth - 1].id)
  }

  @Test func `tags over several lines, in lower case and without quotes are read`() throws {
    let records = try read(
      "<dl><dt><h3\n add_date=1500000000>f</h3><dl><dt><a\n\thref=http://1.test/?q=1\nADD_DATE='1500000001'\n>1</a>")
    #expect(records.lines == ["other > f/", "other > f > 1 <http://1.test/?q=1>"])
    #expect(records.bookmarks.map(\.dateAdded?.microseconds) == [1_500_000_000_000_000, 1_500_000_001_000_000])
  }

  @Test func `a truncated file gives what is complete`() throws {
    let records = try read("<DL><DT><A HREF='http://1.test/'>1</A><DT><A HREF='http://2.test/'>tw")
    #expect(records.lines == ["other > 1 <http://1.test/>", "other > tw <http://2.test/>"])
    #expect(try read("<DL><DT><A HREF='http://1.test/'>1</A><DT><A HREF='http://2").lines.count == 1)
  }

  @Test func `what is no bookmark file is refused`() {
    for text in ["", "\0\0\0", "<html><p>no <a href='http://x.test/'>marks</a></html>", "a,b\n<d,l"] {
      #expect(throws: FormatError.notThisFormat("a bookmark file")) {
        try CollectedRecords(NetscapeBookmarkSource(MemoryInput(Array(text.utf8))))
      }
    }
  }
}

@Suite struct NetscapeRootTests {
  @Test func `a Firefox file has the menu at the top and marked roots`() throws {
    let text = """
      <!DOCTYPE NETSCAPE-Bookmark-file-1>
      <meta http-equiv="Content-Security-Policy" content="default-src 'self'"></meta>
      <H1>Lesezeichen-Menü</H1>
      <DL><p><DT><A HREF="http://m.test/">m</A>
      <HR>    <DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bar</H3><DL><p><DT><A HREF="http://t.test/">t</A></DL><p>
      <DT><H3 MOBILE_BOOKMARKS_FOLDER="true">Mobile</H3><DL><p><DT><A HREF="http://p.test/">p</A></DL><p>
      </DL>
      """
    let records = try CollectedRecords(NetscapeBookmarkSource(MemoryInput(Array(text.utf8))))
    #expect(
      records.lines == [
        "toolbar > t <http://t.test/>", "menu > m <http://m.test/>", "menu > ----", "mobile > p <http://p.test/>",
      ])
  }

  @Test func `a marked Other folder says that the top level is the menu`() throws {
    let records = try read(
      "<DL><A HREF='http://m.test/'>m</A><H3 UNFILED_BOOKMARKS_FOLDER=\"true\">O</H3><DL><A HREF='http://o.test/'>o</A></DL>"
    )
    #expect(records.lines == ["menu > m <http://m.test/>", "other > o <http://o.test/>"])
  }

  @Test func `a mark inside a folder makes no root`() throws {
    let records = try read(
      "<DL><H3>F</H3><DL><H3 PERSONAL_TOOLBAR_FOLDER=true>B</H3><DL><A HREF='http://b.test/'>b</A>")
    #expect(records.lines == ["other > F/", "other > F > B/", "other > F > B > b <http://b.test/>"])
    #expect(records.warnings.count == 1)
  }

  @Test func `Safari's file without an outer list gives the toolbar, the menu and the reading list`() throws {
    let text = """
      <!DOCTYPE NETSCAPE-Bookmark-file-1>
      <HTML><Title>Bookmarks</Title><H1>Bookmarks</H1>
      <DT><H3 FOLDED>Favoriten</H3><DL><p><DT><A HREF="http://f.test/">f</A>
      <DT><H3 FOLDED>Favorites</H3><DL><p></DL><p></DL><p>
      <DT><H3 FOLDED>Bookmarks Menu</H3><DL><p><DT><A HREF="http://m.test/">m</A></DL><p>
      <DT><H3 FOLDED id="com.apple.ReadingList">Liste de lecture</H3><DL><p>
      <DT><A HREF="http://r.test/" ADD_DATE="1500000000">r</A><DD>first words
      <DT><H3>inner</H3><DL><DT><A HREF="http://s.test/">s</A></DL>
      <DT><A HREF="http://r.test/">again</A></DL><p>
      <DT><A HREF="http://l.test/">l</A></HTML>
      """
    let records = try CollectedRecords(NetscapeBookmarkSource(MemoryInput(Array(text.utf8))))
    #expect(
      records.lines == [
        "toolbar > f <http://f.test/>", "toolbar > Favorites/", "menu > m <http://m.test/>",
        "other > l <http://l.test/>",
      ])
    #expect(records.readingList.map(\.url) == ["http://r.test/", "http://s.test/"])
    #expect(records.readingList[0].preview == "first words")
    #expect(records.readingList[0].dateAdded == Timestamp(seconds: 1_500_000_000))
    #expect(records.warnings.map(\.type) == [.readingList])
  }

  @Test(arguments: [
    ("Favoriten", "Lesezeichen-Menü"), ("Favoris", "Menu Signets"), ("Preferiti", "Menu Preferiti"),
    ("お気に入り", "ブックマークメニュー"), ("Oblíbené", "Nabídka Záložky"),
  ])
  func `Safari's toolbar and menu are known in other languages`(toolbar: String, menu: String) throws {
    let folder = { (name: String, url: String) in
      "<DT><H3 FOLDED>\(name)</H3>\n<DL><p>\n<DT><A HREF=\"\(url)\">x</A>\n</DL><p>\n"
    }
    let text =
      "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<HTML>\n<Title>T</Title>\n<H1>T</H1>\n" + folder(toolbar, "http://t.test/")
      + folder(menu, "http://m.test/") + folder("Mine", "http://o.test/") + "</HTML>\n"
    let lines = try CollectedRecords(NetscapeBookmarkSource(MemoryInput(Array(text.utf8)))).lines
    #expect(
      lines == [
        "toolbar > x <http://t.test/>", "menu > x <http://m.test/>", "other > Mine/",
        "other > Mine > x <http://o.test/>",
      ])
  }

  @Test func `a folder that only bears the reading list's name is a folder`() throws {
    let records = try read("<DL><H3>Reading List</H3><DL><A HREF='http://p.test/'>p</A></DL></DL>")
    #expect(records.lines == ["other > Reading List/", "other > Reading List > p <http://p.test/>"])
    #expect(records.readingList.isEmpty)
  }

  @Test func `only the kinds asked for are handed over`() throws {
    let body =
      "<DL><A HREF='about:x'>p</A><H3 id='com.apple.ReadingList'>R</H3><DL><A HREF='http://r.test/'>r</A></DL></DL>"
    let bookmarks = try read(body, types: .bookmarks)
    #expect(bookmarks.bookmarks.count == 1 && bookmarks.readingList.isEmpty && bookmarks.remarks.count == 1)
    let list = try read(body, types: .readingList)
    #expect(list.bookmarks.isEmpty && list.readingList.count == 1 && list.remarks.isEmpty)
    let counts = try NetscapeBookmarkSource(MemoryInput(Array((head + body).utf8))).counts()
    #expect(counts[.bookmarks] == 1 && counts[.readingList] == 1)
  }
}

@Suite struct NetscapeBatchTests {
  @Test func `many links come in their order, in batches that stay small`() throws {
    let icon = "data:" + String(repeating: "A", count: 1500)
    let body = (0..<9000).map { "<DT><A HREF=\"http://\($0).test/\" ICON=\"\(icon)\">\($0)</A><DD>d\($0)\n" }.joined()
    var largest = 0
    var found: [Bookmark] = []
    try NetscapeBookmarkSource(MemoryInput(Array((head + body).utf8))).read(.bookmarks) { batch in
      guard case .bookmarks(let bookmarks) = batch else { return }
      largest = max(largest, bookmarks.count)
      found += bookmarks
    }
    #expect(found.map(\.title) == (0..<9000).map(String.init))
    #expect(found.map(\.description) == (0..<9000).map { "d\($0)" })
    #expect(found.map(\.position) == Array(0..<9000))
    #expect(largest < 4096)
  }
}
