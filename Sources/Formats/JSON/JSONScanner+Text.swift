import Glibc

extension JSONScanner {
  /// A string of the file as it stands there, without its quotes. Usable until `endEntry`, or, outside an entry, until
  /// the next call.
  struct Text {
    fileprivate(set) var start: Int64 = 0
    private var length: Int32 = 0
    /// Whether there are escapes to be undone.
    private(set) var hasEscapes = false
    /// Whether what stands in the file is ASCII; an escape may still mean more.
    private(set) var isASCII = true
    /// The number of bytes in the file.
    var count: Int { Int(length) }

    /// "".
    init() {}

    init(start: Int64, count: Int, hasEscapes: Bool, isASCII: Bool) {
      self.start = start
      length = Int32(truncatingIfNeeded: count)
      self.hasEscapes = hasEscapes
      self.isASCII = isASCII
    }

    /// Whether it is "".
    var isEmpty: Bool { count == 0 }
  }
}

extension JSONScanner {
  /// Whether a key or string is this word. A key written with escapes counts, too.
  @inline(__always)
  mutating func isEqual(_ text: Text, _ word: StaticString) -> Bool {
    if text.hasEscapes { return withBytes(of: text) { $0.elementsEqual(UnsafeRawBufferPointer(of: word)) } }
    return text.count == word.utf8CodeUnitCount && memcmp(pointer(text), word.utf8Start, text.count) == 0
  }

  /// Hands over the UTF-8 of a string, escapes undone. It may be invalid.
  @inline(__always)
  mutating func withBytes<R>(of text: Text, _ body: (UnsafeRawBufferPointer) -> R) -> R {
    let raw = UnsafeRawBufferPointer(start: pointer(text), count: text.count)
    if !text.hasEscapes { return body(raw) }
    JSONEscapes.undo(raw, into: &scratch)
    return scratch.withUnsafeBytes(body)
  }

  /// The string; nil when its UTF-8 is invalid, or half a surrogate pair or a NUL stands in it (`\u0000`: a text with one is
  /// cut by half of the programs that read it).
  @inline(never)
  mutating func string(_ text: Text) -> String? {
    if text.isASCII, !text.hasEscapes {
      return asciiString(UnsafeRawBufferPointer(start: pointer(text), count: text.count))
    }
    return withBytes(of: text) { text.hasEscapes && $0.contains(0) ? nil : validatedString($0) }
  }

  /// The string, with U+FFFD for what is invalid.
  mutating func repairedString(_ text: Text) -> String {
    let repaired = withBytes(of: text) { String(decoding: $0, as: UTF8.self) }
    guard repaired.utf8.contains(0) else { return repaired }
    return String(String.UnicodeScalarView(repaired.unicodeScalars.map { $0 == "\0" ? "\u{FFFD}" : $0 }))
  }

  private func pointer(_ text: Text) -> UnsafeRawPointer {
    UnsafeRawPointer(buffer) + Int(text.start &- base)
  }
}

extension UnsafeRawBufferPointer {
  fileprivate init(of word: StaticString) { self.init(start: word.utf8Start, count: word.utf8CodeUnitCount) }
}
