import Crypto

/// Joins one export to one import: a UUID of version 4, made by the listener. Not a secret (protocol.md 4).
package struct TransferToken: Hashable, Sendable, CustomStringConvertible {
  /// 16 bytes.
  package let bytes: [UInt8]

  /// From 16 bytes; nil for any other length.
  package init?(bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    self.bytes = bytes
  }

  /// A fresh one.
  package static func random() -> TransferToken {
    var bytes = Random.bytes(16)
    bytes[6] = bytes[6] & 0x0f | 0x40
    bytes[8] = bytes[8] & 0x3f | 0x80
    return TransferToken(unchecked: bytes)
  }

  private init(unchecked bytes: [UInt8]) { self.bytes = bytes }

  /// The usual form, lower case.
  package var description: String {
    let digits = bytes.map { byte in [byte >> 4, byte & 15].map { $0 < 10 ? 48 + $0 : 87 + $0 } }
    var text: [UInt8] = []
    for (index, pair) in digits.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append(45) }
      text.append(contentsOf: pair)
    }
    return String(decoding: text, as: UTF8.self)
  }
}
