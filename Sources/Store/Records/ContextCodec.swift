internal import BrowsingData
internal import Merge

/// The bytes of a version vector: pairs of a replica's number and a counter.
enum ContextCodec {
  static func encode(_ entries: [(Int64, Int64)]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (replica, counter) in entries {
      bytes.appendVarint(UInt64(bitPattern: replica))
      bytes.appendVarint(UInt64(bitPattern: counter))
    }
    return bytes
  }

  static func decode(_ bytes: [UInt8]) throws -> [(Int64, Int64)] {
    var entries: [(Int64, Int64)] = []
    var position = 0
    while position < bytes.count {
      guard let replica = bytes.varint(at: &position), let counter = bytes.varint(at: &position) else {
        throw StoreError.corrupt
      }
      entries.append((Int64(bitPattern: replica), Int64(bitPattern: counter)))
    }
    return entries
  }
}

/// The bytes of a grave: the parent, then the stamp.
enum GraveCodec {
  static func encode(_ grave: Grave, number: (RecordID) throws -> Int64) rethrows -> [UInt8] {
    var bytes = grave.parent.bytes
    bytes.appendVarint(UInt64(bitPattern: grave.stamp.time))
    bytes.appendVarint(UInt64(bitPattern: try number(grave.stamp.dot.replica)))
    bytes.appendVarint(UInt64(bitPattern: grave.stamp.dot.counter))
    return bytes
  }

  static func decode(_ bytes: [UInt8], dot: (Int64, Int64) throws -> Dot) throws -> Grave {
    var position = 16
    guard let parent = RecordID(slice: bytes.prefix(16)), let time = bytes.varint(at: &position),
      let replica = bytes.varint(at: &position), let counter = bytes.varint(at: &position)
    else { throw StoreError.corrupt }
    let edit = try dot(Int64(bitPattern: replica), Int64(bitPattern: counter))
    return Grave(stamp: Stamp(time: Int64(bitPattern: time), dot: edit), parent: parent)
  }

  /// Where it stood.
  static func parent(_ bytes: [UInt8]) -> RecordID? { RecordID(slice: bytes.prefix(16)) }
}
