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
