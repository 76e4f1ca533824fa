import Foundation
import TestSupport
import Testing

@Suite struct ImportTests {
  private let folder = TemporaryDirectory()
  private var wherry: Wherry { Wherry(home: folder.file("home")) }

  /// Bookmark HTML with a folder of two links.
  private func page(_ name: String = "in.html", second: String = "Second") throws -> String {
    let text = """
      <!DOCTYPE NETSCAPE-Bookmark-file-1>
      <TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
      <DL><p>
        <DT><H3>Folder</H3>
        <DL><p>
          <DT><A HREF="https://one.test/">First</A>
          <DT><A HREF="https://two.test/">\(second)</A>
        </DL><p>
      </DL><p>
      """
    try text.write(toFile: folder.file(name), atomically: true, encoding: .utf8)
    return folder.file(name)
  }

  private func titles(_ result: Wherry.Result) -> [String] {
    result.events("record").compactMap { $0["title"] as? String }
  }

  @Test func `an import is counted, listed in order, and not taken twice`() throws {
    let path = try page()
    let first = try wherry.run("import", path, "--json")
    #expect(first.exit == 0)
    #expect(first.figures("bookmarks")["added"] == 3)
    let listed = try wherry.run("list", "bookmarks", "--json")
    #expect(titles(listed) == ["Folder", "First", "Second"])
    #expect(listed.events("record").map { $0["position"] as? Int } == [0, 0, 1])
    let second = try wherry.run("import", path, "--json")
    #expect(second.figures("bookmarks")["added"] == 0)
    #expect(second.figures("bookmarks")["changed"] == 0)
    #expect(second.figures("bookmarks")["unchanged"] == 3)
  }

  @Test func `a dry run says the same and changes nothing`() throws {
    let dry = try wherry.run("import", try page(), "--dry-run", "--json")
    #expect(dry.figures("bookmarks")["added"] == 3)
    #expect(try wherry.run("list", "bookmarks", "--json").events("record").isEmpty)
  }

  @Test func `an import goes below a folder of its own when that is wanted`() throws {
    #expect(try wherry.run("import", try page(), "--into-folder", "From the old one", "--json").exit == 0)
    #expect(titles(try wherry.run("list", "bookmarks", "--json")) == ["From the old one", "Folder", "First", "Second"])
  }

  @Test func `undo takes the last import back, and only that`() throws {
    _ = try wherry.run("import", try page())
    _ = try wherry.run("import", try page("other.html", second: "Third"))
    let undone = try wherry.run("undo", "--json")
    #expect(undone.exit == 0)
    #expect(titles(try wherry.run("list", "bookmarks", "--json")) == ["Folder", "First", "Second"])
  }

  @Test func `a file is listed without an import, with the ids that an import gives`() throws {
    let path = try page()
    let listed = try wherry.run("list", "bookmarks", "--from", path, "--json")
    #expect(try wherry.run("list", "bookmarks", "--json").events("record").isEmpty)
    _ = try wherry.run("import", path)
    let imported = try wherry.run("list", "bookmarks", "--json")
    #expect(listed.output == imported.output)
  }

  @Test func `what is no known file, not there or wrongly named has its exit status and word`() throws {
    try Data([1, 2, 3, 0]).write(to: URL(fileURLWithPath: folder.file("noise")))
    let noise = try wherry.run("import", folder.file("noise"), "--json")
    #expect(noise.exit == 17)
    #expect(noise.events("error").first?["code"] as? String == "bad_input")
    let missing = try wherry.run("import", folder.file("nowhere"), "--json")
    #expect(missing.exit == 10)
    #expect(missing.events("error").first?["code"] as? String == "not_found")
    let profile = try wherry.run("import", "firefox:nobody", "--json")
    #expect(profile.exit == 10)
  }

  @Test func `a password table without a header is refused with the word that says whose it is`() throws {
    try "a,b,secret,Title,c,https://one.test/,user\n".write(
      toFile: folder.file("in.csv"), atomically: true, encoding: .utf8)
    let refused = try wherry.run("import", folder.file("in.csv"), "--json")
    #expect(refused.exit == 17)
    #expect((refused.events("error").first?["hint"] as? String)?.contains("csv-1password:") == true)
    #expect(
      try wherry.run("import", "csv-1password:" + folder.file("in.csv"), "--json").figures("passwords")["added"] == 1)
  }

  @Test func `a damaged file of a profile leaves the rest to be chosen by --types`() throws {
    let profile = folder.file("profile")
    try unpackProfile("firefox-profile", to: profile, through: folder.file("unpacked"))
    let file = profile + "/extensions.json"
    let whole = try #require(FileManager.default.contents(atPath: file))
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: file))
    let refused = try wherry.run("import", profile, "--json")
    #expect(refused.exit == 17)
    let error = try #require(refused.events("error").first)
    #expect((error["message"] as? String)?.contains("extensions.json") == true)
    #expect((error["hint"] as? String)?.contains("--types") == true)
    let taken = try wherry.run("import", profile, "--types", "bookmarks,history", "--json")
    #expect(taken.exit == 0 && taken.figures("history")["added"] == 183)
  }

  @Test func `one wrong source of two changes nothing`() throws {
    #expect(try wherry.run("import", try page(), folder.file("nowhere")).exit == 10)
    #expect(try wherry.run("list", "bookmarks", "--json").events("record").isEmpty)
  }

  @Test func `limit and search choose records`() throws {
    _ = try wherry.run("import", try page())
    #expect(titles(try wherry.run("list", "bookmarks", "--limit", "1", "--json")) == ["Folder"])
    #expect(titles(try wherry.run("list", "bookmarks", "--search", "SECOND", "--json")) == ["Second"])
  }
}
