import Foundation
import Testing

@testable import CLI

@Suite struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var json = JSONWriter()
    json.object(body)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  @Test func `objects, arrays and numbers are written without spaces`() {
    let text = written { json in
      json.field("a", 1)
      json.key("b")
      json.array { json in
        json.value("x")
        json.object { $0.field("c", true) }
        json.value(Int64.min)
      }
      json.field("d", String?.none)
      json.field("e", [String]())
      json.field("f", ["y"])
    }
    #expect(text == #"{"a":1,"b":["x",{"c":true},-9223372036854775808],"f":["y"]}"#)
  }

  @Test func `every text comes back as it was, and no control character stands in it`() throws {
    let texts = [
      "", "plain", "quote \" and \\", "line\nbreak\r\ttab", "\u{0}\u{1}\u{1F}\u{7F}\u{80}\u{9B}", "é ß 日本語 🚀",
      "\u{202E}evil\u{2066}\u{200F}\u{061C}", "\u{2028}\u{2029}\u{FEFF}", "e\u{301}", "/slash/",
    ]
    for text in texts {
      let line = written { $0.field("t", text) }
      let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
      #expect(object["t"].map { Array($0.utf8) } == Array(text.utf8))
      #expect(!line.unicodeScalars.contains(where: isUnsafe))
    }
  }
}
