import Glibc

/// Turns a text into UTF-8, piece by piece; what a piece cuts in two is kept for the next one.
final class Transcoder {
  private let encoding: TextEncoding
  /// The bytes of a character that is not whole yet.
  private var rest: [UInt8] = []
  private let converter: iconv_t?

  /// From an encoding.
  init(_ encoding: TextEncoding) {
    self.encoding = encoding
    if case .named(let name) = encoding { converter = Transcoder.open(name) } else { converter = nil }
  }

  deinit { if let converter { iconv_close(converter) } }

  /// Whether the C library knows a name.
  static func knows(_ name: String) -> Bool {
    guard let converter = open(name) else { return false }
    iconv_close(converter)
    return true
  }

  private static func open(_ name: String) -> iconv_t? {
    // A slash would be an option of the library, such as transliteration.
    guard name.utf8.count <= 40, !name.utf8.contains(UInt8(ascii: "/")) else { return nil }
    guard let converter = iconv_open("UTF-8", name), converter != iconv_t(bitPattern: -1) else { return nil }
    return converter
  }

  /// The next piece as valid UTF-8; U+FFFD for what is no character.
  func convert(_ piece: [UInt8], isLast: Bool) -> [UInt8] {
    let bytes = rest.isEmpty ? piece : rest + piece
    rest = []
    switch encoding {
    case .utf8: return bytes
    case .windows1252: return Windows1252.utf8(bytes)
    case .damagedUTF8: return repaired(keep(isLast ? 0 : cutCharacter(bytes), of: bytes))
    case .utf16(let isBigEndian):
      return utf16(keep(isLast ? 0 : cutUnits(bytes, isBigEndian), of: bytes), isBigEndian)
    case .named:
      guard let converter else { return Windows1252.utf8(bytes) }
      return named(bytes, converter, isLast)
    }
  }

  /// All bytes but the last ones, which are kept.
  private func keep(_ count: Int, of bytes: [UInt8]) -> [UInt8] {
    rest = Array(bytes.suffix(count))
    return count == 0 ? bytes : Array(bytes.dropLast(count))
  }

  private func repaired(_ bytes: [UInt8]) -> [UInt8] {
    isValidUTF8(bytes) ? bytes : Array(String(decoding: bytes, as: UTF8.self).utf8)
  }

  /// How many bytes at the end may be the front of a character in UTF-8.
  private func cutCharacter(_ bytes: [UInt8]) -> Int {
    for count in 1...3 where count <= bytes.count {
      let byte = bytes[bytes.count - count]
      if byte & 0xC0 == 0x80 { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > count ? count : 0
    }
    return 0
  }

  // MARK: UTF-16

  /// How many bytes at the end are half a unit, or the first unit of a pair.
  private func cutUnits(_ bytes: [UInt8], _ isBigEndian: Bool) -> Int {
    let odd = bytes.count % 2
    guard bytes.count - odd >= 2 else { return odd }
    let high = bytes[bytes.count - odd - (isBigEndian ? 2 : 1)]
    return high & 0xFC == 0xD8 ? odd + 2 : odd
  }

  private func utf16(_ bytes: [UInt8], _ isBigEndian: Bool) -> [UInt8] {
    let units = (0..<bytes.count / 2).lazy.map { index -> UInt16 in
      let pair = (UInt16(bytes[2 * index]), UInt16(bytes[2 * index + 1]))
      return isBigEndian ? pair.0 << 8 | pair.1 : pair.1 << 8 | pair.0
    }
    return Array(String(decoding: units, as: UTF16.self).utf8)
  }

  // MARK: The C library

  private func named(_ bytes: [UInt8], _ converter: iconv_t, _ isLast: Bool) -> [UInt8] {
    var source = bytes
    var result: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    var left = source.count
    source.withUnsafeMutableBytes { input in
      var from = input.baseAddress?.assumingMemoryBound(to: CChar.self)
      while left > 0 {
        let (made, failure) = chunk.withUnsafeMutableBytes { output -> (Int, Int32) in
          var to = output.baseAddress?.assumingMemoryBound(to: CChar.self)
          var room = output.count
          let failed = iconv(converter, &from, &left, &to, &room) == Int(bitPattern: UInt.max)
          return (output.count - room, failed ? errno : 0)
        }
        result.append(contentsOf: chunk[..<made])
        // No character is longer than eight bytes.
        if failure == EINVAL, !isLast, left <= 8 { return }
        if failure == EILSEQ || failure == EINVAL {
          result.append(contentsOf: [0xEF, 0xBF, 0xBD])
          from = from?.advanced(by: 1)
          left -= 1
        }
      }
    }
    rest = Array(bytes.suffix(left))
    return repaired(result)
  }
}
