/// The place of an item among its siblings: bytes that are compared as bytes. Six bytes of a big-endian number, a
/// fraction where two neighbours left no number between them, and four bytes that differ from writer to writer.
/// The first sixteen bytes are held without an allocation.
package struct OrderKey: Hashable, Comparable, Sendable {
  private let first: UInt64
  private let second: UInt64
  private let rest: [UInt8]
  /// How many bytes it has.
  package let count: Int

  /// From its bytes; nil when there are none or more than the protocol's 1 KiB.
  package init?(_ bytes: [UInt8]) { self.init(bytes[...]) }

  /// From its bytes; nil when there are none or more than the protocol's 1 KiB.
  package init?(_ bytes: ArraySlice<UInt8>) {
    guard !bytes.isEmpty, bytes.count <= OrderKey.maximumLength else { return nil }
    var words: (UInt64, UInt64) = (0, 0)
    var index = 0
    for byte in bytes.prefix(16) {
      let shift = UInt64(56 - index % 8 * 8)
      if index < 8 { words.0 |= UInt64(byte) << shift } else { words.1 |= UInt64(byte) << shift }
      index += 1
    }
    first = words.0
    second = words.1
    rest = bytes.count > 16 ? Array(bytes.dropFirst(16)) : []
    count = bytes.count
  }

  /// A number of 48 bits and a tag, without a fraction.
  init(number: UInt64, tag: UInt32) {
    first = number << 16 | UInt64(tag >> 16)
    second = UInt64(tag) << 48
    rest = []
    count = 10
  }

  /// The longest that may be stored or sent.
  package static let maximumLength = 1_024

  /// Its bytes.
  package var bytes: [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(count)
    for index in 0..<min(count, 16) { result.append(self[index]) }
    result += rest
    return result
  }

  /// A byte; 0 beyond the end.
  subscript(index: Int) -> UInt8 {
    if index >= 16 { return index - 16 < rest.count ? rest[index - 16] : 0 }
    let word = index < 8 ? first : second
    return UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
  }

  /// The first six bytes.
  var number: UInt64 { first >> 16 }

  /// A number in which keys of one folder ascend: what an exporter sends as the position. Not negative.
  package var position: Int { Int(first >> 1) }

  /// As bytes are compared: a key that begins another comes before it.
  package static func < (left: OrderKey, right: OrderKey) -> Bool {
    if left.first != right.first { return left.first < right.first }
    if left.second != right.second { return left.second < right.second }
    if left.rest.isEmpty || right.rest.isEmpty { return left.count < right.count }
    return left.rest.lexicographicallyPrecedes(right.rest)
  }
}
