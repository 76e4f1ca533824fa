internal import BrowsingData

/// What few visits have, as bytes of the column `attrs`: number, length and value of each part, ascending.
/// 1 the count · 2 a redirect destination · 3 a referrer beside a redirect source · 5 a field of a newer version, many.
enum VisitAttributes {
  static func encode(_ attributes: VisitBatch.Attributes) -> [UInt8] {
    var bytes: [UInt8] = []
    func add(_ number: UInt8, _ value: [UInt8]) {
      bytes.append(number)
      bytes += varint(UInt64(value.count))
      bytes += value
    }
    if attributes.visitCount != 1 { add(1, varint(UInt64(bitPattern: attributes.visitCount))) }
    if let link = attributes.destination { add(2, encode(link)) }
    if let link = attributes.referrer { add(3, encode(link)) }
    for field in attributes.unknown.fields { add(5, varint(field.number) + field.value) }
    return bytes
  }

  /// What is damaged is left out.
  static func decode(_ bytes: UnsafeRawBufferPointer) -> VisitBatch.Attributes {
    var attributes = VisitBatch.Attributes()
    var unknown: [UnknownFields.Field] = []
    var position = 0
    while position < bytes.count {
      let number = bytes[position]
      position += 1
      guard let length = varint(bytes, &position), length <= UInt64(bytes.count - position) else { break }
      let value = UnsafeRawBufferPointer(rebasing: bytes[position..<position + Int(length)])
      position += Int(length)
      var inner = 0
      switch number {
      case 1: attributes.visitCount = varint(value, &inner).map { Int64(bitPattern: $0) } ?? 1
      case 2: attributes.destination = link(value)
      case 3: attributes.referrer = link(value)
      case 5:
        guard let field = varint(value, &inner) else { continue }
        unknown.append(UnknownFields.Field(number: field, value: Array(value[inner...])))
      default: continue
      }
    }
    attributes.unknown = UnknownFields(unknown)
    return attributes
  }

  private static func encode(_ link: HistoryVisit.Link) -> [UInt8] {
    varint(UInt64(bitPattern: link.visitedAt.microseconds)) + Array(link.url.utf8)
  }

  private static func link(_ bytes: UnsafeRawBufferPointer) -> HistoryVisit.Link? {
    var position = 0
    guard let time = varint(bytes, &position) else { return nil }
    return HistoryVisit.Link(
      url: String(decoding: bytes[position...], as: UTF8.self),
      visitedAt: Timestamp(microseconds: Int64(bitPattern: time)))
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var rest = value
    var bytes: [UInt8] = []
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
    return bytes
  }

  private static func varint(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> UInt64? {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while position < bytes.count, shift < 64 {
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    return nil
  }
}
