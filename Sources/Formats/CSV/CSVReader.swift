/// Reads comma-separated values row by row: RFC 4180, and what programs write in its place. A value is a range of the row
/// until its text is asked for. The file is read through a window: a row costs memory, the file does not.
struct CSVReader: ~Copyable {
  /// A value of a row.
  struct Field {
    /// From the start of the row, or in what was copied because quotes had to be undone.
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
    /// The row is longer than what may be held.
    static let overlong = Trouble(rawValue: 32)
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
  /// No more of a row is ever held.
  private static let maximumRow = 16 << 20

  private var window: ByteWindow
  private var delimiter = UInt8(ascii: ",")
  private let lineMark: UInt8
  /// The values of the row that was read last.
  private(set) var fields: [Field] = []
  /// What is wrong with it.
  private(set) var trouble: Trouble = []
  /// Where that row starts in the window, and the next one.
  private var rowStart = 0
  private var position = 0
  private var isAtEnd = false
  private var copied: [UInt8] = []
  /// The line of the byte at `counted`.
  private var lines = 1
  private var counted = 0
  /// The line of the row when it is no longer in the window.
  private var rowLine: Int?
  /// How many values the first row has.
  private var width = 0
  /// Whether all of the row is ASCII.
  private var isASCII = false
  /// Whether a backslash stands before a quote of the row.
  private var isBackslashSeen = false
  /// How often a second way of reading a row, or going on behind a quote that is never closed, was of no use. A file can
  /// be made such that each costs as much as may be held.
  private var failures = 0

  /// Over a text. The delimiter is a comma, or a semicolon or tab that stands in the first line when no comma does; a
  /// first line `sep=;` says it.
  static func open(_ text: StreamedText) throws(FormatError) -> CSVReader {
    var reader = CSVReader(try text.open(), lineMark: text.hasLineFeeds ? 0x0A : 0x0D)
    try reader.passPreamble()
    return reader
  }

  private init(_ stream: any OpenByteInput, lineMark: UInt8) {
    window = ByteWindow(stream, limit: CSVReader.maximumRow)
    self.lineMark = lineMark
  }

  /// The line in which the last row starts.
  mutating func line() -> Int {
    if let rowLine { return rowLine }
    countLines()
    return lines
  }

  /// Whether a value is there and not empty.
  @inline(__always)
  func isEmpty(_ index: Int) -> Bool { index >= fields.count || fields[index].range.isEmpty }

  /// Hands over the bytes of a value; none where the row ends before it.
  @inline(__always)
  func withBytes<R>(_ index: Int, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    guard index < fields.count else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    let field = fields[index]
    if field.isCopied {
      return copied.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[field.range])) }
    }
    return body(window.slice(inWindow(field.range)))
  }

  /// The text of a value; "" where the row ends before it.
  @inline(__always)
  func text(_ index: Int) -> String {
    withBytes(index) { bytes in
      isASCII ? asciiString(bytes) : validatedString(bytes) ?? String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Whether a value is this word, letters of either case alike. The word is in lower case.
  func isWord(_ index: Int, _ word: StaticString) -> Bool {
    withBytes(index) { bytes in
      bytes.count == word.utf8CodeUnitCount
        && (0..<bytes.count).allSatisfy { lowercased(bytes[$0]) == word.utf8Start[$0] }
    }
  }

  @inline(__always)
  private func inWindow(_ range: Range<Int>) -> Range<Int> {
    (rowStart &+ range.lowerBound)..<(rowStart &+ range.upperBound)
  }

  private mutating func countLines() {
    while let found = window.firstIndex(of: lineMark, from: counted, to: rowStart) {
      lines &+= 1
      counted = found &+ 1
    }
    counted = max(counted, rowStart)
  }

  /// Reads on behind the row, which then starts the window. False when there is no more, or no more may be held.
  private mutating func more() throws(FormatError) -> Bool {
    if isAtEnd { return false }
    countLines()
    let growth = try window.read(keeping: rowStart)
    position &-= rowStart
    counted &-= rowStart
    rowStart = 0
    switch growth {
    case .more: return true
    case .full: return false
    case .ended:
      isAtEnd = true
      return false
    }
  }
}

// MARK: Rows

extension CSVReader {
  /// Reads the next row into `fields`; false after the last one. Rows without any value are passed over.
  mutating func next() throws(FormatError) -> Bool {
    while true {
      rowStart = position
      if position == window.count, try !more() { return false }
      isBackslashSeen = false
      rowLine = nil
      let length = try row(.plain)
      position = rowStart &+ length
      if !trouble.isEmpty {
        if !trouble.isDisjoint(with: .nonsense) { try tryOtherWays() }
        if trouble.contains(.unclosedQuote) { try goOnBehindLine() }
        if trouble.contains(.overlong) { try passLine() }
      }
      look()
      if !trouble.isEmpty || !fields.allSatisfy({ $0.range.isEmpty }) {
        if width == 0 { width = fields.count }
        return true
      }
    }
  }

  /// Looks for NULs in the row, and whether it is ASCII: eight bytes at a time.
  @inline(__always)
  private mutating func look() {
    let ones: UInt64 = 0x0101_0101_0101_0101
    var (seen, zeros): (UInt64, UInt64) = (0, 0)
    var index = rowStart
    while index &+ 8 <= position {
      let word = (window.bytes + index).loadUnaligned(as: UInt64.self)
      seen |= word
      zeros |= (word &- ones) & ~word
      index &+= 8
    }
    while index < position {
      seen |= UInt64(window[index])
      zeros |= window[index] == 0 ? 0x80 : 0
      index &+= 1
    }
    isASCII = seen & (ones &* 0x80) == 0
    if zeros & (ones &* 0x80) != 0 { trouble.insert(.nul) }
  }

  /// Reads the row again: with `\"` as a quote where there is one; then with quotes as any other character, where the row
  /// ran over its line and would have as many values as the first one. Keeps what goes without trouble.
  private mutating func tryOtherWays() throws(FormatError) {
    guard failures < CSVReader.maximumFailures else { return }
    let length = position &- rowStart
    let plain = (fields, trouble, copied)
    if isBackslashSeen {
      let length = try row(.escapes)
      position = rowStart &+ length
      if trouble.isDisjoint(with: .nonsense) { return }
    }
    if length > 1 << 16 { failures += 1 }
    let literal = try row(.literal)
    if literal < length, fields.count == width {
      position = rowStart &+ literal
      trouble.insert(.strayQuote)
      return
    }
    failures += isBackslashSeen ? 1 : 0
    (fields, trouble, copied) = plain
    position = rowStart &+ length
  }

  /// A quote that is never closed spoils its own line, not the rest of the file.
  private mutating func goOnBehindLine() throws(FormatError) {
    failures += 1
    if failures < CSVReader.maximumFailures { return try passLine() }
    // Too many of them: what is left of the file is not read.
    rowLine = line()
    fields.removeAll()
    repeat { rowStart = window.count } while try more()
    position = window.count
  }

  /// Passes over the line in which the row starts.
  private mutating func passLine() throws(FormatError) {
    var end = lineEnd(from: rowStart)
    // The byte behind the line end counts, too: it may be the second half of one.
    while end &+ 1 >= window.count, !isAtEnd {
      if window.count &- rowStart >= CSVReader.maximumRow {
        fields.removeAll()
        rowStart = end
      }
      let start = rowStart
      _ = try more()
      end = lineEnd(from: end &- start)
    }
    position = min(behindLineEnd(end), window.count)
  }

  /// Reads a row and says how long it is, its line end included.
  private mutating func row(_ quoting: Quoting) throws(FormatError) -> Int {
    fields.removeAll(keepingCapacity: true)
    copied.removeAll(keepingCapacity: true)
    trouble = []
    var index = 0
    while true {
      if rowStart &+ index == window.count, try !more() {
        // The row ends behind a delimiter, or is cut.
        if isAtEnd {
          add(Field(range: index..<index))
        } else {
          markOverlong()
          fields.removeAll()
        }
        return index
      }
      if window[rowStart &+ index] == CSVReader.quote, quoting != .literal {
        add(try quoted(&index, quoting == .escapes))
      } else {
        let first = index
        index = try fieldEnd(from: index)
        add(Field(range: first..<index))
      }
      if trouble.contains(.overlong) {
        fields.removeAll()
        return index
      }
      guard rowStart &+ index < window.count else { return index }
      let mark = window[rowStart &+ index]
      index &+= 1
      if mark == delimiter { continue }
      if mark == 0x0D {
        if rowStart &+ index == window.count { _ = try more() }
        if window[rowStart &+ index] == 0x0A { index &+= 1 }
      }
      return index
    }
  }

  @inline(__always)
  private mutating func add(_ field: Field) {
    var field = field
    if field.range.count > CSVReader.maximumField {
      trouble.insert(.longField)
      field.range = field.range.lowerBound..<field.range.lowerBound
    }
    if fields.count < CSVReader.maximumFields { fields.append(field) }
  }

  /// The row is longer than what may be held: nothing of it is of use.
  private mutating func markOverlong() {
    trouble.insert(.longField)
    trouble.insert(.overlong)
  }

  /// Where the value that starts at an index of the row ends, when it stands in no quotes.
  @inline(__always)
  private mutating func fieldEnd(from start: Int) throws(FormatError) -> Int {
    var index = start
    while true {
      index = mark(from: rowStart &+ index) &- rowStart
      if rowStart &+ index < window.count { return index }
      if try !more() {
        if !isAtEnd { markOverlong() }
        return index
      }
    }
  }

  /// The next delimiter or line end in the window, eight bytes at a time.
  @inline(__always)
  private func mark(from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let delimiters = ones &* UInt64(delimiter)
    var index = start
    while index < window.count {
      let word = UInt64(littleEndian: (window.bytes + index).loadUnaligned(as: UInt64.self))
      let (delimited, fed, returned) = (word ^ delimiters, word ^ (ones &* 0x0A), word ^ (ones &* 0x0D))
      let found =
        (((delimited &- ones) & ~delimited) | ((fed &- ones) & ~fed) | ((returned &- ones) & ~returned))
        & (ones &* 0x80)
      if found != 0 { return min(index &+ (found.trailingZeroBitCount >> 3), window.count) }
      index &+= 8
    }
    return window.count
  }

  @inline(__always)
  private func endsField(_ byte: UInt8) -> Bool { byte == delimiter || byte == 0x0A || byte == 0x0D }

  /// The next line end in the window.
  private func lineEnd(from start: Int) -> Int {
    var index = start
    while index < window.count, window[index] != 0x0A, window[index] != 0x0D { index &+= 1 }
    return index
  }

  private func behindLineEnd(_ index: Int) -> Int {
    index &+ (window[index] == 0x0D && window[index &+ 1] == 0x0A ? 2 : 1)
  }
}

// MARK: Quotes

extension CSVReader {
  /// Reads a value that starts with a quote.
  private mutating func quoted(_ index: inout Int, _ escapes: Bool) throws(FormatError) -> Field {
    var first = index &+ 1
    let copyStart = copied.count
    var isCopied = false
    index = first
    while true {
      guard let mark = try quoteOrEscape(from: index, escapes) else {
        trouble.insert(.unclosedQuote)
        index = window.count &- rowStart
        return Field(range: first..<first, isQuoted: true)
      }
      let isQuote = window[rowStart &+ mark] == CSVReader.quote
      let isDoubled = window[rowStart &+ mark &+ 1] == CSVReader.quote
      if isQuote, mark > first, window[rowStart &+ mark &- 1] == CSVReader.backslash { isBackslashSeen = true }
      if isQuote, !isDoubled {
        index = mark &+ 1
        let isLast = rowStart &+ index == window.count
        if !isCopied, isLast || endsField(window[rowStart &+ index]) {
          return Field(range: first..<mark, isQuoted: true)
        }
        copy(first..<mark)
        try appendTail(&index)
        return Field(range: copyStart..<copied.count, isCopied: true, isQuoted: true)
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
  @inline(__always)
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

// MARK: The start

extension CSVReader {
  /// Finds the delimiter, and the first line that is neither empty nor a remark: some programs say on a line of their own
  /// who wrote the file.
  private mutating func passPreamble() throws(FormatError) {
    while true {
      rowStart = position
      var end = lineEnd(from: position)
      while end == window.count {
        let start = rowStart
        guard try more() else { break }
        end = lineEnd(from: end &- start)
      }
      let line = Array(window.slice(rowStart..<end))
      let text = line.trimmed(0..<line.count)
      if text.count == 5, line.isWord(text.lowerBound..<(text.lowerBound + 4), "sep=") {
        delimiter = line[text.upperBound - 1]
        try passLine()
        return
      }
      if !text.isEmpty, line[text.lowerBound] != UInt8(ascii: "#") {
        delimiter = CSVReader.delimiter(line, text)
        return
      }
      if end == window.count { return }
      try passLine()
    }
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
