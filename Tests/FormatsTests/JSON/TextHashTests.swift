import Testing

@testable import Formats

@Suite struct TextHashTests {
  private let hash = TextHash()

  private func value(_ bytes: [UInt8]) -> UInt64 { bytes.withUnsafeBytes { hash($0) } }

  @Test func `a text has one hash wherever it stands`() {
    for count in 0..<70 {
      let text = (0..<count).map { UInt8($0) }
      for shift in 1..<16 {
        let moved = [UInt8](repeating: 0xFF, count: shift) + text + [0xEE, 0xDD]
        let found = moved.withUnsafeBytes { hash(UnsafeRawBufferPointer(rebasing: $0[shift..<shift + count])) }
        #expect(found == value(text))
      }
    }
  }

  @Test func `every byte and the length of a text count`() {
    var seen: Set<UInt64> = []
    var texts = 0
    for count in 0..<70 {
      let text = [UInt8](repeating: 0, count: count)
      texts += 1 + count
      seen.insert(value(text))
      for index in 0..<count {
        var other = text
        other[index] = 1
        seen.insert(value(other))
      }
    }
    #expect(seen.count == texts)
  }

  @Test func `another key gives other hashes`() {
    let other = TextHash()
    let text = Array("https://example.org/".utf8)
    #expect(text.withUnsafeBytes { other($0) } != value(text))
  }
}
