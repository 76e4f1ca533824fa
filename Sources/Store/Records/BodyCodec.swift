internal import Merge

/// The bytes of a record's body: a version, the stamps, then the fields, each with its number, which stamp it has,
/// and its value. Replicas are numbers of the `replica` table.
enum BodyCodec {
  private static let version: UInt8 = 1

  /// `number` gives a replica's number.
  static func encode(_ fields: [StampedField], number: (Dot) throws -> Int64) rethrows -> [UInt8] {
    var stamps: [Stamp] = []
    var places: [Stamp: Int] = [:]
    var content: [UInt8] = []
    for field in fields {
      let place: Int
      // Nearly always all fields of a record have one of a few stamps.
      if stamps.last == field.stamp {
        place = stamps.count - 1
      } else if let known = places[field.stamp] {
        place = known
      } else {
        place = stamps.count
        places[field.stamp] = place
        stamps.append(field.stamp)
      }
      content.appendVarint(field.number)
      content.appendVarint(UInt64(place) << 1 | (field.value == nil ? 1 : 0))
      guard let value = field.value else { continue }
      content.appendVarint(UInt64(value.count))
      content += value
    }
    var bytes: [UInt8] = [version]
    bytes.appendVarint(UInt64(stamps.count))
    for stamp in stamps {
      bytes.appendVarint(UInt64(bitPattern: stamp.time))
      bytes.appendVarint(UInt64(bitPattern: try number(stamp.dot)))
      bytes.appendVarint(UInt64(bitPattern: stamp.dot.counter))
    }
    return bytes + content
  }

  /// `dot` makes a dot of a replica's number and a counter. Throws `corrupt` for what no store writes.
  static func decode(
    _ bytes: [UInt8], dot: (Int64, Int64) throws -> Dot
  ) throws -> [StampedField] {
    var reader = BodyReader(bytes)
    let stamps = try reader.stamps().map { stamp in
      Stamp(time: stamp.time, dot: try dot(stamp.replica, stamp.counter))
    }
    var fields: [StampedField] = []
    while let field = try reader.next() {
      guard stamps.indices.contains(field.stamp) else { throw StoreError.corrupt }
      fields.append(
        StampedField(number: field.number, stamp: stamps[field.stamp], value: field.value.map { Array(bytes[$0]) }))
    }
    return fields
  }

  /// The values alone.
  static func values(_ bytes: [UInt8]) throws -> FieldList {
    var reader = BodyReader(bytes)
    _ = try reader.stamps()
    var fields: [FieldList.Field] = []
    while let field = try reader.next() {
      guard let value = field.value else { continue }
      fields.append(FieldList.Field(number: field.number, value: Array(bytes[value])))
    }
    return FieldList(fields)
  }
}

/// Walks through a body without copying.
struct BodyReader {
  private let bytes: [UInt8]
  private var position = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func stamps() throws -> [(time: Int64, replica: Int64, counter: Int64)] {
    guard bytes.first == 1, let count = bytes.varint(at: &position), count <= UInt64(bytes.count) else {
      throw StoreError.corrupt
    }
    var stamps: [(time: Int64, replica: Int64, counter: Int64)] = []
    for _ in 0..<count {
      guard let time = bytes.varint(at: &position), let replica = bytes.varint(at: &position),
        let counter = bytes.varint(at: &position)
      else { throw StoreError.corrupt }
      stamps.append((Int64(bitPattern: time), Int64(bitPattern: replica), Int64(bitPattern: counter)))
    }
    return stamps
  }

  /// The next field; a nil value is one taken away.
  mutating func next() throws -> (number: UInt64, stamp: Int, value: Range<Int>?)? {
    guard position < bytes.count else { return nil }
    guard let number = bytes.varint(at: &position), let mark = bytes.varint(at: &position), mark < 1 << 32 else {
      throw StoreError.corrupt
    }
    if mark & 1 == 1 { return (number, Int(mark >> 1), nil) }
    guard let count = bytes.varint(at: &position), count <= UInt64(bytes.count - position) else {
      throw StoreError.corrupt
    }
    let start = position
    position += Int(count)
    return (number, Int(mark >> 1), start..<position)
  }
}
