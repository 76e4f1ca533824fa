/// Looking at bytes eight at a time. Up to seven bytes behind the end are loaded, too: they must be there, whatever they hold.
enum ByteWords {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let high: UInt64 = 0x8080_8080_8080_8080

  /// The high bit of each byte that is zero; those above the first such byte may be wrong.
  @inline(__always)
  private static func zeros(_ word: UInt64) -> UInt64 { (word &- ones) & ~word & high }

  @inline(__always)
  private static func word(_ bytes: UnsafeRawPointer, _ index: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// The first place of a byte; the end where there is none.
  @inline(__always)
  static func index(of byte: UInt8, _ bytes: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
    let wanted = ones &* UInt64(byte)
    var index = start
    while index < end {
      let found = zeros(word(bytes, index) ^ wanted)
      if found != 0 { return min(index &+ (found.trailingZeroBitCount >> 3), end) }
      index &+= 8
    }
    return end
  }

  /// The first place of one of three bytes; the end where there is none.
  @inline(__always)
  static func index(
    of first: UInt8, _ second: UInt8, _ third: UInt8, _ bytes: UnsafeRawPointer, from start: Int, to end: Int
  ) -> Int {
    let wanted = (ones &* UInt64(first), ones &* UInt64(second), ones &* UInt64(third))
    var index = start
    while index < end {
      let word = word(bytes, index)
      let found = zeros(word ^ wanted.0) | zeros(word ^ wanted.1) | zeros(word ^ wanted.2)
      if found != 0 { return min(index &+ (found.trailingZeroBitCount >> 3), end) }
      index &+= 8
    }
    return end
  }

  /// Whether all of these bytes are ASCII, and whether one is NUL.
  @inline(__always)
  static func look(_ bytes: UnsafeRawPointer, from start: Int, to end: Int) -> (isASCII: Bool, hasNUL: Bool) {
    var (seen, nuls): (UInt64, UInt64) = (0, 0)
    var index = start
    while index &+ 8 <= end {
      let word = word(bytes, index)
      seen |= word
      nuls |= zeros(word)
      index &+= 8
    }
    if index < end {
      // Of the last word only the first bytes count.
      let others = UInt64.max << UInt64((end &- index) &* 8)
      let word = word(bytes, index)
      seen |= word & ~others
      nuls |= zeros(word | others)
    }
    return (seen & high == 0, nuls != 0)
  }
}
