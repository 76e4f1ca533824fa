/// Walks over bytes that may be hostile. Every method gives nil at their end or where they are not what is asked for.
struct ByteCursor {
  private let bytes: ArraySlice<UInt8>
  private(set) var position: Int

  /// Over some bytes.
  init(_ bytes: ArraySlice<UInt8>) {
    self.bytes = bytes
    position = bytes.startIndex
  }

  /// How many are left.
  var remaining: Int { bytes.endIndex - position }

  /// The next byte.
  mutating func byte() -> UInt8? {
    guard position < bytes.endIndex else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  /// The next bytes.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= remaining else { return nil }
    defer { position += count }
    return bytes[position..<(position + count)]
  }

  /// A number of fixed size, least byte first.
  mutating func fixed(_ count: Int) -> UInt64? {
    take(count)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// A number of seven bits a byte, least first.
  mutating func varint() -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = byte() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    return nil
  }

  /// Bytes with their count before them.
  mutating func counted() -> ArraySlice<UInt8>? {
    guard let count = varint(), count <= UInt64(remaining) else { return nil }
    return take(Int(count))
  }
}
