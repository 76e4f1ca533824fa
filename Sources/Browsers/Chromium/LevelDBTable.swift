/// A LevelDB table: sorted blocks of entries, found by an index at its end.
struct LevelDBTable {
  private static let magic: [UInt8] = [0x57, 0xFB, 0x80, 0x8B, 0x24, 0x75, 0x47, 0xDB]
  let bytes: [UInt8]

  /// All entries, with their sequence numbers; a deletion has no value.
  func entries(_ take: (ArraySlice<UInt8>, UInt64, ArraySlice<UInt8>?) -> Void) throws {
    guard bytes.count >= 48, bytes.suffix(8).elementsEqual(LevelDBTable.magic) else { throw damage }
    var footer = ByteCursor(bytes[(bytes.count - 48)..<(bytes.count - 8)])
    guard footer.varint() != nil, footer.varint() != nil, let index = block(at: &footer) else { throw damage }
    try LevelDBTable.each(in: index, damage) { _, handle in
      var cursor = ByteCursor(handle)
      guard let block = block(at: &cursor) else { throw damage }
      try LevelDBTable.each(in: block, damage) { key, value in
        // The last eight bytes of a key: what kind of entry, and its sequence number.
        guard key.count >= 8 else { throw damage }
        var tail = ByteCursor(key.suffix(8)[...])
        guard let tag = tail.fixed(8) else { throw damage }
        take(key.dropLast(8), tag >> 8, tag & 0xFF == 1 ? value : nil)
      }
    }
  }

  private var damage: LevelDBFolder.Damage { LevelDBFolder.Damage(reason: "a table is damaged") }

  /// The block that a handle (offset and size) names, without its compression; nil when its sum does not hold.
  private func block(at cursor: inout ByteCursor) -> [UInt8]? {
    guard let offset = cursor.varint(), let size = cursor.varint(), bytes.count >= 5,
      offset <= UInt64(bytes.count), size <= UInt64(bytes.count - 5), offset + size <= UInt64(bytes.count - 5)
    else { return nil }
    let end = Int(offset + size)
    var sum = ByteCursor(bytes[(end + 1)..<(end + 5)])
    guard let expected = sum.fixed(4), CRC32C.masked(bytes[Int(offset)...end]) == UInt32(expected) else { return nil }
    switch bytes[end] {
    case 0: return Array(bytes[Int(offset)..<end])
    case 1: return Snappy.decompress(bytes[Int(offset)..<end])
    default: return nil
    }
  }

  /// Each key shares its first bytes with the one before.
  private static func each(
    in block: [UInt8], _ damage: LevelDBFolder.Damage,
    _ body: (ArraySlice<UInt8>, ArraySlice<UInt8>) throws -> Void
  ) throws {
    guard block.count >= 4 else { throw damage }
    var tail = ByteCursor(block[(block.count - 4)...])
    guard let restarts = tail.fixed(4), restarts <= UInt64(block.count / 4 - 1) else { throw damage }
    var cursor = ByteCursor(block[..<(block.count - 4 - 4 * Int(restarts))])
    var key: [UInt8] = []
    while cursor.remaining > 0 {
      guard let shared = cursor.varint(), let fresh = cursor.varint(), let size = cursor.varint(),
        shared <= UInt64(key.count), fresh <= UInt64(cursor.remaining), size <= UInt64(cursor.remaining),
        let rest = cursor.take(Int(fresh)), let value = cursor.take(Int(size))
      else { throw damage }
      key.removeLast(key.count - Int(shared))
      key += rest
      try body(key[...], value)
    }
  }
}
