import Foundation
import TestSupport
import Testing

@Suite struct ExportTests {
  private let folder = TemporaryDirectory()
  private var wherry: Wherry { Wherry(home: folder.file("home")) }

  private func importPage() throws {
    let text = """
      <!DOCTYPE NETSCAPE-Bookmark-file-1>
      <DL><p>
        <DT><A HREF="https://one.test/?a=1&amp;b=2" ADD_DATE="1700000000" TAGS="x,y">One &lt;1&gt;</A>
        <HR>
        <DT><A HREF="https://two.test/">Two</A>
      </DL><p>
      """
    try text.write(toFile: folder.file("in.html"), atomically: true, encoding: .utf8)
    #expect(try wherry.run("import", folder.file("in.html")).exit == 0)
  }

  @Test func `what is written and read into an empty home is the same`() throws {
    try importPage()
    let written = try wherry.run("export", "html:\(folder.file("out.html"))", "--json")
    #expect(written.exit == 0)
    #expect(written.figures("bookmarks")["added"] == 3)
    let other = Wherry(home: folder.file("other"))
    #expect(try other.run("import", folder.file("out.html")).exit == 0)
    func fields(_ wherry: Wherry) throws -> [[String?]] {
      try wherry.run("list", "bookmarks", "--json").events("record").map { record in
        ["kind", "title", "url"].map { record[$0] as? String } + [(record["date_added"] as? Int).map(String.init)]
      }
    }
    #expect(try fields(wherry) == fields(other))
  }

  @Test func `a written file is readable by its owner alone`() throws {
    try importPage()
    _ = try wherry.run("export", "html:\(folder.file("out.html"))")
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("out.html"))
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func `a dry run names the losses and writes nothing`() throws {
    try importPage()
    let dry = try wherry.run("export", "html-chromium:\(folder.file("out.html"))", "--dry-run", "--json")
    #expect(dry.exit == 0)
    let losses = dry.events("report").first?["losses"] as? [[String: Any]] ?? []
    #expect(losses.contains { $0["field"] as? String == "tags" && $0["count"] as? Int == 1 })
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.html")))
  }

  @Test func `a destination without a format, or that is none, is a usage error`() throws {
    for destination in [folder.file("out.xyz"), "store", "html:"] {
      let result = try wherry.run("export", destination, "--json")
      #expect(result.exit == 64)
      #expect(result.events("error").first?["code"] as? String == "usage")
    }
  }

  @Test func `a place that cannot be written is an error, and nothing is left there`() throws {
    try importPage()
    let result = try wherry.run("export", "html:\(folder.file("in.html"))/out.html", "--json")
    #expect([1, 10, 17].contains(result.exit))
    #expect((result.events("error").first?["message"] as? String)?.contains("in.html/out.html") == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["home", "in.html"])
  }

  /// Visits of the default profile and of one called Work.
  private func importHistory() throws {
    try FileManager.default.createDirectory(atPath: folder.file("safari"), withIntermediateDirectories: true)
    for (name, site) in [("History", "one"), ("History - Work", "two")] {
      let path = folder.file("safari/\(name).json")
      try
        #"{"metadata":{"data_type":"history"},"history":[{"url":"https://\#(site).test/","time_usec":1700000000000000}]}"#
        .write(toFile: path, atomically: true, encoding: .utf8)
      #expect(try wherry.run("import", path).exit == 0)
    }
  }

  @Test func `a profile that no record is of is not found, and nothing is written`() throws {
    try importHistory()
    let result = try wherry.run("export", "safari:\(folder.file("out.zip"))", "--profile", "NoSuch", "--json")
    #expect(result.exit == 10)
    let error = try #require(result.events("error").first)
    #expect(error["code"] as? String == "not_found")
    #expect((error["hint"] as? String)?.contains("Work") == true)
    #expect(!FileManager.default.fileExists(atPath: folder.file("out.zip")))
  }

  @Test(arguments: [["--profile", "Work"], ["--types", "history"]])
  func `an archive of chosen records has no member of others`(options: [String]) throws {
    try importPage()
    try importHistory()
    let archive = folder.file("out.zip")
    #expect(try wherry.run("export", "safari:\(archive)", options[0], options[1]).exit == 0)
    let bytes = try #require(FileManager.default.contents(atPath: archive))
    #expect(bytes.range(of: Data("History - Work.json".utf8)) != nil)
    #expect(bytes.range(of: Data("Bookmarks.html".utf8)) == nil)
  }
}
