/// Collects bytes.
package struct ByteWriter: Sendable {
  /// What was written.
  package private(set) var bytes: [UInt8] = []

  /// An empty one.
  package init() {}

  /// How many bytes were written.
  package var count: Int { bytes.count }

  /// Makes room for this many more.
  package mutating func reserve(_ count: Int) { bytes.reserveCapacity(bytes.count + count) }

  /// One byte.
  @inline(__always)
  package mutating func byte(_ value: UInt8) { bytes.append(value) }

  /// An unsigned number in its shortest form.
  @inline(__always)
  package mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest &>>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// A signed number, zigzag.
  @inline(__always)
  package mutating func signed(_ value: Int64) {
    varint(UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)))
  }

  /// Bytes as they are.
  package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Bytes with their number before them.
  package mutating func counted(_ more: some Collection<UInt8>) {
    varint(UInt64(more.count))
    bytes.append(contentsOf: more)
  }

  /// A big-endian number of four bytes.
  package mutating func bigEndian(_ value: UInt32) {
    for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: value &>> shift)) }
  }

  /// A big-endian number of two bytes.
  package mutating func bigEndian(_ value: UInt16) {
    bytes.append(UInt8(truncatingIfNeeded: value &>> 8))
    bytes.append(UInt8(truncatingIfNeeded: value))
  }
}
