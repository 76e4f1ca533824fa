import Testing

@testable import CLI

@Suite struct VisibleTests {
  @Test func `what could move the cursor or turn the text is spelt out`() {
    #expect(visible("plain é 日本") == "plain é 日本")
    #expect(visible("a\u{1B}[31mb") == "a\\u{1b}[31mb")
    #expect(visible("a\nb\tc\rd") == "a\\nb\\tc\\rd")
    #expect(visible("\u{202E}abc\u{9B}") == "\\u{202e}abc\\u{9b}")
  }

  @Test func `text is cut and filled by columns`() {
    #expect(fitted("abcdef", to: 4) == "abc…")
    #expect(fitted("日本語", to: 4) == "日…")
    #expect(padded("日", to: 4) == "日  ")
    #expect(aligned("7", to: 3) == "  7")
  }

  @Test func `numbers are grouped`() {
    #expect(grouped(0) == "0")
    #expect(grouped(999) == "999")
    #expect(grouped(1_234_567) == "1,234,567")
    #expect(counted(1, "visit") == "1 visit")
    #expect(counted(2000, "entry", "entries") == "2,000 entries")
  }
}
