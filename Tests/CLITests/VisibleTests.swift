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

  @Test func `long lines are broken at spaces, under their indent, and colours take no room`() {
    #expect(wrapped("short", to: 10) == ["short"])
    #expect(wrapped("  one two three", to: 9) == ["  one two", "  three"])
    #expect(wrapped("\u{1B}[1mone\u{1B}[0m two", to: 7) == ["\u{1B}[1mone\u{1B}[0m two"])
    #expect(wrapped("unbreakable-word and", to: 5) == ["unbreakable-word", "and"])
    #expect(wrapped("", to: 5) == [""])
  }
}

@Suite struct LargeDigitsTests {
  @Test func `a code stands in one row, in two where that is too wide, or not at all`() {
    #expect(LargeDigits.parts("48 219 365 74", columns: 76) == ["48 219 365 74"])
    #expect(LargeDigits.parts("48 219 365 74", columns: 36) == ["48 219", "365 74"])
    #expect(LargeDigits.parts("48 219 365 74", columns: 12) == [])
  }
}

@Suite struct KeyTests {
  @Test func `keys that come at once are taken one by one`() {
    var typed: [UInt8] = [0x1B, 0x5B, 0x42, 0x1B, 0x5B, 0x36, 0x7E, 0x20, 0x1B]
    var keys: [[UInt8]] = []
    while let key = Terminal.takeKey(&typed) { keys.append(key) }
    #expect(keys == [[0x1B, 0x5B, 0x42], [0x1B, 0x5B, 0x36, 0x7E], [0x20], [0x1B]])
  }
}
