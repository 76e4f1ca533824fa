import Testing

@testable import Formats

@Suite struct JSONScannerTests {
  @Test func `all kinds of value are read in their order`() throws {
    let values = try flatten(#" { "a" : [ 1 , -2.5, true, false, null, "x" ], "b":{}, "c":[] } "#)
    #expect(
      values == ["{", "a", "[", "1", "-3", "true", "false", "null", "\"x\"", "]", "b", "{", "}", "c", "[", "]", "}"])
  }

  @Test(arguments: [
    (#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{C}\n\r\t"), (#""\u00e9\u20AC\ud83d\ude00""#, "é€😀"),
    (#""plain ✓ text""#, "plain ✓ text"), (#""""#, ""),
  ])
  func `escapes are undone`(json: String, text: String) throws {
    #expect(try flatten(json) == ["\"\(text)\""])
  }

  @Test(arguments: [
    "", "{", "[1", "[1,", "{\"a\"", "{\"a\":", "\"a", "\"a\\", "\"\\u12", "[tru", "nul", "{\"a\":1", "[\"a\",",
  ])
  func `an end in the middle is told from other damage`(json: String) {
    #expect {
      try flatten(json)
    } throws: { error in
      if case .truncated = error as? FormatError { true } else { false }
    }
  }

  @Test(arguments: [
    "[1,]", "{,}", "{\"a\":1,}", "[1 2]", "{\"a\" 1}", "{a:1}", "[01]", "[+1]", "[1.]", "[.5]", "[1e]", "[--1]",
    "[tru3]", "[\"a\u{1}b\"]", "[\"\\x\"]", "[\"\\u12G4\"]", "1 2", "[1]]", "[}", "\u{1}[]", "[1,\u{0}2]",
  ])
  func `what is no JSON is refused`(json: String) {
    #expect {
      try flatten(json)
    } throws: { error in
      if case .damaged = error as? FormatError { true } else { false }
    }
  }

  @Test func `nesting beyond the limit is an error, not a crash`() throws {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 200_000)
    var scanner = try JSONScanner.open(MemoryInput(deep))
    #expect(throws: FormatError.damaged("nested deeper than 64 levels", .byte(64))) { try scanner.skipValue() }
    var patient = try JSONScanner.open(MemoryInput(deep), maximumDepth: 1_000_000)
    #expect(throws: FormatError.truncated(.byte(200_000))) { try patient.skipValue() }
  }

  @Test func `a byte order mark and lines are passed over and counted`() throws {
    var scanner = try JSONScanner.open(MemoryInput([0xEF, 0xBB, 0xBF] + Array("\n\n [\r\n1]\n".utf8)))
    try scanner.enterArray()
    #expect(scanner.line == 3)
    #expect(try scanner.nextElement())
    #expect(scanner.line == 4)
    #expect(try scanner.integer() == 1)
    #expect(try !scanner.nextElement())
    try scanner.finish()
  }

  @Test func `invalid text is told and can be repaired`() throws {
    for json in [[0x22, 0xFF, 0x28, 0x22], Array(#""\ud800(""#.utf8)] as [[UInt8]] {
      var scanner = try JSONScanner.open(MemoryInput(json))
      let text = try scanner.text()
      #expect(scanner.string(text) == nil)
      #expect(scanner.repairedString(text).hasSuffix("\u{FFFD}("))
    }
  }

  @Test func `a text longer than the window is whole, an endless one is refused`() throws {
    let long = String(repeating: "0123456789é", count: 100_000)
    #expect(try flatten("[\"\(long)\"]") == ["[", "\"\(long)\"", "]"])
    let endless = [0x22] + [UInt8](repeating: 0x61, count: JSONScanner.maximumEntry + 10)
    var scanner = try JSONScanner.open(MemoryInput(endless))
    #expect(throws: FormatError.self) { try scanner.text() }
    var skipping = try JSONScanner.open(MemoryInput(endless + [0x22]))
    try skipping.skipValue()
  }

  @Test func `tiny chunks give what the whole gives`() throws {
    let json =
      #"{"metadata": {"v": 1.5e3, "x": [true, null, "a\u00e9\n"]}, "list": ["#
      + (0..<50).map { #"{"url":"https://h\#($0).test/\/","n": \#($0 * 1_000_003)}"# }.joined(separator: ",\n ") + "]}"
    let whole = try flatten(json)
    for chunk in [1, 2, 3, 7, 64] { #expect(try flatten(json, chunk: chunk) == whole) }
  }

  @Test func `every cut of a file is truncated, never taken`() throws {
    let json = Array(#"{"a":[1,"é\n",{"b":true}],"c":null,"d":-12.5e-1}"#.utf8)
    for count in 0..<json.count {
      #expect(throws: FormatError.self) {
        try flatten(String(decoding: json[..<count], as: UTF8.self), raw: json[..<count])
      }
    }
    #expect(try flatten("", raw: json[...]).last == "}")
  }

  /// Walks a whole text and lists what it finds.
  @discardableResult
  private func flatten(_ json: String, raw: ArraySlice<UInt8>? = nil, chunk: Int = .max) throws -> [String] {
    var scanner = try JSONScanner.open(MemoryInput(raw.map { Array($0) } ?? Array(json.utf8), chunk: chunk))
    var found: [String] = []
    var isObject: [Bool] = []
    repeat {
      if let inObject = isObject.last {
        if inObject {
          guard let key = try scanner.nextMember() else {
            found.append("}")
            isObject.removeLast()
            continue
          }
          found.append(scanner.repairedString(key))
        } else if try !scanner.nextElement() {
          found.append("]")
          isObject.removeLast()
          continue
        }
      }
      switch try scanner.kind() {
      case .object:
        try scanner.enterObject()
        isObject.append(true)
        found.append("{")
      case .array:
        try scanner.enterArray()
        isObject.append(false)
        found.append("[")
      case .string:
        let text = try scanner.text()
        found.append("\"\(scanner.repairedString(text))\"")
      case .number: found.append(try scanner.integer().map { String($0) } ?? "too large")
      case .bool: found.append(try scanner.bool() ? "true" : "false")
      case .null:
        try scanner.null()
        found.append("null")
      }
    } while !isObject.isEmpty
    try scanner.finish()
    return found
  }
}
