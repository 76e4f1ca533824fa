// Columns of numbers, written and read in one go. With the zstd door the only file of this room that uses pointers:
// a target has room for the longest form of every number, and a source is never read at or after its end.

/// Writes columns.
enum Column {
  /// The longest form of a number.
  private static let longest = 10

  /// One unsigned number a row.
  @inline(__always)
  static func varints(_ count: Int, _ value: (_ row: Int) -> UInt64) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count * longest) { target, written in
      var position = 0
      for row in 0..<count {
        var rest = value(row)
        while rest >= 0x80 {
          target[position] = UInt8(truncatingIfNeeded: rest) | 0x80
          position &+= 1
          rest &>>= 7
        }
        target[position] = UInt8(truncatingIfNeeded: rest)
        position &+= 1
      }
      written = position
    }
  }

  /// One signed number a row: its difference from the row before, zigzag.
  @inline(__always)
  static func deltas(_ count: Int, from start: Int64 = 0, _ value: (_ row: Int) -> Int64) -> [UInt8] {
    var previous = start
    return varints(count) { row in
      let current = value(row)
      defer { previous = current }
      return zigzag(current &- previous)
    }
  }

  /// A signed number as an unsigned one: 0, -1, 1, -2 … are 0, 1, 2, 3 …
  @inline(__always)
  static func zigzag(_ value: Int64) -> UInt64 { UInt64(bitPattern: (value &<< 1) ^ (value &>> 63)) }

  /// The number that `zigzag` made.
  @inline(__always)
  static func signed(_ value: UInt64) -> Int64 { Int64(bitPattern: value &>> 1) ^ -Int64(bitPattern: value & 1) }
}

extension ByteReader {
  /// All that is left as exactly so many unsigned numbers in their shortest form.
  func column(_ count: Int) throws(WireError) -> [UInt64] {
    var reader = self
    let source = reader.rest()
    guard count <= source.count else { throw .malformed(.truncated) }
    var isShortest = true
    var used = 0
    let numbers = [UInt64](unsafeUninitializedCapacity: count) { target, filled in
      (filled, used, isShortest) = source.withUnsafeBufferPointer { ByteReader.numbers(in: $0, into: target, count) }
    }
    guard numbers.count == count else { throw .malformed(.truncated) }
    guard isShortest else { throw .malformed(.varint) }
    guard used == source.count else { throw .malformed(.trailing) }
    return numbers
  }

  /// Reads at most so many numbers, `target`'s room; says how many, how many bytes they were, and whether all were in
  /// their shortest form.
  private static func numbers(
    in bytes: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt64>, _ count: Int
  ) -> (filled: Int, used: Int, isShortest: Bool) {
    let end = bytes.count
    var isShortest = true
    var position = 0
    var filled = 0
    while filled < count, position < end {
      var byte = bytes[position]
      position &+= 1
      var value = UInt64(byte)
      if byte >= 0x80 {
        value &= 0x7f
        var shift: UInt64 = 7
        repeat {
          guard position < end, shift < 70 else { return (filled, position, isShortest) }
          byte = bytes[position]
          position &+= 1
          value |= UInt64(byte & 0x7f) &<< shift
          shift &+= 7
        } while byte >= 0x80
        if byte == 0 || (shift == 70 && byte != 1) { isShortest = false }
      }
      target[filled] = value
      filled &+= 1
    }
    return (filled, position, isShortest)
  }

  /// All that is left as signed differences, added up from `start`.
  func deltaColumn(_ count: Int, from start: Int64 = 0) throws(WireError) -> [Int64] {
    var previous = start
    return try column(count).map {
      previous &+= Column.signed($0)
      return previous
    }
  }

  /// All that is left as numbers of 0 to Int64.max.
  func naturalColumn(_ count: Int) throws(WireError) -> [UInt64] {
    let numbers = try column(count)
    guard numbers.allSatisfy({ $0 <= UInt64(Int64.max) }) else { throw .malformed(.value) }
    return numbers
  }
}
