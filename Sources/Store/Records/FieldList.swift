internal import BrowsingData

/// The fields of one record as numbers and bytes, ascending: what the store holds, in clear.
struct FieldList: Equatable {
  struct Field: Equatable {
    var number: UInt64
    var value: [UInt8]
  }
  private(set) var fields: [Field] = []

  init() {}
  init(_ fields: [Field]) { self.fields = fields }

  subscript(number: UInt64) -> [UInt8]? {
    for field in fields where field.number == number { return field.value }
    return nil
  }

  /// Sets a field where it belongs; nil takes it away.
  mutating func set(_ number: UInt64, _ value: [UInt8]?) {
    let place = fields.firstIndex { $0.number >= number } ?? fields.count
    if place < fields.count, fields[place].number == number {
      if let value { fields[place].value = value } else { fields.remove(at: place) }
    } else if let value {
      fields.insert(Field(number: number, value: value), at: place)
    }
  }

  // MARK: - Writing; the numbers of one list ascend

  mutating func add(_ number: UInt64, _ bytes: [UInt8]?) {
    guard let bytes else { return }
    if let last = fields.last, last.number >= number { return set(number, bytes) }
    fields.append(Field(number: number, value: bytes))
  }
  mutating func add(_ number: UInt64, _ text: String?) { add(number, text.map { Array($0.utf8) }) }
  mutating func add(_ number: UInt64, _ time: Timestamp?) { add(number, time?.microseconds) }
  mutating func add(_ number: UInt64, _ value: Int?) { add(number, value.map { Int64($0) }) }
  mutating func add(_ number: UInt64, _ value: Bool?) { add(number, value.map { [$0 ? UInt8(1) : 0] }) }
  mutating func add(_ number: UInt64, _ value: Int64?) {
    add(number, value.map { FieldList.bigEndian(UInt64(bitPattern: $0)) })
  }
  mutating func add(_ number: UInt64, texts: [String]) {
    guard !texts.isEmpty else { return }
    add(number, FieldList.joined(texts.map { Array($0.utf8) }))
  }
  mutating func add(_ number: UInt64, _ application: Application?) {
    guard let application else { return }
    add(number, texts: [application.id, application.name])
  }
  mutating func add(_ number: UInt64, _ unknown: UnknownFields) {
    guard !unknown.isEmpty else { return }
    add(number, FieldList.joined(unknown.fields.map { FieldList.bigEndian($0.number) + $0.value }))
  }

  // MARK: - Reading; what is not as it should be counts as absent

  func text(_ number: UInt64) -> String? { self[number].map { String(decoding: $0, as: UTF8.self) } }
  func time(_ number: UInt64) -> Timestamp? { int64(number).map { Timestamp(microseconds: $0) } }
  func int(_ number: UInt64) -> Int? { int64(number).flatMap { Int(exactly: $0) } }
  func bool(_ number: UInt64) -> Bool? { self[number].map { $0 == [1] } }
  func int64(_ number: UInt64) -> Int64? {
    guard let value = self[number], value.count == 8 else { return nil }
    return Int64(bitPattern: value.reduce(0) { $0 << 8 | UInt64($1) })
  }
  func texts(_ number: UInt64) -> [String] {
    FieldList.split(self[number] ?? []).map { String(decoding: $0, as: UTF8.self) }
  }
  func application(_ number: UInt64) -> Application? {
    let parts = texts(number)
    return parts.count == 2 ? Application(id: parts[0], name: parts[1]) : nil
  }
  func unknownFields(_ number: UInt64) -> UnknownFields {
    UnknownFields(
      FieldList.split(self[number] ?? []).compactMap { part in
        guard part.count >= 8 else { return nil }
        return UnknownFields.Field(
          number: part.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, value: Array(part.dropFirst(8)))
      })
  }

  // MARK: -

  static func bigEndian(_ value: UInt64) -> [UInt8] {
    stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
  }

  /// Each part with its length before it.
  private static func joined(_ parts: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    for part in parts {
      bytes.appendVarint(UInt64(part.count))
      bytes += part
    }
    return bytes
  }

  private static func split(_ bytes: [UInt8]) -> [[UInt8]] {
    var parts: [[UInt8]] = []
    var position = 0
    while position < bytes.count {
      guard let count = bytes.varint(at: &position), count <= UInt64(bytes.count - position) else { return parts }
      parts.append(Array(bytes[position..<position + Int(count)]))
      position += Int(count)
    }
    return parts
  }
}

extension [UInt8] {
  /// Seven bits a byte, the lowest first; the top bit says that more follow.
  mutating func appendVarint(_ value: UInt64) {
    var value = value
    while value >= 0x80 {
      append(UInt8(truncatingIfNeeded: value) | 0x80)
      value >>= 7
    }
    append(UInt8(value))
  }

  /// nil where the bytes end or the number has more than 64 bits.
  func varint(at position: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < count, shift < 64 {
      let byte = self[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift += 7
    }
    return nil
  }
}
