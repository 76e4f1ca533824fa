/// Reading rows.
extension CSVReader {
  /// Reads the next row into `fields`; false after the last one. Rows without any value are passed over.
  mutating func next() throws(FormatError) -> Bool {
    while true {
      rowStart = position
      rowLine = nil
      if !wholeRow() {
        if position == window.count, try !more() { return false }
        try carefulRow()
      }
      look()
      if !trouble.isEmpty || hasValue {
        if width == 0 { width = fieldCount }
        return true
      }
    }
  }

  private var hasValue: Bool {
    for field in fields where !field.isEmpty { return true }
    return false
  }

  /// Reads a row of which every byte is in the window and every quote where it belongs, as nearly all are. False when it is
  /// another one; then nothing has changed but `fields`.
  @inline(__always)
  private mutating func wholeRow() -> Bool {
    let bytes = UnsafeRawPointer(window.bytes) + rowStart
    let count = window.count &- rowStart
    removeFields()
    var index = 0
    while index < count {
      let first = index
      var field: Field
      if bytes.load(fromByteOffset: index, as: UInt8.self) == CSVReader.quote {
        guard let (end, isDoubled) = CSVReader.closingQuote(bytes, from: first &+ 1, to: count) else { return false }
        field = Field(first &+ 1..<end, isQuoted: true, isDoubled: isDoubled)
        index = end &+ 1
      } else {
        index = mark(bytes, from: first, to: count)
        field = Field(first..<index)
      }
      // Behind the last byte there may be more of a value, or the second half of a line end.
      if index &+ 1 >= count || index &- first > CSVReader.maximumField || !append(field) { return false }
      let mark = bytes.load(fromByteOffset: index, as: UInt8.self)
      index &+= 1
      if mark == delimiter { continue }
      if mark == 0x0D {
        if bytes.load(fromByteOffset: index, as: UInt8.self) == 0x0A { index &+= 1 }
      } else if mark != 0x0A {
        return false
      }
      trouble = []
      position = rowStart &+ index
      return true
    }
    return false
  }

  /// The quote that closes a value, and whether others stand doubled before it; nil when it is not in the window.
  @inline(__always)
  private static func closingQuote(
    _ bytes: UnsafeRawPointer, from start: Int, to end: Int
  ) -> (end: Int, isDoubled: Bool)? {
    var index = start
    var isDoubled = false
    while true {
      index = ByteWords.index(of: quote, bytes, from: index, to: end)
      if index &+ 1 >= end { return nil }
      if bytes.load(fromByteOffset: index &+ 1, as: UInt8.self) != quote { return (index, isDoubled) }
      isDoubled = true
      index &+= 2
    }
  }

  /// Reads any row, in another way when quotes make no sense of it.
  @inline(never)
  private mutating func carefulRow() throws(FormatError) {
    isBackslashSeen = false
    let length = try row(.plain)
    position = rowStart &+ length
    if trouble.isEmpty { return }
    if !trouble.isDisjoint(with: .nonsense) { try tryOtherWays() }
    if trouble.contains(.unclosedQuote) { try goOnBehindLine() }
    if trouble.contains(.overlong) { try passLine() }
  }

  /// Looks for NULs in the row, and whether it is ASCII: eight bytes at a time.
  @inline(__always)
  private mutating func look() {
    let found = ByteWords.look(UnsafeRawPointer(window.bytes), from: rowStart, to: position)
    isASCII = found.isASCII
    if found.hasNUL { trouble.insert(.nul) }
  }

  /// Reads a row and says how long it is, its line end included.
  mutating func row(_ quoting: Quoting) throws(FormatError) -> Int {
    removeFields()
    copied.removeAll(keepingCapacity: true)
    trouble = []
    var index = 0
    while true {
      if rowStart &+ index == window.count, try !more() {
        // The row ends behind a delimiter, or is cut.
        if isAtEnd {
          add(Field(index..<index))
        } else {
          markOverlong()
          removeFields()
        }
        return index
      }
      if window[rowStart &+ index] == CSVReader.quote, quoting != .literal {
        add(try quoted(&index, quoting == .escapes))
      } else {
        let first = index
        index = try fieldEnd(from: index)
        add(Field(first..<index))
      }
      if trouble.contains(.overlong) {
        removeFields()
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

  private mutating func add(_ field: Field) {
    var field = field
    if field.range.count > CSVReader.maximumField {
      trouble.insert(.longField)
      field = Field(0..<0, isQuoted: field.isQuoted)
    }
    _ = append(field)
  }

  /// The row is longer than what may be held: nothing of it is of use.
  private mutating func markOverlong() {
    trouble.insert(.longField)
    trouble.insert(.overlong)
  }

  /// Where the value that starts at an index of the row ends, when it stands in no quotes.
  mutating func fieldEnd(from start: Int) throws(FormatError) -> Int {
    var index = start
    while true {
      index = mark(UnsafeRawPointer(window.bytes), from: rowStart &+ index, to: window.count) &- rowStart
      if rowStart &+ index < window.count { return index }
      if try !more() {
        if !isAtEnd { markOverlong() }
        return index
      }
    }
  }

  /// The next delimiter or line end among these bytes, eight at a time.
  @inline(__always)
  private func mark(_ bytes: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
    ByteWords.index(of: delimiter, 0x0A, 0x0D, bytes, from: start, to: end)
  }

  @inline(__always)
  func endsField(_ byte: UInt8) -> Bool { byte == delimiter || byte == 0x0A || byte == 0x0D }
}
