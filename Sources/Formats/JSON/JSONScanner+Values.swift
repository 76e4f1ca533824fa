import Glibc

/// Reading strings, numbers and words.
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

  mutating func skipText() throws(FormatError) { _ = try passText(keeping: entryStart) }

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
