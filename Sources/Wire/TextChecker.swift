/// Says of parts of a text whether they are UTF-8. The whole is checked once; as long as it is UTF-8, a part is when it
/// neither begins nor ends within a character.
struct TextChecker {
  private let text: [UInt8]
  private let isWholeValid: Bool

  init(_ text: [UInt8]) {
    self.text = text
    isWholeValid = TextChecker.isValid(text[...])
  }

  func isText(_ range: Range<Int32>) -> Bool {
    let lower = Int(range.lowerBound)
    let upper = Int(range.upperBound)
    guard isWholeValid else { return TextChecker.isValid(text[lower..<upper]) }
    return isBoundary(lower) && isBoundary(upper)
  }

  private func isBoundary(_ index: Int) -> Bool { index >= text.count || text[index] & 0xc0 != 0x80 }

  private static func isValid(_ part: ArraySlice<UInt8>) -> Bool {
    part.withUnsafeBufferPointer { (try? UTF8Span(validating: $0.span)) != nil }
  }
}
