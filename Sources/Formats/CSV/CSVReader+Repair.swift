/// Making sense of a row whose quotes make none, and going on behind one of which nothing can be made.
extension CSVReader {
  private static let maximumFailures = 64

  /// Reads the row again: with `\"` as a quote where there is one; then with quotes as any other character, where the row
  /// ran over its line and would have as many values as the first one. Keeps what goes without trouble.
  mutating func tryOtherWays() throws(FormatError) {
    guard failures < CSVReader.maximumFailures else { return }
    let length = position &- rowStart
    let plain = (Array(fields), trouble, copied)
    if isBackslashSeen {
      let length = try row(.escapes)
      position = rowStart &+ length
      if trouble.isDisjoint(with: .nonsense) { return }
    }
    if length > 1 << 16 { failures += 1 }
    let literal = try row(.literal)
    if literal < length, fieldCount == width {
      position = rowStart &+ literal
      trouble.insert(.strayQuote)
      return
    }
    failures += isBackslashSeen ? 1 : 0
    restore(plain.0)
    (trouble, copied) = (plain.1, plain.2)
    position = rowStart &+ length
  }

  /// A quote that is never closed spoils its own line, not the rest of the file.
  mutating func goOnBehindLine() throws(FormatError) {
    failures += 1
    if failures < CSVReader.maximumFailures { return try passLine() }
    // Too many of them: what is left of the file is not read.
    rowLine = line()
    removeFields()
    repeat { rowStart = window.count } while try more()
    position = window.count
  }

  /// Passes over the line in which the row starts.
  mutating func passLine() throws(FormatError) {
    var end = lineEnd(from: rowStart)
    // The byte behind the line end counts, too: it may be the second half of one.
    while end &+ 1 >= window.count, !isAtEnd {
      if window.count &- rowStart >= CSVReader.maximumRow {
        removeFields()
        rowStart = end
      }
      let start = rowStart
      _ = try more()
      end = lineEnd(from: end &- start)
    }
    position = min(behindLineEnd(end), window.count)
  }

  /// The next line end in the window.
  func lineEnd(from start: Int) -> Int {
    var index = start
    while index < window.count, window[index] != 0x0A, window[index] != 0x0D { index &+= 1 }
    return index
  }

  private func behindLineEnd(_ index: Int) -> Int {
    index &+ (window[index] == 0x0D && window[index &+ 1] == 0x0A ? 2 : 1)
  }
}
