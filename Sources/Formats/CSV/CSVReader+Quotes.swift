/// Reading values in quotes, with care.
extension CSVReader {
  /// What quotes mean in a row.
  enum Quoting {
    case plain
    /// As `plain`, and a backslash takes a quote's meaning from it.
    case escapes
    /// Nothing.
    case literal
  }

  private static let backslash = UInt8(ascii: "\\")

  /// Reads a value that starts with a quote.
  mutating func quoted(_ index: inout Int, _ escapes: Bool) throws(FormatError) -> Field {
    var first = index &+ 1
    let copyStart = copied.count
    var isCopied = false
    index = first
    while true {
      guard let mark = try quoteOrEscape(from: index, escapes) else {
        trouble.insert(.unclosedQuote)
        index = window.count &- rowStart
        return Field(first..<first, isQuoted: true)
      }
      let isQuote = window[rowStart &+ mark] == CSVReader.quote
      let isDoubled = window[rowStart &+ mark &+ 1] == CSVReader.quote
      if isQuote, mark > first, window[rowStart &+ mark &- 1] == CSVReader.backslash { isBackslashSeen = true }
      if isQuote, !isDoubled {
        index = mark &+ 1
        let isLast = rowStart &+ index == window.count
        if !isCopied, isLast || endsField(window[rowStart &+ index]) {
          return Field(first..<mark, isQuoted: true)
        }
        copy(first..<mark)
        try appendTail(&index)
        return Field(copyStart..<copied.count, isCopied: true, isQuoted: true)
      }
      isCopied = true
      if isDoubled {
        // Two quotes, or a backslash and a quote, stand for a quote.
        copy(first..<mark)
        copied.append(CSVReader.quote)
        index = mark &+ 2
      } else {
        copy(first..<(mark &+ 1))
        index = mark &+ 1
      }
      first = index
    }
  }

  private mutating func copy(_ range: Range<Int>) {
    copied.append(contentsOf: window.slice(inWindow(range)))
  }

  /// The next quote, or backslash when those escape; the byte behind it is in the window, too, where there is one.
  private mutating func quoteOrEscape(from start: Int, _ escapes: Bool) throws(FormatError) -> Int? {
    var index = start
    while true {
      let quote = window.firstIndex(of: CSVReader.quote, from: rowStart &+ index, to: window.count)
      var found = quote
      if escapes {
        found = window.firstIndex(of: CSVReader.backslash, from: rowStart &+ index, to: quote ?? window.count) ?? quote
      }
      if let found {
        let mark = found &- rowStart
        if found &+ 1 == window.count { _ = try more() }
        return mark
      }
      index = window.count &- rowStart
      if try !more() { return nil }
    }
  }

  /// What stands between a closing quote and the end of the value belongs to the value.
  private mutating func appendTail(_ index: inout Int) throws(FormatError) {
    let first = index
    index = try fieldEnd(from: index)
    if index > first {
      trouble.insert(.textAfterQuote)
      copy(first..<index)
    }
  }
}
