import Testing

@testable import Formats

@Suite struct JSONNumberTests {
  @Test(
    arguments: [
      ("0", 0), ("-0", 0), ("1722367302951213", 1_722_367_302_951_213), ("9223372036854775807", Int64.max),
      ("-9223372036854775808", Int64.min), ("1722730594744987.2", 1_722_730_594_744_987),
      ("1722730594744987.5", 1_722_730_594_744_988),
      ("1722730594744987.4999999999999999999999999", 1_722_730_594_744_987),
      ("-2.5", -3), ("-2.4", -2), ("1.722730594744987e15", 1_722_730_594_744_987),
      ("17227305947449872E-1", 1_722_730_594_744_987),
      ("1e3", 1000), ("1E+3", 1000), ("5e-1", 1), ("4e-1", 0), ("0.00000000000000000000000001e26", 1),
      ("0e99999999999", 0),
      ("17223673029512130000000000e-10", 1_722_367_302_951_213), ("1e-400", 0),
      ("9007199254740993", 9_007_199_254_740_993),
    ] as [(String, Int64)])
  func `a number is rounded exactly`(text: String, value: Int64) throws {
    #expect(number(text)?.rounded == .some(value))
    var scanner = try JSONScanner.open(MemoryInput(Array(text.utf8)))
    #expect(try scanner.integer() == value)
  }

  @Test(arguments: [
    "9223372036854775808", "-9223372036854775809", "1e19", "99999999999999999999", "1e400", "18446744073709551616",
  ])
  func `a number beyond 64 bits is none`(text: String) throws {
    #expect(number(text) != nil)
    var scanner = try JSONScanner.open(MemoryInput(Array(text.utf8)))
    #expect(try scanner.integer() == nil)
  }

  @Test(arguments: ["", "-", "01", "1.", ".1", "1e", "1e+", "+1", "1-", "0x1", "1.5.2", "1e1.5", "--1", "00"])
  func `what JSON does not allow is no number`(text: String) {
    #expect(number(text) == nil)
  }

  private func number(_ text: String) -> JSONNumber? { Array(text.utf8).withUnsafeBytes { JSONNumber($0) } }
}
