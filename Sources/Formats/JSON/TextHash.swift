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

  /// The hash of bytes: eight at a time, multiplied to 128 bits and folded.
  @inline(__always)
  func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = key.0 ^ UInt64(bytes.count)
    var index = 0
    while index &+ 8 <= bytes.count {
      hash = fold(hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
      index &+= 8
    }
    var rest: UInt64 = 0
    while index < bytes.count {
      rest = rest << 8 | UInt64(bytes[index])
      index &+= 1
    }
    return fold(fold(hash ^ rest))
  }

  @inline(__always)
  private func fold(_ value: UInt64) -> UInt64 {
    let product = (value ^ key.0).multipliedFullWidth(by: key.1)
    return product.high ^ product.low
  }
}
