/// Writes JSON as bytes. Keys come from us and need no escaping; texts are escaped, and control characters and those
/// that turn the direction of writing are spelt out, so that a line is safe on a terminal, too.
struct JSONWriter {
  /// What was written.
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// Forgets what was written, keeps the memory.
  mutating func clear() {
    bytes.removeAll(keepingCapacity: true)
    needsComma = false
  }

  /// An object with what the body writes.
  mutating func object(_ body: (inout JSONWriter) throws -> Void) rethrows {
    open(UInt8(ascii: "{"))
    try body(&self)
    close(UInt8(ascii: "}"))
  }

  /// An array with what the body writes.
  mutating func array(_ body: (inout JSONWriter) throws -> Void) rethrows {
    open(UInt8(ascii: "["))
    try body(&self)
    close(UInt8(ascii: "]"))
  }

  /// A key; its value follows.
  mutating func key(_ name: String) {
    comma()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  /// A text.
  mutating func value(_ text: String) {
    comma()
    quote(text)
    needsComma = true
  }

  /// An integer.
  mutating func value(_ number: some FixedWidthInteger) {
    comma()
    append(number)
    needsComma = true
  }

  /// True or false.
  mutating func value(_ flag: Bool) {
    comma()
    bytes.append(contentsOf: flag ? "true".utf8 : "false".utf8)
    needsComma = true
  }

  /// A line break, after a whole object.
  mutating func endLine() {
    bytes.append(10)
    needsComma = false
  }

  private mutating func open(_ bracket: UInt8) {
    comma()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    if number < 0 { bytes.append(UInt8(ascii: "-")) }
    var rest = UInt64(number.magnitude)
    let start = bytes.count
    repeat {
      bytes.append(48 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    let whole: Void? = text.utf8.withContiguousStorageIfAvailable { escape($0) }
    if whole == nil { Array(text.utf8).withUnsafeBufferPointer { escape($0) } }
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func escape(_ text: UnsafeBufferPointer<UInt8>) {
    var start = 0
    var index = 0
    while index < text.count {
      let byte = text[index]
      if byte >= 0x20, byte < 0x7F, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        index += 1
        continue
      }
      let (scalar, length) = JSONWriter.special(text, at: index)
      if let scalar {
        bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start..<index]))
        spell(scalar)
        start = index + length
      }
      index += length
    }
    bytes.append(contentsOf: UnsafeBufferPointer(rebasing: text[start...]))
  }

  /// A character that must be spelt out, or nil; and how many bytes were looked at. The text is valid UTF-8.
  private static func special(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> (UInt32?, Int) {
    let byte = text[index]
    if byte < 0x80 { return (UInt32(byte), 1) }
    if byte & 0xE0 == 0xC0, index + 1 < text.count {
      let scalar = UInt32(byte & 0x1F) << 6 | UInt32(text[index + 1] & 0x3F)
      return (scalar < 0xA0 || scalar == 0x61C ? scalar : nil, 2)
    }
    if byte & 0xF0 == 0xE0, index + 2 < text.count {
      let scalar = UInt32(byte & 0xF) << 12 | UInt32(text[index + 1] & 0x3F) << 6 | UInt32(text[index + 2] & 0x3F)
      return (Unicode.Scalar(scalar).map(isUnsafe) == true ? scalar : nil, 3)
    }
    return (nil, byte & 0xF8 == 0xF0 ? 4 : 1)
  }

  private mutating func spell(_ scalar: UInt32) {
    bytes.append(UInt8(ascii: "\\"))
    switch scalar {
    case 0x22, 0x5C: bytes.append(UInt8(scalar))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    default:
      bytes.append(UInt8(ascii: "u"))
      for shift in stride(from: UInt32(12), through: 0, by: -4) {
        let digit = UInt8(scalar >> shift & 15)
        bytes.append(digit < 10 ? 48 + digit : 87 + digit)
      }
    }
  }
}

extension JSONWriter {
  /// A key with a text; nothing where there is none.
  mutating func field(_ name: String, _ text: String?) {
    guard let text else { return }
    key(name)
    value(text)
  }

  /// A key with a number; nothing where there is none.
  mutating func field(_ name: String, _ number: Int?) {
    guard let number else { return }
    key(name)
    value(number)
  }

  /// A key with true or false; nothing where that is unknown.
  mutating func field(_ name: String, _ flag: Bool?) {
    guard let flag else { return }
    key(name)
    value(flag)
  }

  /// A key with texts; nothing where there are none.
  mutating func field(_ name: String, _ texts: [String]) {
    if texts.isEmpty { return }
    key(name)
    array { json in for text in texts { json.value(text) } }
  }
}
