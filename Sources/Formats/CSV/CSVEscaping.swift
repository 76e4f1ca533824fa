/// Values as comma-separated files hold them.
extension BufferedOutput {
  /// A value, in quotes where it needs them: for quotes, commas, line ends, and blanks at its ends. Nothing else is
  /// changed, whatever a spreadsheet would make of it.
  mutating func writeField(_ value: String) {
    let bytes = value.utf8
    let needsQuotes =
      bytes.contains { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: ",") || $0 == 0x0A || $0 == 0x0D }
      || bytes.first.map(isBlank) ?? false || bytes.last.map(isBlank) ?? false
    if needsQuotes { writeQuoted(value) } else { write(value) }
  }

  /// A value in quotes.
  mutating func writeQuoted(_ value: String) {
    write(UInt8(ascii: "\""))
    for byte in value.utf8 {
      if byte == UInt8(ascii: "\"") { write(byte) }
      write(byte)
    }
    write(UInt8(ascii: "\""))
  }
}
