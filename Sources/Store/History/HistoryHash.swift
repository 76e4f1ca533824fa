internal import Crypto

/// Hash of a row of history: of what identifies it. Fields that merge are not in it, so that a field that changes
/// while a transfer runs is no fault.
struct RowHash: Hashable {
  var high: UInt64
  var low: UInt64

  /// Of a page: BLAKE2b-128 of its address.
  static func page(_ url: UnsafeRawBufferPointer) -> RowHash {
    let hash = Hash.blake2b128(url)
    return RowHash(high: hash.high, low: hash.low)
  }
}

/// Hashes visits: SipHash-2-4-128 with a fixed key over page, time, occurrence and profile.
struct VisitHasher {
  private static let key: [UInt8] = Array("wherry-visit-1.\0".utf8)

  /// A profile's part of the hash, from its label.
  static func profile(_ label: String) -> UInt64 {
    var label = label
    return label.withUTF8 { bytes in key.withUnsafeBytes { Hash.sipHash128(UnsafeRawBufferPointer(bytes), key: $0).low }
    }
  }

  /// Of one visit.
  @inline(__always)
  static func visit(page: RowHash, time: Int64, occurrence: Int32, profile: UInt64) -> RowHash {
    var input = (
      page.high.bigEndian, page.low.bigEndian, time.bigEndian, Int64(occurrence).bigEndian, profile.bigEndian
    )
    let hash = withUnsafeBytes(of: &input) { bytes in key.withUnsafeBytes { Hash.sipHash128(bytes, key: $0) } }
    return RowHash(high: hash.high, low: hash.low)
  }
}

extension DigestSum {
  mutating func add(_ hash: RowHash) { add(high: hash.high, low: hash.low) }
  mutating func subtract(_ hash: RowHash) { subtract(high: hash.high, low: hash.low) }
}
