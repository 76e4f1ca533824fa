/// Google's Snappy, the compression of LevelDB's blocks: reading only.
enum Snappy {
  /// No block of a LevelDB that browsers write comes near this.
  private static let maximumSize = 64 << 20

  /// The plain bytes; nil where the compressed ones are damaged.
  static func decompress(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
    var cursor = ByteCursor(bytes)
    guard let size = cursor.varint(), size <= UInt64(maximumSize) else { return nil }
    var result: [UInt8] = []
    result.reserveCapacity(min(Int(size), bytes.count * 8))
    while cursor.remaining > 0 {
      guard let tag = cursor.byte() else { return nil }
      if tag & 3 == 0 {
        guard let count = literalCount(tag, &cursor), let literal = cursor.take(count) else { return nil }
        result.append(contentsOf: literal)
      } else {
        guard let copy = copy(tag, &cursor), copy.offset > 0, copy.offset <= result.count else { return nil }
        // One by one: a copy may reach into what it makes.
        for _ in 0..<copy.count { result.append(result[result.count - copy.offset]) }
      }
      if result.count > Int(size) { return nil }
    }
    return result.count == Int(size) ? result : nil
  }

  private static func literalCount(_ tag: UInt8, _ cursor: inout ByteCursor) -> Int? {
    let short = Int(tag >> 2)
    if short < 60 { return short + 1 }
    return cursor.fixed(short - 59).map { Int($0) + 1 }
  }

  private static func copy(_ tag: UInt8, _ cursor: inout ByteCursor) -> (offset: Int, count: Int)? {
    if tag & 3 == 1 {
      return cursor.byte().map { (Int(tag >> 5) << 8 | Int($0), Int(tag >> 2 & 7) + 4) }
    }
    return cursor.fixed(tag & 3 == 2 ? 2 : 4).map { (Int($0), Int(tag >> 2) + 1) }
  }
}
