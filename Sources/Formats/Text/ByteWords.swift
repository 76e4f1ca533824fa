/// Looking at bytes sixteen at a time. Up to fifteen bytes behind the end are loaded, too: they must be there, whatever
/// they hold.
enum ByteWords {
  /// The first place of a byte; the end where there is none.
  @inline(__always)
  static func index(of byte: UInt8, _ bytes: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
    var index = start
    while index < end {
      let found = ByteLanes.Found(ByteLanes(bytes, index).places(of: byte))
      if !found.isEmpty { return min(index &+ found.first, end) }
      index &+= 16
    }
    return end
  }

  /// The first place of one of three bytes; the end where there is none.
  @inline(__always)
  static func index(
    of first: UInt8, _ second: UInt8, _ third: UInt8, _ bytes: UnsafeRawPointer, from start: Int, to end: Int
  ) -> Int {
    var index = start
    while index < end {
      let lanes = ByteLanes(bytes, index)
      let found = ByteLanes.Found(lanes.places(of: first) .| lanes.places(of: second) .| lanes.places(of: third))
      if !found.isEmpty { return min(index &+ found.first, end) }
      index &+= 16
    }
    return end
  }

  /// Whether all of these bytes are ASCII, and whether one is NUL.
  @inline(never)
  static func look(_ bytes: UnsafeRawPointer, from start: Int, to end: Int) -> (isASCII: Bool, hasNUL: Bool) {
    var (seen, nuls) = (SIMD16<UInt8>(), SIMD16<UInt8>())
    var index = start
    while index &+ 16 <= end {
      let lanes = ByteLanes(bytes, index)
      seen |= lanes.bytes
      nuls |= ByteLanes.ones(lanes.places(of: 0))
      index &+= 16
    }
    if index < end {
      // Of the last ones only those before the end count.
      let places = SIMD16<UInt8>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)
      let counting = ByteLanes.ones(places .< SIMD16(repeating: UInt8(truncatingIfNeeded: end &- index)))
      let lanes = ByteLanes(bytes, index)
      seen |= lanes.bytes & counting
      nuls |= ByteLanes.ones(lanes.places(of: 0)) & counting
    }
    return (ByteLanes.bits(seen) & 0x8080_8080_8080_8080 == 0, ByteLanes.bits(nuls) != 0)
  }

  /// How often a byte is among these; only they are looked at.
  static func count(of byte: UInt8, _ bytes: UnsafeRawPointer, from start: Int, to end: Int) -> Int {
    var count = 0
    var index = start
    while index &+ 16 <= end {
      // A lane counts up to 255.
      let stop = min(end, index &+ 255 &* 16)
      var lanes = SIMD16<UInt8>()
      while index &+ 16 <= stop {
        lanes &-= ByteLanes.ones(ByteLanes(bytes, index).places(of: byte))
        index &+= 16
      }
      for lane in lanes.indices { count &+= Int(lanes[lane]) }
    }
    while index < end {
      if bytes.load(fromByteOffset: index, as: UInt8.self) == byte { count &+= 1 }
      index &+= 1
    }
    return count
  }
}
