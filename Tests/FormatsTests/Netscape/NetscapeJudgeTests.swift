import BrowsingData
import Foundation
import TestSupport
import Testing

@testable import Formats

/// What is written, read by a parser of HTML that is not ours (python3-html5lib; without it there is nothing to ask).
@Suite struct NetscapeJudgeTests {
  private let folder = TemporaryFolder()

  @Test func `html5lib finds the same tree`() throws {
    let bookmarks = randomTree(seed: 31, count: 300)
    let text = try write(bookmarks, .firefox)
    guard let judged = try judge(text) else { return }
    let ours = try CollectedRecords(NetscapeBookmarkSource(MemoryInput(text))).lines
    #expect(judged == ours)
    #expect(judged.count == 300)
  }

  @Test(arguments: NetscapeFlavor.allCases)
  func `html5lib finds every link of each flavor, with its title`(flavor: NetscapeFlavor) throws {
    let bookmarks = randomTree(seed: 32, count: 300)
    guard let judged = try judge(write(bookmarks, flavor)) else { return }
    let links = judged.filter { $0.hasSuffix(">") }.compactMap { $0.split(separator: " > ").last.map(String.init) }
    let expected = bookmarks.filter { $0.kind == .bookmark }.map { bookmark in
      "\(bookmark.title.trimmingCharacters(in: .whitespacesAndNewlines)) <\(bookmark.url ?? "")>"
    }
    #expect(links.sorted() == expected.compactMap { $0.split(separator: " > ").last.map(String.init) }.sorted())
  }

  private func write(_ bookmarks: [Bookmark], _ flavor: NetscapeFlavor) throws -> [UInt8] {
    let output = MemoryOutput()
    var sink = NetscapeBookmarkSink(output, flavor: flavor)
    try sink.write(.bookmarks(bookmarks))
    _ = try sink.finish()
    return output.bytes
  }

  /// Lines as `CollectedRecords.lines` has them.
  private func judge(_ text: [UInt8]) throws -> [String]? {
    let path = folder["judged.html"]
    try Data(text).write(to: URL(fileURLWithPath: path))
    let program = """
      import json, sys
      try:
        import html5lib
      except ImportError:
        print("null"); sys.exit()
      marks = {"personal_toolbar_folder": "toolbar", "unfiled_bookmarks_folder": "other", "mobile_bookmarks_folder": "mobile"}
      lines = {root: [] for root in ("toolbar", "menu", "other", "mobile")}
      pending = None
      def walk(element, path):
        global pending
        for child in element:
          title = "".join(child.itertext()).strip() if child.tag in ("a", "h3") else ""
          if child.tag == "h3":
            root = next((name for mark, name in marks.items() if mark in child.attrib), None)
            pending = root or f"{path} > {title}"
            if not root: lines[path.split(" > ")[0]].append(pending + "/")
          elif child.tag == "a":
            lines[path.split(" > ")[0]].append(f"{path} > {title} <{child.attrib['href']}>")
          elif child.tag == "hr":
            lines[path.split(" > ")[0]].append(f"{path} > ----")
          elif child.tag == "dl":
            inside, pending = pending or path, None
            walk(child, inside)
          else:
            walk(child, path)
      sys.setrecursionlimit(10000)
      walk(html5lib.parse(open(sys.argv[1], "rb").read(), namespaceHTMLElements=False), "menu")
      print(json.dumps(sum(lines.values(), [])))
      """
    guard let answer = try python(program, path) else { return nil }
    return try JSONDecoder().decode([String]?.self, from: Data(answer.utf8))
  }
}
