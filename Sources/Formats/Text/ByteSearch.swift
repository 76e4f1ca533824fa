import Glibc

extension [UInt8] {
  /// The first place of a byte in a range, which is cut to what there is.
  @inline(__always)
  func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
    withUnsafeBytes { $0.firstIndex(of: byte, from: start, to: end) }
  }

  /// Whether a range is this word, letters of either case alike. The word is in lower case.
  @inline(__always)
  func isWord(_ range: Range<Int>, _ word: StaticString) -> Bool {
    withUnsafeBytes { $0.isWord(range, word) }
  }

  /// The range without blanks and line ends at its ends.
  @inline(__always)
  func trimmed(_ range: Range<Int>) -> Range<Int> { withUnsafeBytes { $0.trimmed(range) } }

  /// The text of a range.
  @inline(__always)
  func text(_ range: Range<Int>) -> String { String(decoding: self[range], as: UTF8.self) }
}

extension UnsafeRawBufferPointer {
  /// The first place of a byte in a range, which is cut to what there is.
  @inline(__always)
  func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
    let end = Swift.min(end, count)
    guard start >= 0, start < end, let base = baseAddress else { return nil }
    guard let found = memchr(base + start, Int32(byte), end &- start) else { return nil }
    return UnsafeRawPointer(found) - base
  }

  /// The text of a range.
  @inline(__always)
  func text(_ range: Range<Int>) -> String {
    String(decoding: UnsafeRawBufferPointer(rebasing: self[range]), as: UTF8.self)
  }

  /// Whether a range is this word, letters of either case alike. The word is in lower case.
  @inline(__always)
  func isWord(_ range: Range<Int>, _ word: StaticString) -> Bool {
    guard range.count == word.utf8CodeUnitCount, range.upperBound <= count else { return false }
    for offset in 0..<range.count where lowercased(self[range.lowerBound &+ offset]) != word.utf8Start[offset] {
      return false
    }
    return true
  }

  /// The range without blanks and line ends at its ends.
  func trimmed(_ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, Swift.min(range.upperBound, count))
    while start < end, isBlank(self[start]) { start &+= 1 }
    while end > start, isBlank(self[end &- 1]) { end &-= 1 }
    return start..<Swift.max(start, end)
  }

  /// The first place of a byte in a range; the end of the range where there is none.
  @inline(__always)
  func index(of byte: UInt8, in range: Range<Int>) -> Int {
    var index = range.lowerBound
    while index < range.upperBound, self[index] != byte { index &+= 1 }
    return index
  }
}

/// A letter of ASCII in lower case, any other byte as it is.
@inline(__always)
func lowercased(_ byte: UInt8) -> UInt8 { byte &- 65 < 26 ? byte | 0x20 : byte }

/// Whether a byte is a space, a tab, a line feed, a form feed or a carriage return.
@inline(__always)
func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D || byte == 0x0C }

/// Whether a byte is an ASCII letter.
@inline(__always)
func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 97 < 26 }

/// Whether a byte is an ASCII digit.
@inline(__always)
func isDigit(_ byte: UInt8) -> Bool { byte &- 48 < 10 }

/// The value of a hexadecimal digit.
@inline(__always)
func hexadecimalValue(_ byte: UInt8) -> UInt32? {
  if isDigit(byte) { return UInt32(byte) &- 48 }
  let letter = byte | 0x20
  return letter &- 97 < 6 ? UInt32(letter) &- 87 : nil
}
