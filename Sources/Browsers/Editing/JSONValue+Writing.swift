extension JSONValue {
  /// The document as a browser's own file: members in the order of their names, nothing that needs another reader.
  var bytes: [UInt8] {
    var result: [UInt8] = []
    write(to: &result)
    return result
  }

  /// The object with a member set; anything else becomes an object.
  func setting(_ name: String, _ value: JSONValue) -> JSONValue {
    var members = self.members
    members[name] = value
    return .object(members)
  }

  private func write(to result: inout [UInt8]) {
    switch self {
    case .null: result += "null".utf8
    case .bool(let value): result += (value ? "true" : "false").utf8
    case .integer(let value): result += String(value).utf8
    case .number(let value): result += (value.isFinite ? String(value) : "null").utf8
    case .string(let text): JSONValue.write(text, to: &result)
    case .array(let elements):
      result.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { result.append(UInt8(ascii: ",")) }
        element.write(to: &result)
      }
      result.append(UInt8(ascii: "]"))
    case .object(let members):
      result.append(UInt8(ascii: "{"))
      for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { result.append(UInt8(ascii: ",")) }
        JSONValue.write(member.key, to: &result)
        result.append(UInt8(ascii: ":"))
        member.value.write(to: &result)
      }
      result.append(UInt8(ascii: "}"))
    }
  }

  private static func write(_ text: String, to result: inout [UInt8]) {
    result.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        result.append(UInt8(ascii: "\\"))
        result.append(byte)
      case 0..<32:
        let digits = String(byte, radix: 16)
        result += ("\\u00" + (digits.count == 1 ? "0" : "") + digits).utf8
      default: result.append(byte)
      }
    }
    result.append(UInt8(ascii: "\""))
  }
}
