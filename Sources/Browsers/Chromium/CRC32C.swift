/// The sum over LevelDB's blocks and records (Castagnoli's polynomial), masked as LevelDB stores it.
enum CRC32C {
  private static let table: [UInt32] = (0..<256).map { index in
    (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1 }
  }

  /// The masked sum of some bytes.
  static func masked(_ bytes: ArraySlice<UInt8>) -> UInt32 {
    var sum: UInt32 = 0xFFFF_FFFF
    for byte in bytes { sum = sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
    sum = ~sum
    return (sum >> 15 | sum << 17) &+ 0xA282_EAD8
  }
}
