import BrowsingData
import Testing

@testable import CLI

@Suite struct ArgumentParserTests {
  struct Sample {
    var dry = false
    var types: DataTypes?
    var listen: [String] = []
    var resume: String?
    var limit: Int?
    var first: String?
    var rest: [String] = []
  }

  private static var parser: ArgumentParser<Sample> {
    ArgumentParser(parameters: [
      .flag("dry-run", \.dry, ""), .option("types", "T", \.types, ""), .options("listen", "ADDR", \.listen, ""),
      .option("resume", optional: "TRANSFER", \.resume, "", fits: { $0.count == 8 }),
      .option("limit", "N", \.limit, ""),
      .operand("FIRST", \.first, "", required: true), .operands("REST", \.rest, ""),
    ])
  }

  private func read(_ words: String...) throws(UsageError) -> Sample {
    var sample = Sample()
    try ArgumentParserTests.parser.parse(words, into: &sample)
    return sample
  }

  @Test func `options stand anywhere, with a space or an equals sign`() throws {
    let sample = try read("--types=cards,history", "a", "--limit", "5", "b", "--dry-run")
    #expect(sample.types == [.cards, .history])
    #expect(sample.limit == 5)
    #expect(sample.dry)
    #expect(sample.first == "a")
    #expect(sample.rest == ["b"])
  }

  @Test func `words after two dashes are operands`() throws {
    let sample = try read("--", "--dry-run", "-x")
    #expect(!sample.dry)
    #expect(sample.first == "--dry-run")
    #expect(sample.rest == ["-x"])
  }

  @Test func `an option may be repeated only where that has a meaning`() throws {
    #expect(try read("a", "--listen", "x", "--listen=y").listen == ["x", "y"])
    #expect(throws: UsageError("--limit can be given only once.")) { try read("a", "--limit", "1", "--limit", "2") }
  }

  @Test func `an optional value is taken only when the next word fits`() throws {
    #expect(try read("--resume", "12345678", "a").resume == "12345678")
    let sample = try read("--resume", "a")
    #expect(sample.resume == "")
    #expect(sample.first == "a")
  }

  @Test func `a value that is missing, wrong or not wanted is said`() {
    #expect(throws: UsageError("--limit needs a value: N.")) { try read("a", "--limit") }
    #expect(throws: UsageError("--limit needs a value: N.")) { try read("a", "--limit", "--dry-run") }
    #expect(throws: UsageError("--limit needs a number, not ‘x’.")) { try read("a", "--limit", "x") }
    #expect(throws: UsageError("--limit needs a number, not ‘-1’.")) { try read("a", "--limit", "-1") }
    #expect(throws: UsageError("--dry-run takes no value.")) { try read("a", "--dry-run=yes") }
    #expect(throws: UsageError("FIRST is missing.")) { try read() }
  }

  @Test func `an unknown option is answered with the nearest one`() {
    #expect(throws: UsageError("There is no option ‘--tpyes’. Did you mean ‘--types’?")) {
      try read("a", "--tpyes", "x")
    }
    #expect(throws: UsageError("There is no option ‘--zebra’.")) { try read("a", "--zebra") }
  }

  @Test func `types are words with commas, or all`() throws {
    #expect(try read("a", "--types", "all").types == .all)
    #expect(try read("a", "--types", "reading-list").types == .readingList)
    for wrong in ["", "bookmarks,", "resources", "cookies"] {
      #expect(throws: UsageError.self) { try read("a", "--types", wrong) }
    }
  }
}
