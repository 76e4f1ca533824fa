import BrowsingData
import TestSupport
import Testing

@testable import Formats

@Suite struct SafariHistoryTests {
  private let t: Int64 = 1_700_000_000_123_456

  @Test func `absent flags mean loaded and GET`() throws {
    let found = try read(
      #"""
      {"url":"https://plain.test/","time_usec":\#(t)},
      {"url":"https://fail.test/","time_usec":\#(t),"latest_visit_was_load_failure":true},
      {"url":"https://post.test/","time_usec":\#(t),"latest_visit_was_http_get":false}
      """#)
    #expect(found.visits.map(\.loaded) == [true, false, true])
    #expect(found.visits.map(\.httpGet) == [true, true, false])
  }

  @Test func `visit_count goes before visits_count, and both are at least 1`() throws {
    let counts = [
      #""visits_count":3"#, #""visit_count":4"#, #""visits_count":2,"visit_count":9"#,
      #""visit_count":9,"visits_count":2"#,
      #""x":1"#, #""visit_count":0"#, #""visit_count":-5"#, #""visit_count":99999999999999999999"#,
    ]
    let found = try read(counts.map { #"{"url":"a","time_usec":\#(t),\#($0)}"# }.joined(separator: ","))
    #expect(found.visits.map(\.visitCount) == [3, 4, 9, 9, 1, 1, 1, 1])
  }

  @Test func `empty strings and zeros are absent values`() throws {
    let found = try read(
      #"{"url":"a","time_usec":\#(t),"title":"","source_url":"","source_time_usec":0,"destination_url":"","#
        + #""destination_time_usec":0}"#)
    #expect(found.visits == [HistoryVisit(url: "a", visitedAt: Timestamp(microseconds: t))])
    #expect(found.remarks.isEmpty)
  }

  @Test func `entries that are no visits are skipped one by one, with their line`() throws {
    let found = try read(
      """
      {"url":"good","time_usec":\(t)},
      {"url":5,"time_usec":\(t)},
      {"url":"b","time_usec":"x"},
      null,
      "text",
      {"time_usec":\(t)},
      {"url":"","time_usec":\(t)},
      {"url":"c","time_usec":0},
      {"url":"d","time_usec":-1},
      {"url":"e","time_usec":99999999999999999},
      {"url":"last","time_usec":\(t)}
      """)
    #expect(found.visits.map(\.url) == ["good", "last"])
    #expect(found.skipped.map(\.place) == (2...10).map { .line($0) })
    #expect(found.skipped.allSatisfy { $0.type == .history && !$0.reason.isEmpty })
    #expect(try source("{\"url\":1},{\"url\":\"a\",\"time_usec\":7}").counts()[.history] == 1)
  }

  @Test func `optional fields of the wrong type cost only themselves`() throws {
    let found = try read(
      #"{"url":"a","time_usec":\#(t),"title":7,"visit_count":"x","latest_visit_was_http_get":0,"source_url":"b"},"#
        + #"{"url":"c","time_usec":\#(t),"title":null}"#)
    #expect(found.visits.map(\.url) == ["a", "c"])
    #expect(found.visits.map(\.title) == [nil, nil])
    #expect(found.skipped.isEmpty)
    #expect(found.warnings.map(\.reason) == ["4 optional fields are incomplete and were passed over"])
  }

  @Test func `a chain keeps both neighbours of its middle`() throws {
    let found = try read(
      #"{"url":"1","time_usec":\#(t),"destination_url":"2","destination_time_usec":\#(t + 5)},"#
        + #"{"url":"2","time_usec":\#(t + 5),"source_url":"1","source_time_usec":\#(t),"#
        + #""destination_url":"3","destination_time_usec":\#(t + 9)},"#
        + #"{"url":"3","time_usec":\#(t + 9),"source_url":"2","source_time_usec":\#(t + 5)}"#)
    #expect(found.visits.map(\.redirectSource) == [nil, link("1", 0), link("2", 5)])
    #expect(found.visits.map(\.redirectDestination) == [link("2", 5), link("3", 9), nil])
    #expect(found.remarks.isEmpty)
  }

  @Test func `a partner off by up to a millisecond is the partner`() throws {
    let found = try read(
      #"{"url":"a","time_usec":\#(t),"destination_url":"b","destination_time_usec":\#(t + 500_001)},"#
        + #"{"url":"b","time_usec":\#(t + 500_000),"source_url":"a","source_time_usec":\#(t - 1000)},"#
        + #"{"url":"c","time_usec":\#(t + 500_000),"source_url":"a","source_time_usec":\#(t - 1001)}"#)
    #expect(found.visits[0].redirectDestination == link("b", 500_000))
    #expect(found.visits[1].redirectSource == link("a", 0))
    #expect(found.visits[2].redirectSource == link("a", -1001))
    #expect(
      found.warnings.map(\.reason) == ["1 redirects lead to or from visits that are not in the file; they are kept"])
  }

  @Test func `an exact partner goes before a nearer-standing one, and the nearest before others`() throws {
    let found = try read(
      #"{"url":"a","time_usec":\#(t + 1)},{"url":"x","time_usec":\#(t),"source_url":"a","source_time_usec":\#(t)},"#
        + #"{"url":"y","time_usec":\#(t),"source_url":"a","source_time_usec":\#(t + 300)},"#
        + #"{"url":"a","time_usec":\#(t + 900)},{"url":"a","time_usec":\#(t)}"#)
    #expect(found.visits[1].redirectSource == link("a", 0))
    #expect(found.visits[2].redirectSource == link("a", 1))
    #expect(found.remarks.isEmpty)
  }

  @Test func `partners far apart find each other in either direction`() throws {
    let filler = (0..<20_000).map { #"{"url":"f\#($0)","time_usec":\#(t + 10 + Int64($0))}"# }.joined(separator: ",")
    let found = try read(
      #"{"url":"a","time_usec":\#(t),"destination_url":"z","destination_time_usec":\#(t + 90_002)},"# + filler
        + #",{"url":"z","time_usec":\#(t + 90_000),"source_url":"a","source_time_usec":\#(t + 3)}"#)
    #expect(found.visits.first?.redirectDestination == link("z", 90_000))
    #expect(found.visits.last?.redirectSource == link("a", 0))
    #expect(found.remarks.isEmpty)
  }

  @Test func `a cycle and a visit that redirects to itself are harmless`() throws {
    let found = try read(
      #"{"url":"a","time_usec":\#(t),"source_url":"b","source_time_usec":\#(t),"#
        + #""destination_url":"b","destination_time_usec":\#(t)},"#
        + #"{"url":"b","time_usec":\#(t),"source_url":"b","source_time_usec":\#(t)}"#)
    #expect(found.visits[0].redirectSource == link("b", 0))
    #expect(found.visits[1].redirectSource == link("b", 0))
    #expect(found.remarks.isEmpty)
  }

  @Test func `equal visits are numbered in the order of the file, wherever they stand`() throws {
    let entries = ["a,0", "b,5", "a,0", "a,5", "b,5", "b,3", "a,0"].map { entry in
      let parts = entry.split(separator: ",")
      return #"{"url":"\#(parts[0])","time_usec":\#(t + Int64(parts[1])!)}"#
    }
    #expect(try read(entries.joined(separator: ",")).visits.map(\.occurrence) == [0, 0, 1, 0, 1, 0, 2])
    #expect(
      try read([entries[0], entries[0], entries[1]].joined(separator: ",")).visits.map(\.occurrence) == [0, 1, 0])
  }

  @Test func `metadata may stand last, be missing, or be newer`() throws {
    let entry = #"{"url":"a","time_usec":\#(t),"new_key":{"deep":[1,2]}}"#
    for json in [
      #"{"history":[\#(entry)],"metadata":{"data_type":"history"}}"#, #"{"x":1,"history":[\#(entry)]}"#,
      #"{"metadata":{"data_type":"history","schema_version":1,"extra":[1]},"history":[\#(entry)],"more":[]}"#,
    ] {
      let found = try CollectedRecords(SafariHistory(input: MemoryInput(Array(json.utf8))))
      #expect(found.visits.map(\.url) == ["a"])
      #expect(found.remarks.isEmpty)
    }
    let newer = #"{"metadata":{"data_type":"history","schema_version":99},"history":[\#(entry)]}"#
    let found = try CollectedRecords(SafariHistory(input: MemoryInput(Array(newer.utf8))))
    #expect(found.visits.count == 1)
    #expect(found.warnings.count == 1)
  }

  @Test func `titles that are no text are repaired, such addresses skipped`() throws {
    var json = Array(#"{"history":[{"url":"a","time_usec":\#(t),"title":"x"#.utf8)
    json += [0xE9] + Array(#""},{"url":"b\ud800","time_usec":\#(t)}]}"#.utf8)
    let found = try CollectedRecords(SafariHistory(input: MemoryInput(json)))
    #expect(found.visits.map(\.title) == ["x\u{FFFD}"])
    #expect(found.warnings.count == 1)
    #expect(found.skipped.count == 1)
  }

  @Test func `a NUL in an escape is no text`() throws {
    let found = try read(
      #"{"url":"a\u0000b","time_usec":\#(t)},{"url":"c","title":"x\u0000y","time_usec":\#(t)}"#)
    #expect(found.visits.map(\.title) == ["x\u{FFFD}y"])
    #expect(found.skipped.count == 1 && found.warnings.count == 1)
  }

  @Test(arguments: [
    "[\n{ENTRY}\n{ENTRY}]", "[\n{ENTRY},\n{ENTRY}\n{ENTRY}]", "[{ENTRY},,{ENTRY}]", "[,{ENTRY}]", "[{ENTRY},]",
    "[{ENTRY},{ENTRY,}]", "[{ENTRY},{,ENTRY}]", "[{ENTRY},{ENTRY ENTRY}]", "[{ENTRY},{ENTRY:1}]", "[{ENTRY}},{ENTRY}]",
  ])
  func `punctuation that is missing or too much is damage, also where entries look alike`(list: String) throws {
    let entry = #""url":"a","time_usec":\#(t)"#
    let json = Array(
      "{\"history\":\(list.split(separator: "ENTRY", omittingEmptySubsequences: false).joined(separator: entry))}".utf8)
    #expect(throws: FormatError.self) { try SafariHistory(input: MemoryInput(json)).read(.history) { _ in } }
  }

  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `entries of any shape are read as they were meant`(seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    let gaps = ["", " ", "\n   ", "\t\r\n"]
    var visits: [HistoryVisit] = []
    var entries: [String] = []
    let isPretty = numbers.chance(70)
    for index in 0..<200 {
      var visit = HistoryVisit(
        url: "https://h\(index).test/" + numbers.text(5), visitedAt: Timestamp(microseconds: t + Int64(index)))
      var members = [("url", quoted(visit.url, &numbers)), ("time_usec", "\(visit.visitedAt.microseconds)")]
      if numbers.chance(80) {
        visit.title = "t" + numbers.text(8, lineEnds: true)
        members.append(("title", quoted(visit.title ?? "", &numbers)))
      }
      if numbers.chance(50) {
        visit.visitCount = Int.random(in: 1...100_000, using: &numbers)
        members.append((numbers.chance(50) ? "visit_count" : "visits_count", "\(visit.visitCount)"))
      }
      if numbers.chance(20) {
        visit.loaded = numbers.chance(50)
        members.append(("latest_visit_was_load_failure", "\(!visit.loaded)"))
      }
      if numbers.chance(20) {
        visit.httpGet = numbers.chance(50)
        members.append(("latest_visit_was_http_get", "\(visit.httpGet)"))
      }
      if numbers.chance(10) {
        visit.redirectSource = HistoryVisit.Link(url: "s" + numbers.text(3), visitedAt: Timestamp(microseconds: t - 5))
        members.append(("source_url", quoted(visit.redirectSource?.url ?? "", &numbers)))
        members.append(("source_time_usec", "\(t - 5)"))
      }
      if numbers.chance(10) { members.append(("later", #"{"a":[1,{"url":"no"}]}"#)) }
      if !isPretty || numbers.chance(10) { members.shuffle(using: &numbers) }
      let gap = isPretty ? gaps[2] : gaps[Int.random(in: 0..<4, using: &numbers)]
      entries.append(
        "{\(gap)" + members.map { "\"\($0.0)\"\(gap):\(gap)\($0.1)" }.joined(separator: "\(gap),\(gap)") + "\(gap)}")
      visits.append(visit)
    }
    let json = Array("{\"history\":[\(entries.joined(separator: isPretty ? ",\n   " : " ,"))]}".utf8)
    for chunk in [Int.max, 1000, 17] {
      #expect(try CollectedRecords(SafariHistory(input: MemoryInput(json, chunk: chunk))).visits == visits)
    }
  }

  /// A text with escapes in some places where there need be none.
  private func quoted(_ text: String, _ numbers: inout SeededGenerator) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "/": result += numbers.chance(30) ? "\\/" : "/"
      default:
        if numbers.chance(5) {
          for unit in String(scalar).utf16 { result += "\\u" + String(format: unit) }
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result + "\""
  }

  @Test func `addresses stay letter by letter`() throws {
    let urls = ["HTTPS://EXAMPLE.test:443/%7Eu/a%20b?q=%E2%9C%93#F", "https://example.test", "https://e\u{301}.test/"]
    let found = try read(urls.map { #"{"url":"\#($0)","time_usec":\#(t)}"# }.joined(separator: ","))
    #expect(found.visits.map { Array($0.url.utf8) } == urls.map { Array($0.utf8) })
  }

  @Test func `nothing of a file that is cut or goes on is handed over`() throws {
    let whole = #"{"history":[{"url":"a","time_usec":\#(t)},{"url":"b","time_usec":\#(t)}]}"#
    for json in [String(whole.dropLast(20)), String(whole.dropLast()), whole + "x", "{\"history\":{}}", "{\"x\":[]}"] {
      let source = SafariHistory(input: MemoryInput(Array(json.utf8)))
      #expect(throws: FormatError.self) { try source.read(.history) { _ in Issue.record("a batch came") } }
    }
  }

  @Test func `tiny chunks, keys with escapes and odd blanks give what the whole gives`() throws {
    let json =
      #"{"metadata":{"data_type":"history"},"history":[ {"\u0075rl":"https:\/\/a.test\/é","time_usec" : \#(t)"#
      + ",\n\t\"title\":\"T\" } ,\r\n{\"time_usec\":1.7e15,\"url\":\"b\", \"title\" :\"\" }]}"
    let whole = try CollectedRecords(SafariHistory(input: MemoryInput(Array(json.utf8)))).visits
    #expect(whole.map(\.url) == ["https://a.test/é", "b"])
    #expect(whole.map(\.visitedAt.microseconds) == [t, 1_700_000_000_000_000])
    for chunk in [1, 3, 10] {
      #expect(try CollectedRecords(SafariHistory(input: MemoryInput(Array(json.utf8), chunk: chunk))).visits == whole)
    }
  }

  @Test func `partners among many visits are found, and those that are not in the file counted`() throws {
    var entries: [String] = []
    for index in 0..<12_000 {
      let time = t + Int64(index) * 5000
      var entry = #"{"url":"https://h\#(index % 700).test/","time_usec":\#(time)"#
      // The partner stands 1, 20 or 9,000 entries before; every hundredth has none.
      let distance = index % 100 == 99 ? 100_000 : [1, 20, 9000][index % 3]
      if index >= 9000 {
        let partner = index - distance
        entry +=
          #","source_url":"https://h\#((partner + 700_000) % 700).test/","source_time_usec":\#(t + Int64(partner) * 5000)"#
      }
      entries.append(entry + "}")
    }
    let found = try read(entries.joined(separator: ",\n"))
    #expect(found.visits.count == 12_000)
    #expect(
      found.warnings.map(\.reason) == ["30 redirects lead to or from visits that are not in the file; they are kept"])
  }

  @Test func `redirects without partner are counted beyond those that are remembered`() throws {
    let entries = (0..<33_000).map { index in
      let time = t + Int64(index) * 5000
      return #"{"url":"a","time_usec":\#(time),"source_url":"b","source_time_usec":\#(time),"#
        + #""destination_url":"c","destination_time_usec":\#(time)}"#
    }
    let found = try read(entries.joined(separator: ",\n"))
    #expect(found.visits.count == 33_000)
    let reason = "66000 redirects lead to or from visits that are not in the file; they are kept"
    #expect(found.warnings.map(\.reason) == [reason])
  }

  private func link(_ url: String, _ offset: Int64) -> HistoryVisit.Link {
    HistoryVisit.Link(url: url, visitedAt: Timestamp(microseconds: t + offset))
  }

  private func source(_ entries: String) -> SafariHistory {
    SafariHistory(input: MemoryInput(Array(#"{"metadata":{"data_type":"history"},"history":[\#(entries)]}"#.utf8)))
  }

  private func read(_ entries: String) throws -> CollectedRecords { try CollectedRecords(source(entries)) }
}

extension String {
  fileprivate init(format unit: UInt16) {
    let digits = String(unit, radix: 16)
    self = String(repeating: "0", count: 4 - digits.count) + digits
  }
}
