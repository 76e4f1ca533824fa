/// A number as JSON writes it: digits and a power of ten, never a floating-point value.
struct JSONNumber {
  private var digits: UInt64 = 0
  private var exponent = 0
  private var isNegative = false

  /// Whether a byte can be part of a number.
  @inline(__always)
  static func isPart(_ byte: UInt8) -> Bool {
    byte &- 48 < 10 || byte == UInt8(ascii: ".") || byte | 0x20 == UInt8(ascii: "e") || byte == UInt8(ascii: "-")
      || byte == UInt8(ascii: "+")
  }

  /// A number of one to eighteen plain digits at the front of these bytes, and its length; nil for any other one.
  /// Sixteen bytes must be readable from any byte that is not 0.
  @inline(__always)
  static func plain(_ bytes: UnsafeRawPointer) -> (value: Int64, length: Int)? {
    var value: UInt64 = 0
    var length = 0
    while length < 16, let eight = eightDigits(bytes + length) {
      value = value &* 100_000_000 &+ eight
      length &+= 8
    }
    while case let digit = byte(bytes, length) &- 48, digit < 10 {
      if length == 18 { return nil }
      value = value &* 10 &+ UInt64(digit)
      length &+= 1
    }
    if length == 0 || isPart(byte(bytes, length)) || (byte(bytes, 0) == 48 && length > 1) { return nil }
    return (Int64(bitPattern: value), length)
  }

  @inline(__always)
  private static func byte(_ bytes: UnsafeRawPointer, _ index: Int) -> UInt8 {
    bytes.load(fromByteOffset: index, as: UInt8.self)
  }

  /// Eight digits at once: pairs, then fours, then all.
  @inline(__always)
  private static func eightDigits(_ bytes: UnsafeRawPointer) -> UInt64? {
    let word = UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
    let high: UInt64 = 0xF0F0_F0F0_F0F0_F0F0
    guard word & high == 0x3030_3030_3030_3030, (word &+ 0x0606_0606_0606_0606) & high == 0x3030_3030_3030_3030 else {
      return nil
    }
    let pairs = ((word & 0x0F0F_0F0F_0F0F_0F0F) &* 2561) >> 8 & 0x00FF_00FF_00FF_00FF
    let fours = (pairs &* 6_553_601) >> 16 & 0x0000_FFFF_0000_FFFF
    return (fours &* 42_949_672_960_001) >> 32
  }

  /// From the whole text of a number; nil when JSON does not allow it.
  init?(_ text: UnsafeRawBufferPointer) {
    var index = 0
    if index < text.count, text[index] == UInt8(ascii: "-") {
      isNegative = true
      index &+= 1
    }
    let first = index
    takeDigits(text, &index, isFraction: false)
    if index == first || (text[first] == UInt8(ascii: "0") && index &- first > 1) { return nil }
    if index < text.count, text[index] == UInt8(ascii: ".") {
      index &+= 1
      let start = index
      takeDigits(text, &index, isFraction: true)
      if index == start { return nil }
    }
    if index < text.count, text[index] | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      guard takeExponent(text, &index) else { return nil }
    }
    if index != text.count { return nil }
  }

  /// The nearest integer, halves away from zero; nil when it does not fit.
  var rounded: Int64? {
    var value = digits
    if exponent > 0 {
      for _ in 0..<min(exponent, 20) where value != 0 {
        let (product, overflow) = value.multipliedReportingOverflow(by: 10)
        if overflow { return nil }
        value = product
      }
    } else if exponent < 0 {
      if exponent < -20 { return 0 }
      var last: UInt64 = 0
      for _ in 0..<(-exponent) { (value, last) = value.quotientAndRemainder(dividingBy: 10) }
      if last >= 5 { value &+= 1 }
    }
    if isNegative { return value <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- value) : nil }
    return Int64(exactly: value)
  }

  /// Takes digits. Those beyond 64 bits only move the point: what they stand for cannot change a rounded 64-bit value.
  @inline(__always)
  private mutating func takeDigits(_ text: UnsafeRawBufferPointer, _ index: inout Int, isFraction: Bool) {
    while index < text.count {
      let digit = UInt64(text[index] &- 48)
      if digit > 9 { return }
      index &+= 1
      if digits <= 1_844_674_407_370_955_160 {
        digits = digits &* 10 &+ digit
        if isFraction { exponent &-= 1 }
      } else if !isFraction {
        exponent &+= 1
      }
    }
  }

  private mutating func takeExponent(_ text: UnsafeRawBufferPointer, _ index: inout Int) -> Bool {
    var isBelow = false
    if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
      isBelow = text[index] == UInt8(ascii: "-")
      index &+= 1
    }
    let start = index
    var value = 0
    while index < text.count, text[index] &- 48 < 10 {
      value = min(value &* 10 &+ Int(text[index] &- 48), 100_000)
      index &+= 1
    }
    exponent &+= isBelow ? -value : value
    return index > start
  }
}
