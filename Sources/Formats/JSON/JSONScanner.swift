import Glibc

/// Reads JSON piece by piece through a window of 256 KiB, so that a file of any size costs the same memory.
/// Strict as RFC 8259 (but for a byte order mark, which is passed over); never recurses.
/// A caller walks down with `enterObject`, `nextMember`, `enterArray`, `nextElement` and must read or skip every value.
struct JSONScanner: ~Copyable {
  /// The kinds of value, told by the first byte.
  enum Kind {
    case object
    case array
    case string
    case number
    case bool
    case null
  }

  /// A string or entry longer than this is refused.
  static let maximumEntry = 16 << 20
  private static let window = 256 << 10
  private static let slack = 24

  private let stream: any OpenByteInput
  private(set) var buffer: UnsafeMutableRawPointer
  private var capacity: Int
  /// The next byte to look at, and where the bytes in the window end; `slack` zeros follow.
  private var position = 0
  private var end = 0
  /// The offset in the file of the window's first byte.
  private(set) var base: Int64 = 0
  private var entryStart: Int?
  private var isAtEnd = false
  /// The levels that are open, each with its flags.
  private var depth = 0
  private let levels: UnsafeMutablePointer<UInt8>
  private let maximumDepth: Int
  private static let isObject: UInt8 = 1
  private static let isStarted: UInt8 = 2
  /// For texts whose escapes are undone.
  var scratch: [UInt8] = []

  /// The line of the next byte, from 1.
  private(set) var line = 1
  /// The offset in the file of the next byte.
  var offset: Int64 { base &+ Int64(position) }

  /// Starts at the front of an input. Deeper nesting than `maximumDepth` is refused; Safari's files have four levels.
  static func open(_ input: any ByteInput, maximumDepth: Int = 64) throws(FormatError) -> JSONScanner {
    var scanner = JSONScanner(try input.open(), maximumDepth)
    while scanner.end < 3, try scanner.refill() {}
    if scanner.byte(0) == 0xEF, scanner.byte(1) == 0xBB, scanner.byte(2) == 0xBF { scanner.position = 3 }
    return scanner
  }

  private init(_ stream: any OpenByteInput, _ maximumDepth: Int) {
    self.stream = stream
    self.maximumDepth = maximumDepth
    levels = .allocate(capacity: max(1, maximumDepth))
    levels.initialize(repeating: 0, count: max(1, maximumDepth))
    capacity = JSONScanner.window
    buffer = .allocate(byteCount: capacity + JSONScanner.slack, alignment: 16)
    buffer.initializeMemory(as: UInt8.self, repeating: 0, count: JSONScanner.slack)
  }

  deinit {
    buffer.deallocate()
    levels.deallocate()
  }
}

// MARK: Structure

extension JSONScanner {
  /// The kind of the value that comes next.
  mutating func kind() throws(FormatError) -> Kind {
    switch try nextByte() {
    case UInt8(ascii: "{"): return .object
    case UInt8(ascii: "["): return .array
    case UInt8(ascii: "\""): return .string
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
    case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
    case UInt8(ascii: "n"): return .null
    default: throw damaged("no JSON value")
    }
  }

  /// Steps into the object that comes next.
  mutating func enterObject() throws(FormatError) { try enter(UInt8(ascii: "{"), isObject: true) }

  /// Steps into the array that comes next.
  mutating func enterArray() throws(FormatError) { try enter(UInt8(ascii: "["), isObject: false) }

  /// The key of the next member of the object, or nil at its end, which is then left.
  @inline(__always)
  mutating func nextMember() throws(FormatError) -> Text? {
    guard try advance(past: UInt8(ascii: "}")) else { return nil }
    if try nextByte() != UInt8(ascii: "\"") { throw damaged("no key") }
    let keepsEntry = entryStart != nil
    if !keepsEntry { entryStart = position }
    let key = try text()
    if try nextByte() != UInt8(ascii: ":") { throw damaged("no colon after a key") }
    position &+= 1
    if !keepsEntry { entryStart = nil }
    return key
  }

  /// The next member's key by `key`, nil in place of it at the end of the object. What stands between two values is
  /// mostly what stood there in the entry before, byte for byte: then one comparison does. Only within an entry.
  @inline(__always)
  mutating func nextMember<Key>(
    row: Int, _ shape: inout JSONShape<Key>, key: (inout JSONScanner, Text) -> Key
  ) throws(FormatError) -> JSONShape<Key>.Gap {
    if let known = shape.match(buffer + position, row: row) { return take(known) }
    let (start, startLine) = (offset, line)
    var found: Key?
    if let text = try nextMember() {
      found = key(&self, text)
      _ = try nextByte()  // the gap goes up to the value
    }
    return learn(&shape, from: start, startLine, row: row, found)
  }

  /// The same for the elements of an array, which must each be an entry.
  @inline(__always)
  mutating func nextElement(
    row: Int, _ shape: inout JSONShape<JSONElement>
  ) throws(FormatError) -> JSONShape<JSONElement>.Gap {
    if let known = shape.match(buffer + position, row: row) { return take(known) }
    _ = try nextByte()
    entryStart = position
    let (start, startLine) = (offset, line)
    let isElement = try nextElement()
    if isElement { _ = try nextByte() }
    entryStart = nil
    return learn(&shape, from: start, startLine, row: row, isElement ? .element : nil)
  }

  @inline(__always)
  private mutating func take<Key>(_ known: JSONShape<Key>.Gap) -> JSONShape<Key>.Gap {
    position &+= known.length
    line &+= known.lines
    if known.key == nil { depth &-= 1 } else { levels[depth &- 1] |= JSONScanner.isStarted }
    return known
  }

  private func learn<Key>(
    _ shape: inout JSONShape<Key>, from start: Int64, _ startLine: Int, row: Int, _ key: Key?
  ) -> JSONShape<Key>.Gap {
    let gap = UnsafeRawBufferPointer(start: buffer + Int(start &- base), count: Int(offset &- start))
    return shape.learn(gap, lines: line &- startLine, row: row, key: key)
  }

  /// Whether the array has a further element; if not it is left.
  mutating func nextElement() throws(FormatError) -> Bool { try advance(past: UInt8(ascii: "]")) }

  /// From here on every `Text` stays usable until `endEntry`.
  mutating func beginEntry() throws(FormatError) {
    _ = try nextByte()
    entryStart = position
  }

  /// Lets go of the bytes kept since `beginEntry`.
  mutating func endEntry() { entryStart = nil }

  /// Makes sure that nothing follows.
  mutating func finish() throws(FormatError) {
    while true {
      while position < end {
        guard JSONScanner.isBlank(byte(position)) else { throw damaged("something follows the end") }
        position &+= 1
      }
      if try !refill() { return }
    }
  }

  private mutating func enter(_ bracket: UInt8, isObject: Bool) throws(FormatError) {
    guard try nextByte() == bracket else { throw damaged(isObject ? "no object" : "no array") }
    guard depth < maximumDepth else { throw damaged("nested deeper than \(maximumDepth) levels") }
    position &+= 1
    levels[depth] = isObject ? JSONScanner.isObject : 0
    depth &+= 1
  }

  /// Moves to the next value of the innermost level; false when the level ends here.
  @inline(__always)
  private mutating func advance(past bracket: UInt8) throws(FormatError) -> Bool {
    let level = depth &- 1
    let next = try nextByte()
    if next == bracket {
      position &+= 1
      depth &-= 1
      return false
    }
    if levels[level] & JSONScanner.isStarted == 0 {
      levels[level] |= JSONScanner.isStarted
      return true
    }
    if next != UInt8(ascii: ",") { throw damaged("no comma between values") }
    position &+= 1
    if try nextByte() == bracket { throw damaged("no value after a comma") }
    return true
  }

  /// Passes over the value that comes next, whatever it is.
  mutating func skipValue() throws(FormatError) {
    let floor = depth
    repeat {
      if depth > floor {
        if levels[depth &- 1] & JSONScanner.isObject != 0 {
          guard try nextMember() != nil else { continue }
        } else {
          guard try nextElement() else { continue }
        }
      }
      switch try kind() {
      case .object: try enterObject()
      case .array: try enterArray()
      case .string: try skipText()
      case .number: _ = try integer()
      case .bool: _ = try bool()
      case .null: try null()
      }
    } while depth > floor
  }
}

// MARK: Values

extension JSONScanner {
  /// The string that comes next.
  @inline(__always)
  mutating func text() throws(FormatError) -> Text {
    if try nextByte() != UInt8(ascii: "\"") { throw damaged("no string") }
    let start = offset &+ 1
    let keep = entryStart ?? position
    let (hasEscapes, isASCII) = try passText(keeping: keep)
    return Text(start: start, count: Int(offset &- start) &- 1, hasEscapes: hasEscapes, isASCII: isASCII)
  }

  /// Whether a string comes next.
  @inline(__always)
  mutating func isAtText() throws(FormatError) -> Bool { try nextByte() == UInt8(ascii: "\"") }

  /// Whether a number comes next.
  @inline(__always)
  mutating func isAtNumber() throws(FormatError) -> Bool {
    let next = try nextByte()
    return next &- 48 < 10 || next == UInt8(ascii: "-")
  }

  /// `true` or `false`.
  mutating func bool() throws(FormatError) -> Bool {
    let isTrue = try nextByte() == UInt8(ascii: "t")
    try literal(isTrue ? "true" : "false")
    return isTrue
  }

  /// `null`.
  mutating func null() throws(FormatError) { try literal("null") }

  /// The number that comes next, rounded to an integer (halves away from zero); nil when it does not fit 64 bits.
  @inline(__always)
  mutating func integer() throws(FormatError) -> Int64? {
    // Most numbers are some plain digits, all in the window.
    var index = position
    var value: UInt64 = 0
    while case let digit = byte(index) &- 48, digit < 10 {
      value = value &* 10 &+ UInt64(digit)
      index &+= 1
    }
    let length = index &- position
    if length > 0, length < 19, index < end, !JSONNumber.isPart(byte(index)), byte(position) != 48 || length == 1 {
      position = index
      return Int64(bitPattern: value)
    }
    return try anyNumber()
  }

  @inline(never)
  private mutating func anyNumber() throws(FormatError) -> Int64? {
    _ = try nextByte()
    var length = 0
    while true {
      while JSONNumber.isPart(byte(position &+ length)) { length &+= 1 }
      if position &+ length < end { break }
      if length > 1024 { throw damaged("a number of more than 1024 digits") }
      let start = position
      guard try refill(keeping: entryStart ?? start) else { break }
    }
    let token = UnsafeRawBufferPointer(start: buffer + position, count: length)
    guard let number = JSONNumber(token) else { throw damaged("no number") }
    position &+= length
    return number.rounded
  }

  private mutating func literal(_ word: StaticString) throws(FormatError) {
    let count = word.utf8CodeUnitCount
    while end &- position < count, try refill(keeping: entryStart ?? position) {}
    guard end &- position >= count, memcmp(buffer + position, word.utf8Start, count) == 0 else {
      throw end &- position < count ? truncated : damaged("no JSON value")
    }
    position &+= count
  }

  private mutating func skipText() throws(FormatError) { _ = try passText(keeping: entryStart) }

  /// Passes over a string from its first quote on, keeping the window from `keeping` on (nil: nothing need be kept).
  @inline(__always)
  private mutating func passText(keeping: Int?) throws(FormatError) -> (hasEscapes: Bool, isASCII: Bool) {
    var keep = keeping
    var hasEscapes = false
    var seen: UInt64 = 0
    position &+= 1
    while true {
      position = JSONWords.special(buffer, from: position, seen: &seen)
      if position >= end {
        let kept = keep ?? position
        guard try refill(keeping: kept) else { throw truncated }
        if keep != nil { keep = 0 }
        continue
      }
      let found = byte(position)
      if found == UInt8(ascii: "\"") {
        position &+= 1
        return (hasEscapes, seen & JSONWords.highBits == 0)
      }
      if found != UInt8(ascii: "\\") { throw damaged("a control character in a string") }
      hasEscapes = true
      try passEscape(&keep)
    }
  }

  private mutating func passEscape(_ keep: inout Int?) throws(FormatError) {
    while end &- position < 6 {
      guard try refill(keeping: keep ?? position) else { break }
      if keep != nil { keep = 0 }
    }
    switch byte(position &+ 1) {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
      UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      position &+= 2
    case UInt8(ascii: "u"):
      for index in 2..<6 where JSONEscapes.hexadecimal(byte(position &+ index)) == nil {
        throw position &+ index >= end ? truncated : damaged("a wrong escape")
      }
      position &+= 6
    default:
      throw position &+ 1 >= end ? truncated : damaged("a wrong escape")
    }
  }
}

// MARK: Plain entries

extension JSONScanner {
  /// The bytes from the next one on, for whoever knows the shape of what comes. `slack` zeros follow the last byte of the
  /// window; whoever meets one leaves the scanner as it is and goes the slow way.
  var next: UnsafeRawPointer { UnsafeRawPointer(buffer) + position }

  /// A string found among these bytes.
  @inline(__always)
  func plainText(at start: UnsafeRawPointer, count: Int, hasEscapes: Bool, isASCII: Bool) -> Text {
    Text(
      start: base &+ Int64(start - UnsafeRawPointer(buffer)), count: count, hasEscapes: hasEscapes, isASCII: isASCII)
  }

  /// Passes over one whole value that was read among these bytes.
  @inline(__always)
  mutating func pass(_ count: Int, lines: Int) {
    position &+= count
    line &+= lines
  }
}

// MARK: Window

extension JSONScanner {
  /// The next byte that is no white space; it is not passed over.
  @inline(__always)
  private mutating func nextByte() throws(FormatError) -> UInt8 {
    var next = byte(position)
    if next == 0x20 {
      position &+= 1
      next = byte(position)
    }
    return next > 0x20 ? next : try passBlanks()
  }

  @inline(never)
  private mutating func passBlanks() throws(FormatError) -> UInt8 {
    var index = position
    while true {
      let next = byte(index)
      if next > 0x20 {
        position = index
        return next
      }
      if next == 0x0A {
        line &+= 1
        index &+= 1
        // Most line ends are followed by an indent.
        while (buffer + index).loadUnaligned(as: UInt64.self) == 0x2020_2020_2020_2020 { index &+= 8 }
      } else if next == 0x20 || (next == 0x0D || next == 0x09) {
        index &+= 1
      } else {
        position = index
        if index < end { throw damaged("a control character") }
        guard try refill() else { throw truncated }
        index = position
      }
    }
  }

  @inline(__always)
  private func byte(_ index: Int) -> UInt8 { buffer.load(fromByteOffset: index, as: UInt8.self) }

  private static func isBlank(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  private var truncated: FormatError { .truncated(.byte(base &+ Int64(end))) }

  private func damaged(_ reason: String) -> FormatError {
    position >= end && isAtEnd ? truncated : .damaged(reason, .byte(offset))
  }

  private mutating func refill() throws(FormatError) -> Bool { try refill(keeping: entryStart ?? position) }

  /// Reads on; what stands before `keeping` is dropped. False at the end of the file.
  @inline(never)
  private mutating func refill(keeping: Int) throws(FormatError) -> Bool {
    if isAtEnd { return false }
    let kept = end &- keeping
    if keeping > 0 {
      memmove(buffer, buffer + keeping, kept)
      base &+= Int64(keeping)
      position &-= keeping
      if entryStart != nil { entryStart = 0 }
      end = kept
    }
    if end == capacity { try grow() }
    let room = UnsafeMutableRawBufferPointer(start: buffer + end, count: capacity &- end)
    let count = try stream.read(into: room)
    end &+= count
    isAtEnd = count == 0
    (buffer + end).initializeMemory(as: UInt8.self, repeating: 0, count: JSONScanner.slack)
    return count > 0
  }

  private mutating func grow() throws(FormatError) {
    if capacity >= JSONScanner.maximumEntry {
      throw .tooLarge("a value of more than \(JSONScanner.maximumEntry >> 20) MiB", .byte(base))
    }
    let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity * 2 + JSONScanner.slack, alignment: 16)
    larger.copyMemory(from: buffer, byteCount: end)
    buffer.deallocate()
    buffer = larger
    capacity *= 2
  }
}
