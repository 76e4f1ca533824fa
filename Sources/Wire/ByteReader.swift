/// Reads bytes from the front. Every step is checked: hostile input throws, nothing traps.
package struct ByteReader: Sendable {
  private let storage: [UInt8]
  private var position: Int
  private let end: Int

  /// Over all of these bytes.
  package init(_ bytes: [UInt8]) { self.init(bytes, from: 0, to: bytes.count) }

  private init(_ bytes: [UInt8], from start: Int, to end: Int) {
    storage = bytes
    position = start
    self.end = end
  }

  /// How many bytes are left.
  package var remaining: Int { end &- position }
  /// Whether nothing is left.
  package var isAtEnd: Bool { position == end }

  /// One byte.
  package mutating func byte() throws(WireError) -> UInt8 {
    guard position < end else { throw .malformed(.truncated) }
    defer { position &+= 1 }
    return storage[position]
  }

  /// An unsigned number: seven bits a byte, the lowest first, bit 7 says that more follow. Only the shortest form is taken.
  @inline(__always)
  package mutating func varint() throws(WireError) -> UInt64 {
    guard position < end else { throw .malformed(.truncated) }
    let first = storage[position]
    position &+= 1
    return first < 0x80 ? UInt64(first) : try longVarint(UInt64(first & 0x7f))
  }

  private mutating func longVarint(_ start: UInt64) throws(WireError) -> UInt64 {
    var result = start
    var shift: UInt64 = 7
    while true {
      guard position < end else { throw .malformed(.truncated) }
      let next = storage[position]
      position &+= 1
      if next < 0x80 {
        guard next != 0, shift < 63 || next == 1 else { throw .malformed(.varint) }
        return result | UInt64(next) &<< shift
      }
      guard shift < 63 else { throw .malformed(.varint) }
      result |= UInt64(next & 0x7f) &<< shift
      shift &+= 7
    }
  }

  /// A signed number, zigzag: 0, -1, 1, -2 … are 0, 1, 2, 3 …
  @inline(__always)
  package mutating func signed() throws(WireError) -> Int64 {
    let value = try varint()
    return Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1)
  }

  /// A number of 0 to Int64.max.
  @inline(__always)
  package mutating func natural() throws(WireError) -> Int64 {
    let value = try varint()
    guard value <= UInt64(Int64.max) else { throw .malformed(.value) }
    return Int64(bitPattern: value)
  }

  /// The next bytes, without a copy.
  package mutating func slice(_ count: Int) throws(WireError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= remaining else { throw .malformed(.truncated) }
    defer { position &+= count }
    return storage[position..<(position &+ count)]
  }

  /// The next bytes.
  package mutating func bytes(_ count: Int) throws(WireError) -> [UInt8] { Array(try slice(count)) }

  /// All bytes that are left.
  package mutating func rest() -> ArraySlice<UInt8> {
    defer { position = end }
    return storage[position..<end]
  }

  /// A reader of the next bytes.
  package mutating func part(_ count: Int) throws(WireError) -> ByteReader {
    guard count >= 0, count <= remaining else { throw .malformed(.truncated) }
    defer { position &+= count }
    return ByteReader(storage, from: position, to: position &+ count)
  }

  /// A reader of the next bytes, whose number stands before them.
  package mutating func countedPart() throws(WireError) -> ByteReader {
    let count = try varint()
    guard count <= UInt64(remaining) else { throw .malformed(.truncated) }
    return try part(Int(truncatingIfNeeded: count))
  }

  /// Throws when bytes are left.
  package func finish() throws(WireError) {
    guard isAtEnd else { throw .malformed(.trailing) }
  }
}
