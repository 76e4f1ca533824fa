import Testing

@testable import Formats

@Suite struct UTF8CheckTests {
  @Test func `every short sequence is judged as the standard library does`() {
    var wrong: [[UInt8]] = []
    for first in UInt8(0x7E)...0xFF {
      for second in [0, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF] as [UInt8] {
        for tail in [[], [0x80], [0x80, 0x80], [0xBF, 0xBF], [0xBF, 0xC0], [0x41, 0x41]] as [[UInt8]] {
          for front in [[], [UInt8](repeating: 0x41, count: 7)] {
            let bytes = front + [first, second] + tail
            if isValidUTF8(bytes) != (String(validating: bytes, as: UTF8.self) != nil) { wrong.append(bytes) }
          }
        }
      }
    }
    #expect(wrong.isEmpty)
    #expect(isValidUTF8([]) && isValidUTF8(Array("naïve 日本 😀 and more than eight bytes of ASCII".utf8)))
  }
}
