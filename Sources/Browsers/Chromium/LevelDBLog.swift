/// A LevelDB log, which is also the form of its manifest: blocks of 32 KiB with pieces of records, each with its sum.
struct LevelDBLog {
  static let blockSize = 32_768
  let bytes: [UInt8]

  /// The whole records, up to the first damaged or unfinished one.
  func records() -> [[UInt8]] { scan().records }

  /// The whole records, and where the last of them ends.
  func scan() -> (records: [[UInt8]], end: Int) {
    var records: [[UInt8]] = []
    var record: [UInt8] = []
    var (position, end) = (0, 0)
    while position + 7 <= bytes.count {
      let left = LevelDBLog.blockSize - position % LevelDBLog.blockSize
      guard left >= 7 else {
        position += left
        continue
      }
      var head = ByteCursor(bytes[position..<(position + 7)])
      guard let sum = head.fixed(4), let count = head.fixed(2), let kind = head.byte() else { break }
      // Zeros up to the end of a block are room that was set aside.
      if kind == 0, count == 0 {
        position += left
        continue
      }
      let piece = (position + 7)..<(position + 7 + Int(count))
      guard piece.upperBound <= bytes.count,
        CRC32C.masked(bytes[(piece.lowerBound - 1)..<piece.upperBound]) == UInt32(sum)
      else { break }
      position = piece.upperBound
      switch kind {
      case 1: records.append(Array(bytes[piece]))
      case 2: record = Array(bytes[piece])
      case 3: record += bytes[piece]
      case 4: records.append(record + bytes[piece])
      default: return (records, end)
      }
      if kind == 1 || kind == 4 { end = position }
    }
    return (records, end)
  }

  /// The writes and deletions (no value) of a database's log, with their sequence numbers.
  func writes(_ take: (ArraySlice<UInt8>, UInt64, ArraySlice<UInt8>?) -> Void) throws {
    for record in records() {
      var cursor = ByteCursor(record[...])
      guard let first = cursor.fixed(8), let count = cursor.fixed(4) else {
        throw LevelDBFolder.Damage(reason: "a write is cut short")
      }
      var sequence = first
      for _ in 0..<count {
        guard let kind = cursor.byte(), kind <= 1, let key = cursor.counted() else {
          throw LevelDBFolder.Damage(reason: "a write is cut short")
        }
        var value: ArraySlice<UInt8>?
        if kind == 1 {
          guard let counted = cursor.counted() else { throw LevelDBFolder.Damage(reason: "a write is cut short") }
          value = counted
        }
        take(key, sequence, value)
        sequence &+= 1
      }
    }
  }
}
