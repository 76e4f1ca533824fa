/// Many bytes of a JSON string at once.
enum JSONWords {
  /// The first quote, backslash or control character from an index on. At least one control character (the zeros after
  /// the window) must follow, and fifteen bytes more must be readable. `seen` collects the bytes before it: its high bits
  /// stay clear when all of them are ASCII.
  @inline(__always)
  static func special(_ bytes: UnsafeRawPointer, from start: Int, seen: inout UInt64) -> Int {
    var index = start
    var passed = SIMD16<UInt8>()
    while true {
      let lanes = ByteLanes(bytes, index)
      let found = ByteLanes.Found(
        lanes.places(of: UInt8(ascii: "\"")) .| lanes.places(of: UInt8(ascii: "\\"))
          .| (lanes.bytes .< SIMD16(repeating: 0x20)))
      if !found.isEmpty {
        seen |= ByteLanes.bits(passed) | found.bits(before: lanes)
        return index &+ found.first
      }
      passed |= lanes.bytes
      index &+= 16
    }
  }

  /// The high bit of each byte.
  static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Bit 7 of the lowest byte that is a quote, a backslash or a control character is set; none when there is none.
  /// Higher bits may be wrong. The word's first byte is its lowest.
  @inline(__always)
  static func mask(_ word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let quotes = (quote &- ones) & ~quote
    let backslashes = (backslash &- ones) & ~backslash
    let controls = (word &- ones &* 0x20) & ~word
    return (quotes | backslashes | controls) & (ones &* 0x80)
  }
}

/// The escapes of JSON strings.
enum JSONEscapes {
  /// Undoes escapes that `JSONScanner` has checked. Half a surrogate pair becomes three bytes that are no UTF-8.
  static func undo(_ raw: UnsafeRawBufferPointer, into result: inout [UInt8]) {
    result.removeAll(keepingCapacity: true)
    result.reserveCapacity(raw.count)
    var index = 0
    while index < raw.count {
      var plain = index
      while plain < raw.count, raw[plain] != UInt8(ascii: "\\") { plain &+= 1 }
      result.append(contentsOf: UnsafeRawBufferPointer(rebasing: raw[index..<plain]))
      guard plain &+ 1 < raw.count else { return }
      index = plain &+ 2
      let letter = raw[plain &+ 1]
      if letter == UInt8(ascii: "u") {
        appendScalar(raw, &index, &result)
      } else {
        result.append(single(letter))
      }
    }
  }

  /// The value of a hexadecimal digit.
  static func hexadecimal(_ byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte) &- 48
    case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt32(byte) &- 87
    case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt32(byte) &- 55
    default: nil
    }
  }

  private static func single(_ letter: UInt8) -> UInt8 {
    switch letter {
    case UInt8(ascii: "b"): 0x08
    case UInt8(ascii: "f"): 0x0C
    case UInt8(ascii: "n"): 0x0A
    case UInt8(ascii: "r"): 0x0D
    case UInt8(ascii: "t"): 0x09
    default: letter
    }
  }

  /// Reads four digits at `index`, and the second half of a pair where one belongs.
  private static func appendScalar(_ raw: UnsafeRawBufferPointer, _ index: inout Int, _ result: inout [UInt8]) {
    guard var value = unit(raw, index) else { return }
    index &+= 4
    if value & 0xFC00 == 0xD800, index &+ 6 <= raw.count, raw[index] == UInt8(ascii: "\\"),
      raw[index &+ 1] == UInt8(ascii: "u"), let low = unit(raw, index &+ 2), low & 0xFC00 == 0xDC00
    {
      value = 0x10000 &+ ((value & 0x3FF) << 10) &+ (low & 0x3FF)
      index &+= 6
    }
    switch value {
    case ..<0x80:
      result.append(UInt8(truncatingIfNeeded: value))
    case ..<0x800:
      result.append(0xC0 | UInt8(truncatingIfNeeded: value >> 6))
      result.append(tail(value))
    case ..<0x10000:
      result.append(0xE0 | UInt8(truncatingIfNeeded: value >> 12))
      result.append(tail(value >> 6))
      result.append(tail(value))
    default:
      result.append(0xF0 | UInt8(truncatingIfNeeded: value >> 18))
      result.append(tail(value >> 12))
      result.append(tail(value >> 6))
      result.append(tail(value))
    }
  }

  private static func tail(_ value: UInt32) -> UInt8 { 0x80 | UInt8(truncatingIfNeeded: value & 0x3F) }

  private static func unit(_ raw: UnsafeRawBufferPointer, _ start: Int) -> UInt32? {
    guard start &+ 4 <= raw.count else { return nil }
    var value: UInt32 = 0
    for index in start..<(start &+ 4) {
      guard let digit = hexadecimal(raw[index]) else { return nil }
      value = value << 4 | digit
    }
    return value
  }
}

/// The string of bytes that are known to be ASCII.
@inline(__always)
func asciiString(_ bytes: UnsafeRawBufferPointer) -> String {
  String(copying: UTF8Span(unchecked: bytes.bindMemory(to: UInt8.self).span, isKnownASCII: true))
}

/// The string of these bytes; nil when they are no UTF-8.
@inline(__always)
func validatedString(_ bytes: UnsafeRawBufferPointer) -> String? {
  guard validUTF8Prefix(bytes) == bytes.count else { return nil }
  return String(copying: UTF8Span(unchecked: bytes.bindMemory(to: UInt8.self).span, isKnownASCII: false))
}
