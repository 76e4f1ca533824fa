import BrowsingData
import TestSupport
import Testing

@testable import Formats

@Suite struct BookmarkLimitTests {
  @Test func `a file of a few bytes for each of very many bookmarks is refused before one is taken`() {
    let front = Array("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL>".utf8)
    let link = Array("<a href=x>".utf8)
    var bytes = front
    bytes.reserveCapacity(front.count + (BookmarkIDs.maximum + 1) * link.count)
    for _ in 0...BookmarkIDs.maximum { bytes += link }
    #expect(throws: BookmarkIDs.tooMany) { try NetscapeBookmarkSource(MemoryInput(bytes)).read(.bookmarks) { _ in } }
  }

  @Test(arguments: [1, 7, 100, Int.max])
  func `links, headings and separators are counted wherever the file is cut`(chunk: Int) throws {
    let line = "<DT><A HREF='a'>A < h</A><HR><h3>x</H3><DD>a<a\n"
    let text = "<DL>" + String(repeating: line, count: 50)
    let survey = try NetscapeSurvey(StreamedText(MemoryInput(Array(text.utf8), chunk: chunk)))
    #expect(survey.items == 50 * 4)
  }

  @Test func `JSON of more nodes than may be kept is refused`() throws {
    let text = #"{"children":["# + [String](repeating: "{}", count: 10).joined(separator: ",") + "]}"
    func read(_ maximum: Int) throws -> Int {
      var reader = BookmarkJSONReader<FirefoxBookmarkDialect>()
      reader.maximumNodes = maximum
      var scanner = try JSONScanner.open(MemoryInput(Array(text.utf8)))
      try reader.readNode(&scanner)
      return reader.nodes.count
    }
    #expect(try read(11) == 11)
    #expect(throws: BookmarkIDs.tooMany) { try read(10) }
  }
}
