import Crypto

/// A 64-bit hash of texts with a random key of its own, so that nobody can choose texts that collide.
struct TextHash {
  private let key: (UInt64, UInt64)

  /// With a new random key.
  init() {
    let bytes = Random.bytes(16)
    var words: (UInt64, UInt64) = (0, 0)
    for byte in bytes[..<8] { words.0 = words.0 << 8 | UInt64(byte) }
    for byte in bytes[8...] { words.1 = words.1 << 8 | UInt64(byte) }
    key = (words.0, words.1 | 1)
  }

  /// The hash of a text in the scanner's window, escapes undone.
  @inline(__always)
  func callAsFunction(_ text: JSONScanner.Text, _ scanner: inout JSONScanner) -> UInt64 {
    scanner.withBytes(of: text) { self($0) }
  }

  /// The hash of two words.
  @inline(__always)
  func callAsFunction(_ first: UInt64, _ second: UInt64) -> UInt64 { fold(fold(key.0 ^ first) ^ second) }

  /// The hash of bytes: sixteen at a time, multiplied to 128 bits and folded; the last sixteen may overlap those before.
  @inline(never)
  func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let count = bytes.count
    guard let start = bytes.baseAddress, count > 0 else { return fold(key.0) }
    var hash = key.0
    var index = 0
    while index &+ 16 < count {
      hash = TextHash.product(word(start, index) ^ key.1, word(start, index &+ 8) ^ hash)
      index &+= 16
    }
    if count >= 16 {
      hash = TextHash.product(word(start, count &- 16) ^ key.1, word(start, count &- 8) ^ hash)
    } else if count >= 8 {
      hash = TextHash.product(word(start, 0) ^ key.1, word(start, count &- 8) ^ hash)
    } else {
      var rest: UInt64 = 0
      for byte in bytes { rest = rest << 8 | UInt64(byte) }
      hash = TextHash.product(rest ^ key.1, hash)
    }
    // Not before: what is chosen in a text could make up for another length.
    return fold(hash ^ UInt64(count))
  }

  @inline(__always)
  private func word(_ start: UnsafeRawPointer, _ index: Int) -> UInt64 {
    (start + index).loadUnaligned(as: UInt64.self)
  }

  @inline(__always)
  private func fold(_ value: UInt64) -> UInt64 { TextHash.product(value ^ key.0, key.1) }

  /// The halves of a product of 128 bits, folded.
  @inline(__always)
  private static func product(_ first: UInt64, _ second: UInt64) -> UInt64 {
    let product = first.multipliedFullWidth(by: second)
    return product.high ^ product.low
  }
}
