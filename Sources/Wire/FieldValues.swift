import BrowsingData

// A field's value as one thing: all of it, or it is malformed.
extension ByteReader {
  /// The value as an unsigned number.
  package func wholeVarint() throws(WireError) -> UInt64 {
    var reader = self
    let value = try reader.varint()
    try reader.finish()
    return value
  }

  /// The value as a number of 0 to Int64.max.
  package func wholeNatural() throws(WireError) -> Int64 {
    let value = try wholeVarint()
    guard value <= UInt64(Int64.max) else { throw .malformed(.value) }
    return Int64(value)
  }

  /// The value as a signed number.
  package func wholeSigned() throws(WireError) -> Int64 {
    var reader = self
    let value = try reader.signed()
    try reader.finish()
    return value
  }

  /// The value as exactly so many bytes.
  package func wholeBytes(_ count: Int) throws(WireError) -> [UInt8] {
    guard remaining == count else { throw .malformed(.value) }
    var reader = self
    return Array(reader.rest())
  }

  /// The value as text of at most so many bytes.
  package func wholeText(atMost limit: Int) throws(WireError) -> String {
    var reader = self
    guard remaining <= limit, let text = String(validating: reader.rest(), as: UTF8.self) else {
      throw .malformed(.value)
    }
    return text
  }

  /// The value as one of an enumeration's cases.
  func wholeCase<Case: RawRepresentable>(of _: Case.Type) throws(WireError) -> Case
  where Case.RawValue: FixedWidthInteger {
    guard let raw = Case.RawValue(exactly: try wholeVarint()), let value = Case(rawValue: raw) else {
      throw .malformed(.value)
    }
    return value
  }

  /// The value of a flag that is only there when it is true: 1.
  func wholeFlag() throws(WireError) -> Bool {
    guard try wholeVarint() == 1 else { throw .malformed(.value) }
    return true
  }

  /// The value as a set of kinds: bit n is the kind with the number n.
  func wholeTypes() throws(WireError) -> DataTypes {
    let bits = try wholeVarint()
    let known = DataTypes.all.union(.resources).rawValue
    guard bits & ~UInt64(known) == 0 else { throw .malformed(.value) }
    return DataTypes(rawValue: UInt32(truncatingIfNeeded: bits))
  }

  /// The value as a list, each item read by a closure until nothing is left.
  func wholeList<Item>(
    _ item: (inout ByteReader) throws(WireError) -> Item
  ) throws(WireError) -> [Item] {
    var reader = self
    var items: [Item] = []
    while !reader.isAtEnd {
      guard items.count < Limits.listItems else { throw .malformed(.limit) }
      items.append(try item(&reader))
    }
    return items
  }

  /// The value as a map whose keys ascend: a byte each, and what a closure reads.
  func wholeMap<Key: RawRepresentable<UInt8> & Hashable, Value>(
    _ value: (inout ByteReader) throws(WireError) -> Value
  ) throws(WireError) -> [Key: Value] {
    var reader = self
    var result: [Key: Value] = [:]
    var last: UInt8 = 0
    while !reader.isAtEnd {
      let raw = try reader.byte()
      guard raw > last else { throw .malformed(.order) }
      guard let key = Key(rawValue: raw) else { throw .malformed(.value) }
      last = raw
      result[key] = try value(&reader)
    }
    return result
  }
}

extension TLVReader {
  /// A flag that is absent when it is false.
  mutating func flag(_ number: UInt64) throws(WireError) -> Bool {
    guard let value = try field(number) else { return false }
    return try value.wholeFlag()
  }

  /// 16 bytes that may be absent.
  mutating func optionalID(_ number: UInt64) throws(WireError) -> [UInt8]? {
    guard let value = try field(number) else { return nil }
    return try value.wholeBytes(16)
  }
}

extension TLVWriter {
  /// A flag: written only when it is true.
  mutating func flag(_ number: UInt64, _ value: Bool) {
    if value { varint(number, 1) }
  }

  /// Bytes that may be absent.
  mutating func optionalBytes(_ number: UInt64, _ value: [UInt8]?) {
    if let value { bytes(number, value) }
  }

  /// A map whose keys are a byte each, in ascending order.
  mutating func map<Key: RawRepresentable<UInt8> & Hashable, Value>(
    _ number: UInt64, _ entries: [Key: Value], _ body: (inout ByteWriter, Value) -> Void
  ) {
    field(number) { writer in
      for (key, value) in entries.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
        writer.byte(key.rawValue)
        body(&writer, value)
      }
    }
  }
}
