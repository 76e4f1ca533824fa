import Foundation
import TestSupport
import Testing

/// The words of the help are a contract with readers of documents: a change of them is seen in the golden files, which
/// WHERRY_GOLDEN=1 writes anew beside this file.
@Suite struct HelpTests {
  private static let words = [
    "", "demo", "send", "receive", "pair", "sync", "attach", "detach", "devices", "sources", "import", "export", "list",
    "forget", "conflicts", "undo", "status", "doctor",
  ]

  @Test(arguments: words) func `help says what it has always said`(word: String) throws {
    let folder = TemporaryDirectory()
    let wherry = Wherry(home: folder.file("home"))
    let result = word.isEmpty ? try wherry.run("--help") : try wherry.run(word, "--help")
    #expect(result.exit == 0)
    #expect(result.errors.isEmpty)
    #expect(result.output.split(separator: "\n").allSatisfy { $0.count <= 120 })
    let name = word.isEmpty ? "wherry" : word
    if ProcessInfo.processInfo.environment["WHERRY_GOLDEN"] != nil {
      let golden = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "Golden/\(name).txt")
      try result.output.write(to: golden, atomically: true, encoding: .utf8)
      return
    }
    let golden = try #require(Bundle.module.url(forResource: "Golden/\(name)", withExtension: "txt"))
    #expect(try String(contentsOf: golden, encoding: .utf8) == result.output)
  }

  @Test func `every command is in the golden files`() throws {
    let folder = TemporaryDirectory()
    let overview = try Wherry(home: folder.file("home")).run("--help").output
    let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.hasPrefix("  -") }
      .compactMap { $0.split(separator: " ").first.map(String.init) }
    #expect(commands == Array(HelpTests.words.dropFirst()))
  }
}
