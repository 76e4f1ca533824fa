import ChannelTestSupport
import Foundation
import SQLite
import TestSupport
import Testing

/// Real programs, real stores, real loopback: killed and cut at random moments, in the same order for the same seed.
@Suite(.serialized) struct ResumeTests {
  private static let visits = 200_000
  private let folder = TemporaryDirectory()

  @Test func `fifty kills of either program lose nothing and double nothing`() throws {
    var random = SeededGenerator(seed: 41)
    let old = try filledHome()
    let expected = try content(of: old)
    var kills = 0
    for round in 0..<30 where kills < 50 {
      let new = folder.file("new-\(round)")
      var sender = try Running(home: old, ["send", "--listen", "127.0.0.1:0", "--types", "history"])
      let code = try #require(sender.event("code")?["code"] as? String)
      let address = try #require((sender.event("listening")?["addresses"] as? [String])?.first)
      var receiver = try Running(home: new, ["receive", code, "--at", address, "--types", "history"])
      _ = try #require(receiver.event("chosen"))
      while kills < 50, sender.isRunning, receiver.isRunning {
        usleep(UInt32.random(in: 5_000...400_000, using: &random))
        guard sender.isRunning, receiver.isRunning else { break }
        kills += 1
        if Bool.random(using: &random) {
          sender.kill()
          sender = try Running(home: old, ["send", "--resume"])
          _ = try #require(sender.event("listening") ?? sender.event("error"))
        } else {
          receiver.kill()
          receiver = try Running(home: new, ["receive", "--resume"])
        }
      }
      #expect(receiver.wait() == 0 || receiver.word == "not_found", "round \(round)")
      #expect(sender.wait() == 0 || sender.word == "not_found", "round \(round)")
      #expect(try content(of: new) == expected, "round \(round)")
    }
    #expect(kills == 50)
  }

  @Test func `fifty cuts of the connection lose nothing and double nothing`() throws {
    var random = SeededGenerator(seed: 42)
    let old = try filledHome()
    let expected = try content(of: old)
    var cuts = 0
    for round in 0..<40 where cuts < 50 {
      let new = folder.file("cut-\(round)")
      let sender = try Running(home: old, ["send", "--listen", "127.0.0.1:0", "--types", "history"])
      let code = try #require(sender.event("code")?["code"] as? String)
      let address = try #require((sender.event("listening")?["addresses"] as? [String])?.first)
      let budgets = (0..<10).map { _ in Int.random(in: 6_000...60_000, using: &random) }
      let proxy = try CuttingProxy(to: address, cutAfter: budgets)
      let receiver = try Running(home: new, ["receive", code, "--at", proxy.address, "--types", "history"])
      #expect(receiver.wait() == 0, "round \(round)")
      #expect(sender.wait() == 0, "round \(round)")
      #expect(try content(of: new) == expected, "round \(round)")
      cuts += proxy.cuts
    }
    #expect(cuts >= 50)
  }

  /// A home with as many visits of a tenth as many pages.
  private func filledHome() throws -> String {
    let home = folder.file("old")
    let path = folder.file("History.json")
    var text = #"{"metadata":{"browser_name":"Safari","browser_version":"18.4","data_type":"history","#
    text += #""export_time_usec":1747418368726439,"schema_version":1},"history":["#
    for number in 0..<Self.visits {
      let page = (number &* 7_919) % (Self.visits / 10)
      if number > 0 { text += "," }
      text += #"{"url":"https://host\#(page % 97).test/\#(page)","title":"Page \#(page)","#
      text += #""time_usec":\#(1_600_000_000_000_000 + number * 1_000_003),"visit_count":1}"#
    }
    text += "]}"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    let result = try Wherry(home: home).run("import", path, "--json", "--yes")
    try #require(result.figures("history")["added"] == Self.visits)
    return home
  }

  /// The number of visits, and a sum over their identities.
  private func content(of home: String) throws -> [Int] {
    let database = try Database(path: home + "/data/store.sqlite", mode: .readOnly)
    let read = try database.prepare("SELECT url.url, t, occ, kind FROM visit JOIN url ON url.id = visit.url")
    var (count, sum) = (0, 0)
    while try read.step() {
      var hasher = StableHasher()
      hasher.add(read.text(0) ?? "")
      for column: Int32 in 1...3 { hasher.add(String(read.int64(column))) }
      sum = sum &+ hasher.value
      count += 1
    }
    return [count, sum]
  }
}

/// The same for the same text in every process (FNV-1a).
private struct StableHasher {
  var value = 1_469_598_103_934_665_603
  mutating func add(_ text: String) {
    for byte in text.utf8 { value = (value ^ Int(byte)) &* 1_099_511_628_211 }
    value = (value ^ 255) &* 1_099_511_628_211
  }
}
