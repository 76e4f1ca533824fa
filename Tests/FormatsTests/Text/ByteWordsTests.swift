import TestSupport
import Testing

@testable import Formats

@Suite struct ByteWordsTests {
  /// Random bytes, most of them letters, with as many more behind the end as may be loaded.
  private func bytes(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    let rare: [UInt8] = [0, 0x0A, 0x0D, 0x22, 0x2C, 0x5C, 0x1F, 0x20, 0x7F, 0x80, 0xC3, 0xFF]
    return (0..<count + 16).map { _ in
      Int.random(in: 0..<24, using: &generator) == 0
        ? rare[Int.random(in: 0..<rare.count, using: &generator)] : UInt8.random(in: 0x61...0x7A, using: &generator)
    }
  }

  @Test func `what is found sixteen bytes at a time is what is found one by one`() {
    var generator = SeededGenerator(seed: 16)
    for _ in 0..<2000 {
      let count = Int.random(in: 0...70, using: &generator)
      let all = bytes(count, &generator)
      let start = Int.random(in: 0...count, using: &generator)
      let range = all[start..<count]
      all.withUnsafeBytes { raw in
        guard let base = raw.baseAddress else { return }
        let quote = ByteWords.index(of: 0x22, base, from: start, to: count)
        #expect(quote == range.firstIndex(of: 0x22) ?? count)
        let mark = ByteWords.index(of: 0x2C, 0x0A, 0x0D, base, from: start, to: count)
        #expect(mark == range.firstIndex { [0x2C, 0x0A, 0x0D].contains($0) } ?? count)
        #expect(ByteWords.count(of: 0x0A, base, from: start, to: count) == range.filter { $0 == 0x0A }.count)
        let look = ByteWords.look(base, from: start, to: count)
        #expect(look.isASCII == range.allSatisfy { $0 < 0x80 })
        #expect(look.hasNUL == range.contains(0))
      }
    }
  }

  @Test func `more bytes than a lane can count are counted`() {
    let bytes = [UInt8](repeating: 0x0A, count: 10_001)
    bytes.withUnsafeBytes { raw in
      guard let base = raw.baseAddress else { return }
      #expect(ByteWords.count(of: 0x0A, base, from: 1, to: 10_001) == 10_000)
    }
  }

  @Test func `a string of JSON ends at its first quote, backslash or control character`() {
    var generator = SeededGenerator(seed: 34)
    for _ in 0..<2000 {
      let count = Int.random(in: 0...70, using: &generator)
      let all = bytes(count, &generator)[..<count] + [UInt8](repeating: 0, count: 16)
      let start = Int.random(in: 0...count, using: &generator)
      let end = all[start...].firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C } ?? count
      Array(all).withUnsafeBytes { raw in
        guard let base = raw.baseAddress else { return }
        var seen: UInt64 = 0
        #expect(JSONWords.special(base, from: start, seen: &seen) == end)
        #expect((seen & JSONWords.highBits == 0) == all[start..<end].allSatisfy { $0 < 0x80 })
      }
    }
  }
}
