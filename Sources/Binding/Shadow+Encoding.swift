/// How a shadow is kept: equal ones are equal bytes.
extension Shadow {
  /// The first byte; text of the former form begins otherwise.
  static let form: UInt8 = 1

  /// A shadow's fields, one after the other: numbers as LEB128, texts behind their length in bytes, and whether the optional ones
  /// are there as bits of one byte.
  var bytes: [UInt8] {
    var writer = Writer()
    writer.bytes = [Shadow.form, kind, (url == nil ? 0 : 1) | (keyword == nil ? 0 : 2) | (postData == nil ? 0 : 4)]
    writer.add(UInt64(rank.magnitude))
    for text in [folder, title] + [url, keyword, postData].compactMap({ $0 }) { writer.add(text) }
    writer.add(UInt64(tags.count))
    for tag in tags { writer.add(tag) }
    return writer.bytes
  }

  /// Nil for what is none.
  init?(encoded bytes: [UInt8]) {
    var reader = Reader(rest: bytes[...])
    guard reader.byte() == Shadow.form, let kind = reader.byte(), let optional = reader.byte(),
      let rank = reader.number().flatMap(Int.init(exactly:)), let folder = reader.text(), let title = reader.text()
    else { return nil }
    self.kind = kind
    self.rank = rank
    self.folder = folder
    self.title = title
    url = nil
    keyword = nil
    postData = nil
    tags = []
    for (bit, field) in [(1, \Shadow.url), (2, \.keyword), (4, \.postData)] where optional & UInt8(bit) != 0 {
      guard let text = reader.text() else { return nil }
      self[keyPath: field] = text
    }
    guard let count = reader.number() else { return nil }
    for _ in 0..<count {
      guard let tag = reader.text() else { return nil }
      tags.append(tag)
    }
    guard reader.rest.isEmpty else { return nil }
  }

  private struct Writer {
    var bytes: [UInt8] = []

    mutating func add(_ number: UInt64) {
      var rest = number
      while rest >= 128 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
        rest >>= 7
      }
      bytes.append(UInt8(rest))
    }

    mutating func add(_ text: String) {
      add(UInt64(text.utf8.count))
      bytes += text.utf8
    }
  }

  private struct Reader {
    var rest: ArraySlice<UInt8>

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func number() -> UInt64? {
      var value: UInt64 = 0
      for shift in stride(from: 0 as UInt64, to: 63, by: 7) {
        guard let byte = byte() else { return nil }
        value |= UInt64(byte & 127) << shift
        if byte < 128 { return value }
      }
      return nil
    }

    mutating func text() -> String? {
      guard let count = number(), count <= UInt64(rest.count) else { return nil }
      defer { rest.removeFirst(Int(count)) }
      return String(decoding: rest.prefix(Int(count)), as: UTF8.self)
    }
  }
}
