import BrowsingData

/// Reads the fields of one record. What does not parse throws; a value that no record may have is noted as the
/// record's fault, and reading goes on.
struct RecordFields {
  var fields: TLVReader
  /// What is wrong with the record, nil when nothing is. Names the field, never its value.
  private(set) var fault: String?

  init(_ fields: TLVReader) { self.fields = fields }

  mutating func note(_ text: String) { fault = fault ?? text }

  mutating func id(_ number: UInt64, _ name: String) throws(WireError) -> RecordID {
    var value = try fields.required(number)
    guard let id = RecordID(bytes: value.rest()) else {
      note("\(name) is not 16 bytes")
      return RecordID(high: 0, low: 0)
    }
    return id
  }

  mutating func text(_ number: UInt64, _ name: String) throws(WireError) -> String {
    text(in: try fields.required(number), name)
  }

  mutating func optionalText(_ number: UInt64, _ name: String) throws(WireError) -> String? {
    guard let value = try fields.field(number) else { return nil }
    return text(in: value, name)
  }

  private mutating func text(in value: ByteReader, _ name: String) -> String {
    guard value.remaining <= Limits.text else {
      note("\(name) is longer than \(Limits.text) bytes")
      return ""
    }
    var reader = value
    guard let text = String(validating: reader.rest(), as: UTF8.self) else {
      note("\(name) is not UTF-8")
      return ""
    }
    return text
  }

  mutating func texts(_ number: UInt64, _ name: String) throws(WireError) -> [String] {
    guard var value = try fields.field(number) else { return [] }
    var result: [String] = []
    repeat { result.append(text(in: try value.countedPart(), name)) } while !value.isAtEnd
    return result
  }

  mutating func namedValues(_ number: UInt64, _ name: String) throws(WireError) -> [NamedValue] {
    guard var value = try fields.field(number) else { return [] }
    var result: [NamedValue] = []
    repeat {
      result.append(
        NamedValue(name: text(in: try value.countedPart(), name), value: text(in: try value.countedPart(), name)))
    } while !value.isAtEnd
    return result
  }

  mutating func optionalTime(_ number: UInt64, _ name: String) throws(WireError) -> Timestamp? {
    guard let value = try fields.field(number) else { return nil }
    let time = Timestamp(microseconds: try value.wholeSigned())
    if !time.isPlausible { note("\(name) is not between 1970 and 2200") }
    return time
  }

  mutating func optionalNumber(
    _ number: UInt64, _ name: String, _ range: ClosedRange<Int> = 0...Int(Int32.max)
  ) throws(WireError) -> Int? {
    guard let value = try fields.field(number) else { return nil }
    return self.number(in: try value.wholeVarint(), name, range)
  }

  private mutating func number(in value: UInt64, _ name: String, _ range: ClosedRange<Int>) -> Int? {
    guard let result = Int(exactly: value), range.contains(result) else {
      note("\(name) is out of range")
      return nil
    }
    return result
  }

  mutating func number(_ number: UInt64, _ name: String) throws(WireError) -> Int {
    let value = try fields.required(number)
    return self.number(in: try value.wholeVarint(), name, 0...Int.max) ?? 0
  }

  mutating func optionalBool(_ number: UInt64, _ name: String) throws(WireError) -> Bool? {
    guard let value = try optionalNumber(number, name, 0...1) else { return nil }
    return value == 1
  }

  mutating func application(_ number: UInt64) throws(WireError) -> Application? {
    guard let value = try fields.field(number) else { return nil }
    var inner = RecordFields(try fields.map(value))
    let application = Application(
      id: try inner.text(2, "application"), name: try inner.text(4, "application"))
    try inner.fields.finish()
    if let fault = inner.fault { note(fault) }
    return application
  }

  /// Reads the rest, which is unknown and kept.
  mutating func finish() throws(WireError) -> UnknownFields {
    try fields.finish()
    return UnknownFields(fields.unknown)
  }
}

extension TLVWriter {
  mutating func optionalText(_ number: UInt64, _ value: String?) {
    if let value { text(number, value) }
  }

  mutating func texts(_ number: UInt64, _ values: [String]) {
    guard !values.isEmpty else { return }
    field(number) { writer in
      for value in values { writer.counted(value.utf8) }
    }
  }

  mutating func namedValues(_ number: UInt64, _ values: [NamedValue]) {
    guard !values.isEmpty else { return }
    field(number) { writer in
      for value in values {
        writer.counted(value.name.utf8)
        writer.counted(value.value.utf8)
      }
    }
  }

  mutating func optionalTime(_ number: UInt64, _ value: Timestamp?) {
    if let value { signed(number, value.microseconds) }
  }

  mutating func optionalNumber(_ number: UInt64, _ value: Int?) {
    if let value { natural(number, value) }
  }

  mutating func optionalBool(_ number: UInt64, _ value: Bool?) {
    if let value { varint(number, value ? 1 : 0) }
  }

  /// The two fields that every kind has last.
  mutating func origin(profile: String?, application: Application?) {
    optionalText(61, profile)
    guard let application else { return }
    var map = TLVWriter()
    map.text(2, application.id)
    map.text(4, application.name)
    bytes(63, map.finish())
  }
}
