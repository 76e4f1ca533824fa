/// A JSON document in memory: for the small files of a profile.
enum JSONValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])

  /// The member of an object, nil for anything else.
  subscript(_ name: String) -> JSONValue? {
    if case .object(let members) = self { members[name] } else { nil }
  }

  /// The text, nil for anything else.
  var string: String? { if case .string(let text) = self { text } else { nil } }
  /// The text unless it is empty.
  var nonEmptyString: String? { string.flatMap { $0.isEmpty ? nil : $0 } }
  /// The integer; a number without a fraction counts.
  var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int64(exactly: value)
    case .null, .bool, .string, .array, .object: nil
    }
  }
  /// The truth value, nil for anything else.
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  /// The elements; none for anything else.
  var elements: [JSONValue] { if case .array(let elements) = self { elements } else { [] } }
  /// The members; none for anything else.
  var members: [String: JSONValue] { if case .object(let members) = self { members } else { [:] } }

  /// Parses a profile's file; nil when there is none.
  static func read(_ path: String) throws(ProfileError) -> JSONValue? {
    guard let bytes = try ProfileFile.read(path) else { return nil }
    return try parse(bytes, file: path.split(separator: "/").last.map(String.init) ?? path)
  }

  /// Parses a document; the error says at which byte it ends to be JSON.
  static func parse(_ bytes: [UInt8], file: String) throws(ProfileError) -> JSONValue {
    var parser = JSONParser(bytes: bytes)
    guard let value = parser.document() else {
      throw .corrupt(file: file, reason: "not JSON from byte \(parser.position)")
    }
    return value
  }
}

/// One pass over a document. Any method gives nil where the bytes are no JSON, and `position` stands there.
private struct JSONParser {
  /// More nesting than any profile has; a bound for the stack.
  static let maximumDepth = 2_048

  let bytes: [UInt8]
  var position = 0
  var depth = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func document() -> JSONValue? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
    guard let result = value() else { return nil }
    skipSpace()
    return position == bytes.count ? result : nil
  }

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  private mutating func skipSpace() {
    while let byte = next, byte == 32 || byte == 10 || byte == 13 || byte == 9 { position += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    position += 1
    return true
  }

  private mutating func value() -> JSONValue? {
    skipSpace()
    switch next {
    case UInt8(ascii: "{"): return nested { $0.object() }
    case UInt8(ascii: "["): return nested { $0.array() }
    case UInt8(ascii: "\""): return text().map { .string($0) }
    case UInt8(ascii: "t"): return word("true", .bool(true))
    case UInt8(ascii: "f"): return word("false", .bool(false))
    case UInt8(ascii: "n"): return word("null", .null)
    default: return number()
    }
  }

  private mutating func nested(_ body: (inout JSONParser) -> JSONValue?) -> JSONValue? {
    guard depth < JSONParser.maximumDepth else { return nil }
    depth += 1
    position += 1
    defer { depth -= 1 }
    return body(&self)
  }

  private mutating func object() -> JSONValue? {
    var members: [String: JSONValue] = [:]
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      guard next == UInt8(ascii: "\""), let name = text() else { return nil }
      skipSpace()
      guard take(UInt8(ascii: ":")), let member = value() else { return nil }
      members[name] = member
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { return nil }
    }
  }

  private mutating func array() -> JSONValue? {
    var elements: [JSONValue] = []
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(elements) }
    while true {
      guard let element = value() else { return nil }
      elements.append(element)
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(elements) }
      guard take(UInt8(ascii: ",")) else { return nil }
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONValue) -> JSONValue? {
    let end = position + word.utf8CodeUnitCount
    let isThere = word.withUTF8Buffer { end <= bytes.count && bytes[position..<end].elementsEqual($0) }
    guard isThere else { return nil }
    position = end
    return value
  }

  private mutating func number() -> JSONValue? {
    let start = position
    while let byte = next, (48...57).contains(byte) || [43, 45, 46, 69, 101].contains(byte) { position += 1 }
    let digits = String(decoding: bytes[start..<position], as: UTF8.self)
    if let value = Int64(digits) { return .integer(value) }
    if let value = Double(digits) { return .number(value) }
    position = start
    return nil
  }

  private mutating func text() -> String? {
    position += 1
    let start = position
    while let byte = next, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\"), byte >= 32 { position += 1 }
    guard let stop = next else { return nil }
    if stop == UInt8(ascii: "\"") {
      position += 1
      return String(validating: bytes[start..<(position - 1)], as: UTF8.self)
    }
    position = start
    return escapedText()
  }

  private mutating func escapedText() -> String? {
    var result: [UInt8] = []
    while let byte = next {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(validating: result, as: UTF8.self)
      case UInt8(ascii: "\\"): guard escape(into: &result) else { return nil }
      case 0..<32: return nil
      default: result.append(byte)
      }
    }
    return nil
  }

  private mutating func escape(into result: inout [UInt8]) -> Bool {
    guard let byte = next else { return false }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): result.append(byte)
    case UInt8(ascii: "b"): result.append(8)
    case UInt8(ascii: "f"): result.append(12)
    case UInt8(ascii: "n"): result.append(10)
    case UInt8(ascii: "r"): result.append(13)
    case UInt8(ascii: "t"): result.append(9)
    case UInt8(ascii: "u"):
      guard let unit = hexadecimalUnit() else { return false }
      append(unit, to: &result)
    default: return false
    }
    return true
  }

  /// A UTF-16 unit, with its second half when it is a first one; a half alone becomes U+FFFD.
  private mutating func append(_ unit: UInt32, to result: inout [UInt8]) {
    var scalar = unit
    if (0xD800..<0xDC00).contains(unit), position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    {
      let before = position
      position += 2
      if let second = hexadecimalUnit(), (0xDC00..<0xE000).contains(second) {
        scalar = 0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00)
      } else {
        position = before
      }
    }
    result.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
  }

  private mutating func hexadecimalUnit() -> UInt32? {
    guard position + 4 <= bytes.count else { return nil }
    var unit: UInt32 = 0
    for byte in bytes[position..<(position + 4)] {
      guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    position += 4
    return unit
  }
}
