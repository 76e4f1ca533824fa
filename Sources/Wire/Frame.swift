/// One frame: `u32 length | u16 type | u8 flags | payload`, big endian; the length is that of type, flags and payload.
package struct Frame: Hashable, Sendable {
  /// What is said of a payload.
  package struct Flags: OptionSet, Hashable, Sendable {
    /// The bits.
    package let rawValue: UInt8
    /// From its bits.
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The payload is one zstd frame. Only after authentication.
    package static let compressed = Flags(rawValue: 1)
  }
  /// The message's number.
  package var type: UInt16
  /// What is said of the payload.
  package var flags: Flags
  /// The bytes, compressed or not.
  package var payload: [UInt8]

  /// With everything.
  package init(type: UInt16, flags: Flags = [], payload: [UInt8]) {
    self.type = type
    self.flags = flags
    self.payload = payload
  }

  /// The bytes on the wire. Throws `malformed(.frameSize)` when they are more than a peer takes.
  package func encoded() throws(WireError) -> [UInt8] {
    let length = Limits.frameHeader + payload.count
    guard length <= Limits.frame else { throw .malformed(.frameSize) }
    var writer = ByteWriter()
    writer.reserve(4 + length)
    writer.bigEndian(UInt32(length))
    writer.bigEndian(type)
    writer.byte(flags.rawValue)
    writer.append(payload)
    return writer.bytes
  }
}
