/// Text of a browser's database that may be no sound UTF-8: browsers cut titles in the middle of a UTF-16 pair and
/// store the half that is left.
enum RepairedText {
  /// The text. Two halves that stand together become the character they mean, a half alone one U+FFFD.
  static func string(_ bytes: UnsafeRawBufferPointer) -> String {
    String(validating: bytes, as: UTF8.self) ?? String(decoding: withoutHalves(bytes), as: UTF8.self)
  }

  private static func withoutHalves(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
    var result: [UInt8] = []
    var index = 0
    while index < bytes.count {
      guard let half = half(bytes, at: index) else {
        result.append(bytes[index])
        index += 1
        continue
      }
      index += 3
      var scalar = half
      if half < 0xDC00, let second = self.half(bytes, at: index), second >= 0xDC00 {
        scalar = 0x10000 + (half - 0xD800) << 10 + (second - 0xDC00)
        index += 3
      }
      result.append(contentsOf: String(Unicode.Scalar(scalar) ?? "\u{FFFD}").utf8)
    }
    return result
  }

  /// Half a pair, written as if it were a character: ED A0 80 to ED BF BF.
  private static func half(_ bytes: UnsafeRawBufferPointer, at index: Int) -> UInt32? {
    guard index + 2 < bytes.count, bytes[index] == 0xED, bytes[index + 1] & 0xE0 == 0xA0,
      bytes[index + 2] & 0xC0 == 0x80
    else { return nil }
    return 0xD000 | UInt32(bytes[index + 1] & 0x3F) << 6 | UInt32(bytes[index + 2] & 0x3F)
  }
}
