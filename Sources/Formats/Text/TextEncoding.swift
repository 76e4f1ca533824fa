import Glibc

/// A character encoding that exchanged files come in.
enum TextEncoding: Hashable {
  case utf8
  /// UTF-8 with bytes that are none, each replaced by U+FFFD.
  case damagedUTF8
  case utf16(isBigEndian: Bool)
  case windows1252
  /// By the name that the file gives, as the C library knows it.
  case named(String)

  /// What a report calls it.
  var name: String {
    switch self {
    case .utf8: "UTF-8"
    case .damagedUTF8: "UTF-8 with wrong bytes"
    case .utf16: "UTF-16"
    case .windows1252: "windows-1252"
    case .named(let name): name
    }
  }
}

/// The text of a file as UTF-8 without byte order mark, and the encoding that it had.
struct DecodedText {
  /// Valid UTF-8.
  var bytes: [UInt8]
  /// What the file was written in.
  var encoding: TextEncoding

  /// Decides the encoding: a byte order mark; else UTF-8 where the bytes are valid, whatever the file says of itself; else
  /// what it says (`declared` looks for that); else windows-1252.
  init(_ raw: [UInt8], declared: ([UInt8]) -> String? = { _ in nil }) {
    if raw.starts(with: [0xEF, 0xBB, 0xBF]) {
      self.init(markedUTF8: raw)
    } else if let isBigEndian = DecodedText.utf16Order(raw) {
      self.init(utf16: raw, isBigEndian: isBigEndian)
    } else if isValidUTF8(raw) {
      self.init(bytes: raw, encoding: .utf8)
    } else {
      self.init(raw, named: declared(raw) ?? "windows-1252")
    }
  }

  private init(bytes: [UInt8], encoding: TextEncoding) {
    self.bytes = bytes
    self.encoding = encoding
  }

  private init(markedUTF8 raw: [UInt8]) {
    let rest = Array(raw[3...])
    if isValidUTF8(rest) {
      self.init(bytes: rest, encoding: .utf8)
    } else {
      self.init(bytes: repaired(rest), encoding: .damagedUTF8)
    }
  }

  /// The byte order where a mark gives it, or where the first character is a `<` of two bytes.
  static func utf16Order(_ raw: [UInt8]) -> Bool? {
    if raw.starts(with: [0xFF, 0xFE]) || raw.starts(with: [0x3C, 0]) { return false }
    if raw.starts(with: [0xFE, 0xFF]) || raw.starts(with: [0, 0x3C]) { return true }
    return nil
  }

  private init(utf16 raw: [UInt8], isBigEndian: Bool) {
    let units = (0..<raw.count / 2).lazy.map { index -> UInt16 in
      let pair = (UInt16(raw[2 * index]), UInt16(raw[2 * index + 1]))
      return isBigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
    }
    var text = Array(String(decoding: units, as: UTF16.self).utf8)
    if text.starts(with: [0xEF, 0xBB, 0xBF]) { text.removeFirst(3) }
    self.init(bytes: text, encoding: .utf16(isBigEndian: isBigEndian))
  }

  private init(_ raw: [UInt8], named name: String) {
    switch name.lowercased() {
    case "utf-8", "utf8":
      self.init(bytes: repaired(raw), encoding: .damagedUTF8)
    case "windows-1252", "cp1252", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "ascii", "us-ascii":
      self.init(bytes: Windows1252.utf8(raw), encoding: .windows1252)
    default:
      if let converted = converted(raw, from: name) {
        self.init(bytes: converted, encoding: .named(name))
      } else {
        self.init(bytes: Windows1252.utf8(raw), encoding: .windows1252)
      }
    }
  }
}

private func repaired(_ bytes: [UInt8]) -> [UInt8] { Array(String(decoding: bytes, as: UTF8.self).utf8) }

/// The bytes in UTF-8 as the C library converts them, U+FFFD for what it cannot; nil when it does not know the name.
private func converted(_ raw: [UInt8], from name: String) -> [UInt8]? {
  // A slash would be an option of the library, such as transliteration.
  guard name.utf8.count <= 40, !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
  guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else { return nil }
  defer { iconv_close(converter) }
  var source = raw
  var result: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  source.withUnsafeMutableBytes { input in
    var from = input.baseAddress?.assumingMemoryBound(to: CChar.self)
    var left = input.count
    while left > 0 {
      let (made, failure) = chunk.withUnsafeMutableBytes { output -> (Int, Int32) in
        var to = output.baseAddress?.assumingMemoryBound(to: CChar.self)
        var room = output.count
        let failed = iconv(converter, &from, &left, &to, &room) == Int(bitPattern: UInt.max)
        return (output.count - room, failed ? errno : 0)
      }
      result.append(contentsOf: chunk[..<made])
      if failure == EILSEQ || failure == EINVAL {
        result.append(contentsOf: [0xEF, 0xBF, 0xBD])
        from = from?.advanced(by: 1)
        left -= 1
      }
    }
  }
  return isValidUTF8(result) ? result : nil
}

/// The code page of western Windows, which also stands for Latin-1 as in browsers.
enum Windows1252 {
  /// U+0080 to U+009F; the five free places are the control characters of the same number.
  private static let high: [UInt16] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0x8D, 0x017D,
    0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,
    0x017E, 0x0178,
  ]

  /// The code point of a byte.
  static func scalar(_ byte: UInt8) -> UInt32 {
    (0x80...0x9F).contains(byte) ? UInt32(high[Int(byte) - 0x80]) : UInt32(byte)
  }

  /// The bytes as UTF-8.
  static func utf8(_ raw: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(raw.count + raw.count / 8)
    for byte in raw {
      if byte < 0x80 { result.append(byte) } else { appendUTF8(scalar(byte), to: &result) }
    }
    return result
  }
}

/// Appends a code point as UTF-8; U+FFFD for what is none.
func appendUTF8(_ value: UInt32, to bytes: inout [UInt8]) {
  let scalar = Unicode.Scalar(value) ?? "\u{FFFD}"
  if scalar.value < 0x80 {
    bytes.append(UInt8(truncatingIfNeeded: scalar.value))
  } else {
    bytes.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
  }
}
