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

  /// What a name in a file that is no UTF-8 stands for: the names of the web and of older programs, most of which mean a
  /// larger set than they say. windows-1252 for a name that nobody knows, or that such a file cannot truly bear.
  init(named name: String) {
    let name = name.lowercased()
    switch name {
    case "utf-8", "utf8", "unicode-1-1-utf-8": self = .damagedUTF8
    case "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "latin1", "latin-1", "l1", "ascii",
      "us-ascii":
      self = .windows1252
    default:
      let known = TextEncoding.larger[name] ?? name
      let isWide = ["utf-16", "utf16", "utf-32", "utf32", "ucs", "iso-10646", "utf-7"].contains { name.hasPrefix($0) }
      self = isWide || !Transcoder.knows(known) ? .windows1252 : .named(known)
    }
  }

  private static let larger = [
    "gb2312": "GB18030", "gb_2312-80": "GB18030", "gbk": "GB18030", "x-gbk": "GB18030", "shift_jis": "CP932",
    "shift-jis": "CP932", "sjis": "CP932", "x-sjis": "CP932", "windows-31j": "CP932", "euc-kr": "CP949",
    "ks_c_5601-1987": "CP949", "big5": "BIG5-HKSCS", "iso-8859-9": "CP1254", "latin5": "CP1254",
    "iso-8859-11": "CP874", "tis-620": "CP874", "x-mac-roman": "MACINTOSH", "x-mac-cyrillic": "MAC-CYRILLIC",
    "x-cp1250": "CP1250", "x-cp1251": "CP1251",
  ]
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
