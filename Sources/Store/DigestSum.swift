package import BrowsingData

/// A sum modulo 2^128 of hashes of rows, whatever their order. It finds faults; it is no proof against an enemy.
package struct DigestSum: Hashable, Sendable {
  private var value: UInt128 = 0

  /// The sum of nothing.
  package init() {}

  /// From 16 bytes, most significant first; anything else is 0.
  package init(bytes: [UInt8]) {
    guard bytes.count == 16 else { return }
    value = bytes.reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Adds a row's hash.
  package mutating func add(high: UInt64, low: UInt64) { value &+= UInt128(high) << 64 | UInt128(low) }
  /// Takes a row's hash away.
  package mutating func subtract(high: UInt64, low: UInt64) { value &-= UInt128(high) << 64 | UInt128(low) }
  /// Adds another sum.
  package mutating func add(_ other: DigestSum) { value &+= other.value }

  /// The sum as the wire carries it.
  package var digest: RecordID {
    RecordID(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
  }
  /// 16 bytes, most significant first.
  package var bytes: [UInt8] { digest.bytes }
}
