package import BrowsingData

/// Reads a map of fields: `number varint, length varint, value`, numbers strictly ascending.
/// A decoder asks for its fields in ascending order; what lies between is unknown: odd is ignored or kept, even throws.
package struct TLVReader {
  private var reader: ByteReader
  private let depth: Int
  private let keepsUnknown: Bool
  private var count = 0
  private var last: UInt64?
  private var pending: (number: UInt64, value: ByteReader)?
  /// Odd fields that nobody asked for, when they are kept.
  package private(set) var unknown: [UnknownFields.Field] = []

  /// Over the fields of a whole payload.
  package init(_ bytes: [UInt8], keepsUnknown: Bool = false) throws(WireError) {
    try self.init(ByteReader(bytes), depth: 1, keepsUnknown: keepsUnknown)
  }

  /// Over the fields of a map at this depth, 1 for a payload.
  package init(_ reader: ByteReader, depth: Int, keepsUnknown: Bool = false) throws(WireError) {
    guard depth <= Limits.nesting else { throw .malformed(.depth) }
    self.reader = reader
    self.depth = depth
    self.keepsUnknown = keepsUnknown
  }

  /// The value of a field, nil when it is absent.
  package mutating func field(_ number: UInt64) throws(WireError) -> ByteReader? {
    while let found = try head() {
      if found.number > number { return nil }
      pending = nil
      if found.number == number { return found.value }
      try skip(found)
    }
    return nil
  }

  /// The value of a field that must be there.
  package mutating func required(_ number: UInt64) throws(WireError) -> ByteReader {
    guard let value = try field(number) else { throw .malformed(.missing) }
    return value
  }

  /// A map within this one.
  package func map(_ value: ByteReader, keepsUnknown: Bool = false) throws(WireError) -> TLVReader {
    try TLVReader(value, depth: depth + 1, keepsUnknown: keepsUnknown)
  }

  /// Reads what is left, all of it unknown.
  package mutating func finish() throws(WireError) {
    while let found = try head() {
      pending = nil
      try skip(found)
    }
  }

  private mutating func head() throws(WireError) -> (number: UInt64, value: ByteReader)? {
    if let pending { return pending }
    if reader.isAtEnd { return nil }
    let number = try reader.varint()
    if let last, number <= last { throw .malformed(.order) }
    last = number
    count += 1
    guard count <= Limits.fields else { throw .malformed(.depth) }
    let found = (number: number, value: try reader.countedPart())
    pending = found
    return found
  }

  private mutating func skip(_ found: (number: UInt64, value: ByteReader)) throws(WireError) {
    guard found.number % 2 == 1 else { throw .malformed(.unknownCritical) }
    guard keepsUnknown else { return }
    var value = found.value
    unknown.append(UnknownFields.Field(number: found.number, value: Array(value.rest())))
  }
}
