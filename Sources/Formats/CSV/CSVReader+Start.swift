/// What stands before the first row.
extension CSVReader {
  /// Finds the delimiter, and the first line that is neither empty nor a remark: some programs say on a line of their own
  /// who wrote the file.
  mutating func passPreamble() throws(FormatError) {
    while true {
      rowStart = position
      var end = lineEnd(from: position)
      while end == window.count {
        let start = rowStart
        guard try more() else { break }
        end = lineEnd(from: end &- start)
      }
      let line = Array(window.slice(rowStart..<end))
      let text = line.trimmed(0..<line.count)
      if text.count == 5, line.isWord(text.lowerBound..<(text.lowerBound + 4), "sep=") {
        delimiter = line[text.upperBound - 1]
        try passLine()
        return
      }
      if !text.isEmpty, line[text.lowerBound] != UInt8(ascii: "#") {
        delimiter = CSVReader.delimiter(line, text)
        return
      }
      if end == window.count { return }
      try passLine()
    }
  }

  private static func delimiter(_ bytes: [UInt8], _ line: Range<Int>) -> UInt8 {
    var isQuoted = false
    var found: UInt8?
    for byte in bytes[line] {
      if byte == quote { isQuoted.toggle() }
      if isQuoted { continue }
      if byte == UInt8(ascii: ",") { return byte }
      if byte == UInt8(ascii: ";") || byte == 0x09 { found = found ?? byte }
    }
    return found ?? UInt8(ascii: ",")
  }
}
