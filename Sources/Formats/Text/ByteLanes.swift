/// Sixteen bytes looked at as one, as any processor can.
struct ByteLanes {
  /// The bytes.
  let bytes: SIMD16<UInt8>

  /// Sixteen bytes from an index on; all of them must be readable.
  @inline(__always)
  init(_ start: UnsafeRawPointer, _ index: Int) {
    bytes = (start + index).loadUnaligned(as: SIMD16<UInt8>.self)
  }

  /// Which of the bytes were found, a whole byte of ones for each.
  struct Found {
    /// The bytes as two words, the first one lowest.
    private let low: UInt64
    private let high: UInt64

    @inline(__always)
    init(_ mask: SIMDMask<SIMD16<Int8>>) {
      (low, high) = ByteLanes.words(unsafeBitCast(mask, to: SIMD2<UInt64>.self))
    }

    @inline(__always)
    var isEmpty: Bool { low | high == 0 }

    /// The place of the first one; there must be one.
    @inline(__always)
    var first: Int { (low != 0 ? low.trailingZeroBitCount : 64 &+ high.trailingZeroBitCount) >> 3 }

    /// The bits of all bytes before the first one that was found.
    @inline(__always)
    func bits(before lanes: ByteLanes) -> UInt64 {
      let (front, back) = ByteLanes.words(unsafeBitCast(lanes.bytes, to: SIMD2<UInt64>.self))
      return low != 0 ? front & Found.below(low) : front | back & Found.below(high)
    }

    /// All bits below the lowest that is set.
    @inline(__always)
    private static func below(_ word: UInt64) -> UInt64 { (word & (0 &- word)) &- 1 }
  }

  /// A byte of ones for each that is marked.
  @inline(__always)
  static func ones(_ mask: SIMDMask<SIMD16<Int8>>) -> SIMD16<UInt8> { unsafeBitCast(mask, to: SIMD16<UInt8>.self) }

  /// All bits that are set in any byte of some lanes, as two words together.
  @inline(__always)
  static func bits(_ lanes: SIMD16<UInt8>) -> UInt64 {
    let (low, high) = words(unsafeBitCast(lanes, to: SIMD2<UInt64>.self))
    return low | high
  }

  @inline(__always)
  private static func words(_ halves: SIMD2<UInt64>) -> (low: UInt64, high: UInt64) {
    (UInt64(littleEndian: halves[0]), UInt64(littleEndian: halves[1]))
  }

  /// Where a byte stands.
  @inline(__always)
  func places(of byte: UInt8) -> SIMDMask<SIMD16<Int8>> { bytes .== SIMD16(repeating: byte) }
}
