import Testing

@testable import CLI

@Suite struct QRCodeTests {
  @Test func `a code has its three finder patterns and a quiet zone`() throws {
    let code = try #require(QRCode("wherry:1?a=127.0.0.1:40123&k=x&s=y&e=1"))
    func isDark(_ row: Int, _ column: Int) -> Bool { code.modules[row * code.width + column] }
    for (row, column) in [(0, 0), (0, code.width - 7), (code.width - 7, 0)] {
      #expect((0..<7).allSatisfy { isDark(row, column + $0) && isDark(row + 6, column + $0) })
      #expect(!isDark(row + 1, column + 1))
      #expect(isDark(row + 3, column + 3))
    }
    #expect(code.lines(isColored: true).count == (code.width + 5) / 2)
  }

  @Test func `a text that no code can hold gives none`() {
    #expect(QRCode(String(repeating: "x", count: 5000)) == nil)
  }

  @Test func `large digits are five lines of one width`() {
    let lines = LargeDigits.lines("48 219 365 74")
    #expect(lines.count == 5)
    #expect(Set(lines.map(columns)).count == 1)
  }
}
