/// Reads comma-separated values row by row: RFC 4180, and what programs write in its place. A value is a range of the file
/// until its text is asked for.
struct CSVReader {
  /// A value of a row.
  struct Field {
    /// In the file, or in what was copied because quotes had to be undone.
    var range: Range<Int>
    var isCopied = false
    /// Whether it stood in quotes: some programs tell "" from nothing.
    var isQuoted = false
  }

  /// What is wrong with a row.
  struct Trouble: OptionSet {
    let rawValue: UInt8
    static let textAfterQuote = Trouble(rawValue: 1)
    static let unclosedQuote = Trouble(rawValue: 2)
    static let longField = Trouble(rawValue: 4)
    static let nul = Trouble(rawValue: 8)
    static let strayQuote = Trouble(rawValue: 16)
    /// The row makes no sense as it was read.
    static let nonsense: Trouble = [.textAfterQuote, .unclosedQuote]
  }

  /// What quotes mean in a row.
  private enum Quoting {
    case plain
    /// As `plain`, and a backslash takes a quote's meaning from it.
    case escapes
    /// Nothing.
    case literal
  }

  /// A longer value is refused.
  static let maximumField = 1 << 20
  /// Further values of a row are passed over.
  static let maximumFields = 1024
  private static let maximumFailures = 64
  private static let quote = UInt8(ascii: "\"")
  private static let backslash = UInt8(ascii: "\\")

  private let bytes: [UInt8]
  private let delimiter: UInt8
  private let hasNUL: Bool
  /// The values of the row that was read last.
  private(set) var fields: [Field] = []
  /// What is wrong with it.
  private(set) var trouble: Trouble = []
  private var position: Int
  private var rowStart = 0
  private var copied: [UInt8] = []
  private var lines = LineCounter()
  /// How many values the first row has.
  private var width = 0
  /// Whether a backslash stands before a quote of the row.
  private var isBackslashSeen = false
  /// How often a second way of reading a row, or going on behind a quote that is never closed, was of no use. A file can
  /// be made such that each costs as much as the file is long.
  private var failures = 0

  /// Over a file in UTF-8. The delimiter is a comma, or a semicolon or tab that stands in the first line when no comma
  /// does; a first line `sep=;` says it.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    hasNUL = bytes.firstIndex(of: 0, from: 0, to: bytes.count) != nil
    (delimiter, position) = CSVReader.start(of: bytes)
  }

  /// The line in which the last row starts.
  mutating func line() -> Int { lines.line(at: rowStart, in: bytes) }

  /// Whether a value is there and not empty.
  func isEmpty(_ index: Int) -> Bool { index >= fields.count || fields[index].range.isEmpty }

  /// The text of a value; "" where the row ends before it.
  func text(_ index: Int) -> String {
    guard index < fields.count else { return "" }
    let field = fields[index]
    return field.isCopied ? copied.text(field.range) : bytes.text(field.range)
  }

  /// Whether a value is this word.
  func isWord(_ index: Int, _ word: StaticString) -> Bool {
    guard index < fields.count else { return false }
    let field = fields[index]
    return field.isCopied ? copied.isWord(field.range, word) : bytes.isWord(field.range, word)
  }

  // MARK: Rows

  /// Reads the next row into `fields`; false after the last one. Rows without any value are passed over.
  mutating func next() -> Bool {
    while position < bytes.count {
      rowStart = position
      isBackslashSeen = false
      position = row(at: rowStart, .plain)
      if !trouble.isDisjoint(with: .nonsense) { tryOtherWays() }
      if trouble.contains(.unclosedQuote) { goOnBehindLine() }
      if hasNUL, bytes.firstIndex(of: 0, from: rowStart, to: position) != nil { trouble.insert(.nul) }
      if !trouble.isEmpty || !fields.allSatisfy({ $0.range.isEmpty }) {
        if width == 0 { width = fields.count }
        return true
      }
    }
    return false
  }

  /// Reads the row again: with `\"` as a quote where there is one; then with quotes as any other character, where the row
  /// ran over its line and would have as many values as the first one. Keeps what goes without trouble.
  private mutating func tryOtherWays() {
    guard failures < CSVReader.maximumFailures else { return }
    let plain = (fields, trouble, copied, position)
    if isBackslashSeen {
      position = row(at: rowStart, .escapes)
      if trouble.isDisjoint(with: .nonsense) { return }
    }
    if plain.3 - rowStart > 1 << 16 { failures += 1 }
    position = row(at: rowStart, .literal)
    if position < plain.3, fields.count == width {
      trouble.insert(.strayQuote)
      return
    }
    failures += isBackslashSeen ? 1 : 0
    (fields, trouble, copied, position) = plain
  }

  /// A quote that is never closed spoils its own line, not the rest of the file.
  private mutating func goOnBehindLine() {
    failures += 1
    guard failures < CSVReader.maximumFailures else { return }
    var index = rowStart
    while index < bytes.count, bytes[index] != 0x0A, bytes[index] != 0x0D { index &+= 1 }
    position = CSVReader.behindLineEnd(bytes, index)
  }

  /// Reads a row and says where the next one starts.
  private mutating func row(at start: Int, _ quoting: Quoting) -> Int {
    fields.removeAll(keepingCapacity: true)
    copied.removeAll(keepingCapacity: true)
    trouble = []
    var index = start
    while true {
      var field: Field
      if index < bytes.count, bytes[index] == CSVReader.quote, quoting != .literal {
        field = quoted(&index, quoting == .escapes)
      } else {
        let first = index
        while index < bytes.count, !endsField(bytes[index]) { index &+= 1 }
        field = Field(range: first..<index)
      }
      if field.range.count > CSVReader.maximumField {
        trouble.insert(.longField)
        field.range = field.range.lowerBound..<field.range.lowerBound
      }
      if fields.count < CSVReader.maximumFields { fields.append(field) }
      if index >= bytes.count { return index }
      if bytes[index] != delimiter { return CSVReader.behindLineEnd(bytes, index) }
      index &+= 1
    }
  }

  @inline(__always)
  private func endsField(_ byte: UInt8) -> Bool { byte == delimiter || byte == 0x0A || byte == 0x0D }

  private static func behindLineEnd(_ bytes: [UInt8], _ index: Int) -> Int {
    let isPair = index &+ 1 < bytes.count && bytes[index] == 0x0D && bytes[index &+ 1] == 0x0A
    return min(index &+ (isPair ? 2 : 1), bytes.count)
  }

  // MARK: Quotes

  private mutating func quoted(_ index: inout Int, _ escapes: Bool) -> Field {
    var first = index &+ 1
    let copyStart = copied.count
    var isCopied = false
    index = first
    while true {
      guard let mark = mark(from: index, escapes) else {
        trouble.insert(.unclosedQuote)
        index = bytes.count
        return Field(range: first..<first, isQuoted: true)
      }
      let isDoubled = mark &+ 1 < bytes.count && bytes[mark &+ 1] == CSVReader.quote
      if bytes[mark] == CSVReader.quote, !isDoubled {
        if mark > first, bytes[mark &- 1] == CSVReader.backslash { isBackslashSeen = true }
        index = mark &+ 1
        if !isCopied, index >= bytes.count || endsField(bytes[index]) {
          return Field(range: first..<mark, isQuoted: true)
        }
        copied.append(contentsOf: bytes[first..<mark])
        appendTail(&index)
        return Field(range: copyStart..<copied.count, isCopied: true, isQuoted: true)
      }
      if bytes[mark] == CSVReader.quote, mark > first, bytes[mark &- 1] == CSVReader.backslash {
        isBackslashSeen = true
      }
      isCopied = true
      if isDoubled {
        // Two quotes, or a backslash and a quote, stand for a quote.
        copied.append(contentsOf: bytes[first..<mark])
        copied.append(CSVReader.quote)
        index = mark &+ 2
      } else {
        copied.append(contentsOf: bytes[first...mark])
        index = mark &+ 1
      }
      first = index
    }
  }

  /// The next quote, or backslash when those escape.
  private func mark(from index: Int, _ escapes: Bool) -> Int? {
    let quote = bytes.firstIndex(of: CSVReader.quote, from: index, to: bytes.count)
    guard escapes, let quote else { return quote }
    return bytes.firstIndex(of: CSVReader.backslash, from: index, to: quote) ?? quote
  }

  /// What stands between a closing quote and the end of the value belongs to the value.
  private mutating func appendTail(_ index: inout Int) {
    let first = index
    while index < bytes.count, !endsField(bytes[index]) { index &+= 1 }
    if index > first {
      trouble.insert(.textAfterQuote)
      copied.append(contentsOf: bytes[first..<index])
    }
  }

  // MARK: The start

  private static func start(of bytes: [UInt8]) -> (delimiter: UInt8, position: Int) {
    var index = 0
    while index < bytes.count {
      var end = index
      while end < bytes.count, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
      let line = bytes.trimmed(index..<end)
      if line.count == 5, bytes.isWord(line.lowerBound..<(line.lowerBound + 4), "sep=") {
        return (bytes[line.upperBound - 1], behindLineEnd(bytes, end))
      }
      // Some programs say on a line of their own who wrote the file.
      if !line.isEmpty, bytes[line.lowerBound] != UInt8(ascii: "#") { return (delimiter(bytes, line), index) }
      index = end < bytes.count ? behindLineEnd(bytes, end) : end
    }
    return (UInt8(ascii: ","), index)
  }

  private static func delimiter(_ bytes: [UInt8], _ line: Range<Int>) -> UInt8 {
    var isQuoted = false
    var found: UInt8?
    for byte in bytes[line] {
      if byte == quote { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: ",") { return byte }
      if byte == UInt8(ascii: ";") || byte == 0x09 { found = found ?? byte }
    }
    return found ?? UInt8(ascii: ",")
  }
}
