extension LevelDBLog {
  /// One write of a batch: a value, or a deletion.
  struct Write {
    var key: [UInt8]
    var value: [UInt8]?
  }

  /// The log with one more record behind its whole ones; what a crash had left of another is dropped. The record holds
  /// writes that are numbered from `sequence` on, and counts only when it is whole.
  func appending(_ writes: [Write], sequence: UInt64) -> [UInt8] {
    var batch: [UInt8] = []
    LevelDBLog.append(sequence, 8, to: &batch)
    LevelDBLog.append(UInt64(writes.count), 4, to: &batch)
    for write in writes {
      batch.append(write.value == nil ? 0 : 1)
      LevelDBLog.append(counted: write.key, to: &batch)
      if let value = write.value { LevelDBLog.append(counted: value, to: &batch) }
    }
    var log = Array(bytes[..<scan().end])
    var rest = batch[...]
    var isFirst = true
    repeat {
      let room = LevelDBLog.blockSize - log.count % LevelDBLog.blockSize
      guard room >= 7 else {
        log += [UInt8](repeating: 0, count: room)
        continue
      }
      let piece = rest.prefix(room - 7)
      rest = rest.dropFirst(piece.count)
      let kind: UInt8 = isFirst ? (rest.isEmpty ? 1 : 2) : (rest.isEmpty ? 4 : 3)
      isFirst = false
      LevelDBLog.append(UInt64(CRC32C.masked(([kind] + piece)[...])), 4, to: &log)
      LevelDBLog.append(UInt64(piece.count), 2, to: &log)
      log.append(kind)
      log += piece
    } while !rest.isEmpty || isFirst
    return log
  }

  private static func append(_ number: UInt64, _ count: Int, to bytes: inout [UInt8]) {
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
  }

  private static func append(counted bytes: [UInt8], to result: inout [UInt8]) {
    append(varint: UInt64(bytes.count), to: &result)
    result += bytes
  }

  /// A number of seven bits a byte, least first.
  static func append(varint number: UInt64, to bytes: inout [UInt8]) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }
}
