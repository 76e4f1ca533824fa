/// Makes order keys: placing one item rewrites one item, whatever stands around it.
package enum OrderKeys {
  private static let step: UInt64 = 1 << 20
  private static let middle: UInt64 = 1 << 47
  private static let end: UInt64 = 1 << 48
  private static let maximumCount = 1 << 26

  /// A key between two (nil: the end of the list). Nil when there is none that is short enough and has a position of its
  /// own: then all siblings take new keys (`fresh`). `tag` tells two writers' keys apart.
  package static func between(_ low: OrderKey?, _ high: OrderKey?, tag: UInt32) -> OrderKey? {
    spread(1, low, high, tag: tag)?.first
  }

  /// Keys for `count` items in a row, between two; nil as for `between`.
  package static func spread(_ count: Int, _ low: OrderKey?, _ high: OrderKey?, tag: UInt32) -> [OrderKey]? {
    guard count > 0 else { return [] }
    guard count < maximumCount else { return nil }
    switch (low, high) {
    case (nil, nil): return fresh(count, tag: tag)
    case (let low?, nil):
      guard low.number + UInt64(count) * step < end else { return nil }
      return (1...count).map { OrderKey(number: low.number + UInt64($0) * step, tag: tag) }
    case (nil, let high?):
      guard high.number > UInt64(count) * step else { return nil }
      return (1...count).map { OrderKey(number: high.number - UInt64(count + 1 - $0) * step, tag: tag) }
    case (let low?, let high?):
      guard low < high else { return nil }
      let gap = high.number - low.number
      if gap > UInt64(count) {
        return (1...count).map { index in
          OrderKey(number: low.number + share(gap, UInt64(index), UInt64(count + 1)), tag: tag)
        }
      }
      return halved(count, low, high, tag: tag)
    }
  }

  /// Keys for all children of a folder.
  package static func fresh(_ count: Int, tag: UInt32) -> [OrderKey] {
    precondition(count < maximumCount, "a folder holds at most 2^26 items")
    return (0..<count).map { OrderKey(number: middle + UInt64($0) * step, tag: tag) }
  }

  /// `gap * index / parts` without overflow: strictly between 0 and `gap`, ascending, where `gap` >= `parts`.
  private static func share(_ gap: UInt64, _ index: UInt64, _ parts: UInt64) -> UInt64 {
    gap / parts * index + gap % parts * index / parts
  }

  /// Keys with fractions: the middle one first, then the middles of the halves.
  private static func halved(_ count: Int, _ low: OrderKey, _ high: OrderKey, tag: UInt32) -> [OrderKey]? {
    var keys = [OrderKey?](repeating: nil, count: count)
    var open: [(start: Int, end: Int, low: OrderKey, high: OrderKey)] = [(0, count, low, high)]
    while let part = open.popLast() {
      let place = (part.start + part.end) / 2
      guard let key = fraction(part.low, part.high, tag: tag), key.position > part.low.position,
        key.position < part.high.position
      else { return nil }
      keys[place] = key
      if part.start < place { open.append((part.start, place, part.low, key)) }
      if place + 1 < part.end { open.append((place + 1, part.end, key, part.high)) }
    }
    return keys.compactMap { $0 }
  }

  /// The shortest bytes between two keys, whatever follows them, and the tag.
  private static func fraction(_ low: OrderKey, _ high: OrderKey, tag: UInt32) -> OrderKey? {
    var bytes: [UInt8] = []
    var isBelowHigh = false
    var index = 0
    while index < 64 {
      let lower = Int(low[index])
      let upper = isBelowHigh || index >= high.count ? 256 : Int(high[index])
      if upper - lower > 1 {
        bytes.append(UInt8((lower + upper) / 2))
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: tag >> UInt32(shift))) }
        return OrderKey(bytes)
      }
      bytes.append(low[index])
      if upper != lower { isBelowHigh = true }
      index += 1
    }
    return nil
  }
}
