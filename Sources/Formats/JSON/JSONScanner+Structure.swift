/// Walking down into objects and arrays.
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
