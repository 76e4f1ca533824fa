import Foundation
import TestSupport
import Testing

/// The examples are programs that are built with everything else; here they run against each other.
@Suite(.serialized) struct ExampleTests {
  private let folder = TemporaryDirectory()

  @Test func `the article's code moves records from one process to another`() throws {
    let exporter = try Program("ArticleExample", ["export", "200"])
    let (code, address) = try exporter.invitation()
    let importer = try Program("ArticleExample", ["import", code, address])
    #expect(importer.end() == 0, "\(importer.errors.suffix(300))")
    #expect(exporter.end() == 0, "\(exporter.errors.suffix(300))")
    check(importer.output)
  }

  @Test func `it does so, too, when the importer asks`() throws {
    let importer = try Program("ArticleExample", ["import"])
    let (code, address) = try importer.invitation()
    let exporter = try Program("ArticleExample", ["export", "200", code, address])
    #expect(importer.end() == 0, "\(importer.errors.suffix(300))")
    #expect(exporter.end() == 0, "\(exporter.errors.suffix(300))")
    check(importer.output)
  }

  @Test func `it goes on after both programs were killed in the middle, and nothing is lost`() throws {
    let (count, go) = (6_000, folder.file("go"))
    let (old, new) = (["--folder", folder.file("old")], ["--folder", folder.file("new")])
    var exporter = try Program("ArticleExample", old + ["export", "\(count)"])
    let (code, address) = try exporter.invitation()
    let first = try Program("ArticleExample", new + ["--hold", "350", "import", code, address])
    #expect(first.waits(for: "Holding."), "\(first.errors)")
    first.kill()
    let second = try Program("ArticleExample", new + ["--hold", "300", "--until", go, "resume", "0"])
    #expect(second.waits(for: "Holding."), "\(second.errors)")
    exporter.kill()
    #expect(FileManager.default.createFile(atPath: go, contents: nil))
    exporter = try Program("ArticleExample", old + ["resume", "\(count)"])
    #expect(second.end() == 0, "\(second.errors.suffix(300))")
    #expect(exporter.end() == 0, "\(exporter.errors.suffix(300))")
    let (before, after) = (lines(first), lines(second))
    #expect(before.count == 350)
    // What the app had noted as stored did not come again, the rest did, each once.
    #expect(Set(before.prefix(300)).isDisjoint(with: after))
    #expect(after.count == 4 * count - 300 && Set(after).union(before).count == 4 * count)
    for folder in [old[1], new[1]] {
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder).isEmpty)
    }
  }

  @Test func `an import of which everything had arrived needs no exporter to go on`() throws {
    let new = ["--folder", folder.file("new")]
    let exporter = try Program("ArticleExample", ["--folder", folder.file("old"), "export", "100"])
    let (code, address) = try exporter.invitation()
    let first = try Program("ArticleExample", new + ["--hold", "350", "import", code, address])
    #expect(first.waits(for: "Holding."), "\(first.errors)")
    first.kill()
    exporter.kill()
    let second = try Program("ArticleExample", new + ["resume", "0"])
    #expect(second.end() == 0, "\(second.errors.suffix(300))")
    #expect(Set(lines(first)).union(lines(second)).count == 400)
  }

  private func lines(_ program: Program) -> [String] {
    program.output.split(separator: "\n").map(String.init)
  }

  private func check(_ output: String) {
    let lines = output.split(separator: "\n").map(String.init)
    #expect(lines.count == 800)
    #expect(Set(lines).count == 800)
    for line in [
      "folder folder-190 in -", "bookmark bookmark-199 https://example.test/199 in folder-190",
      "visit https://example.test/page/7 1700000420 1", "item https://example.test/read/0", "extension Extension 3 3",
    ] { #expect(lines.contains(line), "\(line)") }
    for number in stride(from: 0, to: 200, by: 10) {
      let folder = lines.firstIndex(of: "folder folder-\(number) in -")
      let inside = lines.firstIndex { $0.hasPrefix("bookmark bookmark-\(number + 1) ") }
      #expect((folder ?? .max) < (inside ?? -1))
    }
  }

  @Test func `ten thousand small files and one of 4 GiB arrive, though both programs are killed on the way`() throws {
    let (old, new) = (folder.file("old"), folder.file("new"))
    #expect(try Program("MigrationExample", ["fill", old, "10000"]).end() == 0)
    var exporter = try Program("MigrationExample", ["export", old, folder.file("old-home")])
    let (code, address) = try exporter.invitation()
    var importer = try Program("MigrationExample", ["import", new, folder.file("new-home"), code, address])
    #expect(importer.waits(for: " of "))
    importer.kill()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasPrefix(".new.wherry") })
    #expect(!FileManager.default.fileExists(atPath: new + "/Documents/Pictures"))
    importer = try Program("MigrationExample", ["import", new, folder.file("new-home"), "resume"])
    #expect(importer.waits(for: " of "))
    exporter.kill()
    exporter = try Program("MigrationExample", ["export", old, folder.file("old-home"), "resume"])
    #expect(importer.end() == 0, "\(importer.errors.suffix(200))")
    #expect(exporter.end() == 0, "\(exporter.errors.suffix(200))")
    #expect(importer.output == "received 10007, left out 0\n")
    // The enormous one by its size and what stands in its middle: its hole is not read.
    let judge = try Program("/usr/bin/diff", ["-r", "--no-dereference", "--exclude=panorama.raw", old, new])
    #expect(judge.end() == 0, "\(judge.output.prefix(500))")
    let panorama = try FileHandle(forReadingFrom: URL(fileURLWithPath: new + "/Documents/Pictures/panorama.raw"))
    #expect(try panorama.seekToEnd() == 4 << 30)
    try panorama.seek(toOffset: (2 << 30) - 3)
    #expect(try panorama.read(upToCount: 12) == Data([0, 0, 0]) + Data("middle".utf8) + Data([0, 0, 0]))
    let room = try Program("/usr/bin/du", ["-s", "--block-size=1M", new])
    #expect(room.end() == 0)
    #expect((Int(room.output.prefix { $0.isNumber }) ?? .max) < 200, "a hole became bytes")
    let status = try Program("MigrationExample", ["status", new])
    #expect(status.end() == 0 && status.output == "success\n")
    let again = try Program("MigrationExample", ["status", new])
    #expect(again.end() == 0 && again.output == "nothing\n")
  }
}
