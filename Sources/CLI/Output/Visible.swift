/// Text of a peer or a file as it may be shown: control characters and those that turn the direction of writing are
/// spelt out, so that no text can move the cursor, colour the screen or pose as another.
func visible(_ text: String) -> String {
  if !text.unicodeScalars.contains(where: isUnsafe) { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    switch scalar {
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where isUnsafe(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Whether a character must not reach a terminal as it is.
func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xE0000...0xE007F: true
  default: false
  }
}

/// How many columns text takes on a terminal, near enough: wide characters take two, marks none.
func columns(_ text: String) -> Int {
  text.unicodeScalars.reduce(0) { sum, scalar in
    switch scalar.value {
    case 0x300...0x36F, 0x200B...0x200D, 0xFE00...0xFE0F: sum
    case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
      0x1F300...0x1FAFF, 0x20000...0x3FFFD:
      sum + 2
    default: sum + 1
    }
  }
}

/// Text cut to a number of columns, with `…` where something is missing.
func fitted(_ text: String, to width: Int) -> String {
  if columns(text) <= width { return text }
  var result = ""
  var taken = 0
  for character in text {
    let next = columns(String(character))
    if taken + next > width - 1 { break }
    result.append(character)
    taken += next
  }
  return result + "…"
}

/// Text broken at spaces into lines of so many columns, each indented as the first one is; colours take no room. A word that
/// is longer than a line stays whole.
func wrapped(_ text: String, to width: Int) -> [String] {
  if shownColumns(text) <= width { return [text] }
  let indent = String(text.prefix { $0 == " " })
  var lines: [String] = []
  var line = indent
  var isEmpty = true
  for word in text.dropFirst(indent.count).split(separator: " ", omittingEmptySubsequences: false) {
    if !isEmpty, shownColumns(line) + 1 + shownColumns(String(word)) > width {
      lines.append(line)
      (line, isEmpty) = (indent, true)
    }
    line += (isEmpty ? "" : " ") + word
    isEmpty = false
  }
  return lines + [line]
}

/// The columns of text in which colours may stand.
private func shownColumns(_ text: String) -> Int {
  var rest = text[...]
  var sum = 0
  while let start = rest.firstRange(of: "\u{1B}[") {
    sum += columns(String(rest[..<start.lowerBound]))
    rest = rest[start.upperBound...].drop { $0 != "m" }.dropFirst()
  }
  return sum + columns(String(rest))
}

/// Text filled up with spaces to a number of columns.
func padded(_ text: String, to width: Int) -> String {
  text + String(repeating: " ", count: max(0, width - columns(text)))
}

/// Spaces, then text, together a number of columns.
func aligned(_ text: String, to width: Int) -> String {
  String(repeating: " ", count: max(0, width - columns(text))) + text
}

/// `1 bookmark`, `2 bookmarks`: a number with its word.
func counted(_ count: Int, _ one: String, _ many: String? = nil) -> String {
  "\(grouped(count)) \(count == 1 ? one : many ?? one + "s")"
}

/// A number with its thousands apart.
func grouped(_ number: Int) -> String {
  var digits = String(number.magnitude)
  var result = ""
  while digits.count > 3 {
    result = "," + digits.suffix(3) + result
    digits.removeLast(3)
  }
  return (number < 0 ? "-" : "") + digits + result
}
