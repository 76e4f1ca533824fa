/// Text as bookmark HTML holds it.
extension BufferedOutput {
  /// A title: control characters and line ends become one space.
  mutating func writeTitle(_ title: String) {
    var wasControl = false
    for byte in title.utf8 {
      let isControl = byte < 0x20 || byte == 0x7F
      if !isControl { writeEscaped(byte) } else if !wasControl { write(UInt8(ascii: " ")) }
      wasControl = isControl
    }
  }

  /// A description: line ends stay, other control characters become a space.
  mutating func writeDescription(_ text: String) {
    for byte in text.utf8 {
      let isControl = (byte < 0x20 && !isBlank(byte)) || byte == 0x7F
      writeEscaped(isControl ? UInt8(ascii: " ") : byte)
    }
  }

  /// An attribute with a space before it. Control characters, and blanks at the ends, become references.
  mutating func writeAttribute(_ name: StaticString, _ value: String?) {
    guard let value, !value.isEmpty else { return }
    write(UInt8(ascii: " "))
    write(name)
    writeValue(value)
  }

  /// The same, its name not known before.
  mutating func writeAttribute(named name: String, _ value: String) {
    write(UInt8(ascii: " "))
    write(name)
    if !value.isEmpty { writeValue(value) }
  }

  private mutating func writeValue(_ value: String) {
    write("=\"")
    let last = value.utf8.count - 1
    for (index, byte) in value.utf8.enumerated() where byte != 0 {
      if byte < 0x20 || byte == 0x7F || (byte == 0x20 && (index == 0 || index == last)) {
        write("&#")
        write(Int64(byte))
        write(UInt8(ascii: ";"))
      } else {
        writeEscaped(byte)
      }
    }
    write(UInt8(ascii: "\""))
  }

  @inline(__always)
  private mutating func writeEscaped(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "&"): write("&amp;")
    case UInt8(ascii: "<"): write("&lt;")
    case UInt8(ascii: ">"): write("&gt;")
    case UInt8(ascii: "\""): write("&quot;")
    case UInt8(ascii: "'"): write("&#39;")
    default: write(byte)
    }
  }
}
