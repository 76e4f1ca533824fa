/// Builds archives byte by byte, honest or not. Members are stored, not packed.
struct ZIPBuilder {
  struct Member {
    var name: [UInt8]
    var data: [UInt8]
    var flags: UInt16 = 0
    var method: UInt16 = 0
    var madeBy: UInt8 = 3
    var mode: UInt32 = 0o100644
    /// What the directory claims instead of the truth.
    var claimedSize: UInt32?
    var claimedPackedSize: UInt32?
    var claimedOffset: UInt32?
    var localName: [UInt8]?

    init(_ name: String, _ data: String) {
      self.name = Array(name.utf8)
      self.data = Array(data.utf8)
    }
  }

  var members: [Member] = []
  var claimedCount: UInt16?
  var comment: [UInt8] = []

  init(_ members: [Member] = []) { self.members = members }

  var bytes: [UInt8] {
    var body: [UInt8] = []
    var directory: [UInt8] = []
    for member in members {
      let offset = member.claimedOffset ?? UInt32(body.count)
      let crc = ZIPBuilder.crc32(member.data)
      let packed = member.claimedPackedSize ?? UInt32(member.data.count)
      let size = member.claimedSize ?? UInt32(member.data.count)
      func fields(_ name: [UInt8]) -> [UInt8] {
        u16(20) + u16(member.flags) + u16(member.method) + u16(0) + u16(0x5AB0) + u32(crc) + u32(packed) + u32(size)
          + u16(UInt16(name.count)) + u16(0)
      }
      directory += u32(0x0201_4B50) + [20, member.madeBy] + fields(member.name)
      directory += u16(0) + u16(0) + u16(0) + u32(member.mode << 16) + u32(offset) + member.name
      let local = member.localName ?? member.name
      body += u32(0x0403_4B50) + fields(local) + local + member.data
    }
    let count = claimedCount ?? UInt16(members.count)
    let end = u32(0x0605_4B50) + u16(0) + u16(0) + u16(count) + u16(count)
    return body + directory + end + u32(UInt32(directory.count)) + u32(UInt32(body.count)) + u16(UInt16(comment.count))
      + comment
  }

  private static func crc32(_ bytes: [UInt8]) -> UInt32 {
    var crc = UInt32.max
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  private func u16(_ value: UInt16) -> [UInt8] { [UInt8(truncatingIfNeeded: value), UInt8(value >> 8)] }
  private func u32(_ value: UInt32) -> [UInt8] { u16(UInt16(truncatingIfNeeded: value)) + u16(UInt16(value >> 16)) }
}
