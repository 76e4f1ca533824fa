/// A text to be found in records, upper and lower case alike.
package struct SearchTerm {
  private let lowered: [UInt8]
  private let isASCII: Bool

  /// From what the person typed.
  package init(_ text: String) {
    lowered = Array(text.lowercased().utf8)
    isASCII = lowered.allSatisfy { $0 < 128 }
  }

  /// Whether this text holds the term.
  package func matches(_ text: String?) -> Bool {
    guard var text else { return false }
    return text.withUTF8 { matches(utf8: UnsafeRawBufferPointer($0)) }
  }

  /// Whether this UTF-8 holds the term.
  package func matches(utf8 text: UnsafeRawBufferPointer) -> Bool {
    if isASCII { return find(in: text) { $0 >= 65 && $0 <= 90 ? $0 | 32 : $0 } }
    let other = Array(String(decoding: text, as: UTF8.self).lowercased().utf8)
    return other.withUnsafeBytes { find(in: $0) { $0 } }
  }

  private func find(in text: UnsafeRawBufferPointer, _ fold: (UInt8) -> UInt8) -> Bool {
    guard let first = lowered.first else { return true }
    guard text.count >= lowered.count else { return false }
    for start in 0...(text.count - lowered.count) where fold(text[start]) == first {
      var index = 1
      while index < lowered.count, fold(text[start + index]) == lowered[index] { index += 1 }
      if index == lowered.count { return true }
    }
    return false
  }
}
