/// Writes the few forms of DER that NSS reads.
enum DERWriter {
  /// A sequence of elements.
  static func sequence(_ elements: [UInt8]...) -> [UInt8] { element(0x30, Array(elements.joined())) }
  /// An octet string.
  static func octets(_ bytes: [UInt8]) -> [UInt8] { element(0x04, bytes) }
  /// An object identifier, from its contents.
  static func object(_ bytes: [UInt8]) -> [UInt8] { element(0x06, bytes) }

  /// An integer that is not negative.
  static func integer(_ value: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = max(0, value)
    repeat {
      bytes.insert(UInt8(rest & 0xFF), at: 0)
      rest >>= 8
    } while rest > 0
    if bytes[0] >= 0x80 { bytes.insert(0, at: 0) }
    return element(0x02, bytes)
  }

  private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    if content.count < 0x80 {
      length = [UInt8(content.count)]
    } else {
      var rest = content.count
      while rest > 0 {
        length.insert(UInt8(rest & 0xFF), at: 0)
        rest >>= 8
      }
      length.insert(0x80 | UInt8(length.count), at: 0)
    }
    return [tag] + length + content
  }
}
