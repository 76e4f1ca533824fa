import Channel
import Foundation
import TestSupport
import Testing

/// Two programs on loopback.
@Suite struct TransferTests {
  private let folder = TemporaryDirectory()

  private func home(_ name: String) -> Wherry { Wherry(home: folder.file(name)) }

  /// A home with a few bookmarks.
  private func filledHome() throws -> Wherry {
    let wherry = home("old")
    try """
    <!DOCTYPE NETSCAPE-Bookmark-file-1>
    <DL><p>
      <DT><A HREF="https://one.test/">One</A>
      <DT><A HREF="https://two.test/">Two</A>
    </DL><p>
    """.write(toFile: folder.file("in.html"), atomically: true, encoding: .utf8)
    #expect(try wherry.run("import", folder.file("in.html")).exit == 0)
    return wherry
  }

  /// The same, and a payment card.
  private func secretHome() throws -> Wherry {
    let wherry = try filledHome()
    try """
    {"metadata": {"browser_name": "Safari", "data_type": "payment_cards", "schema_version": 1},
     "payment_cards": [{"card_number": "4012888888881881", "cardholder_name": "A Person",
       "card_expiration_month": 3, "card_expiration_year": 2031}]}
    """.write(toFile: folder.file("in.json"), atomically: true, encoding: .utf8)
    #expect(try wherry.run("import", folder.file("in.json")).exit == 0)
    return wherry
  }

  /// A program that shows a code.
  private final class Listener {
    let process: Process
    let errors: Pipe
    let address: String
    let code: String
    private let lines: LineReader

    init(_ wherry: Wherry, _ arguments: [String]) throws {
      let output = Pipe(), errors = Pipe()
      process = try wherry.start(
        arguments + ["--listen", "127.0.0.1:0", "--json", "--yes"], output: output, errors: errors)
      let lines = LineReader(output.fileHandleForReading)
      address = try #require((lines.next("listening")?["addresses"] as? [String])?.first)
      code = try #require(lines.next("code")?["code"] as? String)
      self.lines = lines
      self.errors = errors
    }

    /// Waits for its end; what else it said.
    func end() -> (exit: Int32, events: [[String: Any]], errors: String) {
      let events = lines.rest()
      let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, events, said)
    }

    deinit { if process.isRunning { process.terminate() } }
  }

  private func titles(_ wherry: Wherry) throws -> [String] {
    try wherry.run("list", "bookmarks", "--json").events("record").compactMap { $0["title"] as? String }
  }

  @Test func `bookmarks arrive, cards stay unless both sides name them`() throws {
    let old = try secretHome(), new = home("new")
    let listener = try Listener(old, ["send"])
    let received = try new.run("receive", listener.code, "--at", listener.address, "--json", "--yes")
    let sent = listener.end()
    #expect(received.exit == 0)
    #expect(sent.exit == 0)
    #expect(received.figures("bookmarks")["added"] == 2)
    #expect(try titles(new) == ["One", "Two"])
    #expect(try new.run("list", "cards", "--json").events("record").isEmpty)
    let token = try #require(received.events("report").first?["transfer"] as? String)
    #expect(sent.events.last { $0["event"] as? String == "report" }?["transfer"] as? String == token)
    #expect(UUID(uuidString: token) != nil)
  }

  @Test func `named on both sides, cards arrive, and appear only when revealed`() throws {
    let old = try secretHome(), new = home("new")
    let listener = try Listener(old, ["send", "--types", "all"])
    let received = try new.run("receive", listener.code, "--at", listener.address, "--types", "all", "--json", "--yes")
    let sent = listener.end()
    #expect(received.exit == 0)
    #expect(received.figures("cards")["added"] == 1)
    let hidden = try new.run("list", "cards", "--json")
    #expect(hidden.events("record").count == 1)
    #expect(!hidden.output.contains("4012888888881881"))
    #expect(try new.run("list", "cards", "--reveal", "--json").output.contains("4012888888881881"))
    for text in [received.output, received.errors, sent.errors] { #expect(!text.contains("4012888888881881")) }
  }

  @Test func `the importer may show the code, too`() throws {
    let old = try filledHome(), new = home("new")
    let listener = try Listener(new, ["receive"])
    let sent = try old.run("send", listener.code, "--at", listener.address, "--json", "--yes")
    #expect(listener.end().exit == 0)
    #expect(sent.exit == 0)
    #expect(try titles(new) == ["One", "Two"])
  }

  @Test func `a code that is wrong is exit 12, and the right one still works`() throws {
    let old = try filledHome(), new = home("new")
    let listener = try Listener(old, ["send"])
    let right = try PairingCode(listener.code)
    let wrong = PairingCode.random(door: right.door)
    let refused = try new.run("receive", wrong.shown, "--at", listener.address, "--json", "--yes")
    #expect(refused.exit == 12)
    #expect(refused.events("error").first?["code"] as? String == "wrong_code")
    #expect(try new.run("receive", listener.code, "--at", listener.address, "--json", "--yes").exit == 0)
    #expect(listener.end().exit == 0)
  }

  @Test func `a mistyped code is refused before any network`() throws {
    let result = try home("new").run("receive", "1234567890", "--at", "127.0.0.1:1", "--json")
    #expect(result.exit == 12)
    #expect((result.events("error").first?["message"] as? String)?.contains("check digit") == true)
  }

  @Test func `nobody there is exit 10, something else there exit 14`() throws {
    let code = PairingCode.random(door: 7).shown
    #expect(try home("new").run("receive", code, "--at", "127.0.0.1:1", "--json").exit == 10)
    let stranger = try Stranger()
    let result = try home("new").run("receive", code, "--at", "127.0.0.1:\(stranger.port)", "--json")
    #expect(result.exit == 14)
    #expect(result.events("error").first?["code"] as? String == "incompatible")
  }

  @Test func `two senders do not fit`() throws {
    let old = try filledHome()
    let other = home("new")
    _ = try other.run("import", folder.file("in.html"))
    let listener = try Listener(old, ["send"])
    #expect(try other.run("send", listener.code, "--at", listener.address, "--json", "--yes").exit == 14)
  }

  @Test func `nothing to resume is exit 10`() throws {
    #expect(try home("new").run("receive", "--resume", "--json").exit == 10)
    #expect(try home("new").run("send", "--resume", "12345678", "--json").exit == 10)
  }

  @Test func `a code never stands in the process title, nor anywhere but in its event`() throws {
    let old = try filledHome()
    let listener = try Listener(old, ["send"])
    let digits = listener.code.filter(\.isNumber)
    let waiting = try Stranger(answers: false)
    let output = Pipe(), errors = Pipe()
    let process = try home("new").start(
      ["receive", listener.code, "--at", "127.0.0.1:\(waiting.port)", "--json"], output: output, errors: errors)
    waiting.waitForVisitor()
    let title = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(process.processIdentifier)/cmdline"))
    #expect(String(decoding: title, as: UTF8.self).filter(\.isNumber).contains(digits) == false)
    process.terminate()
    process.waitUntilExit()
    listener.process.terminate()
    let ended = listener.end()
    let said = [output, errors].map { String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) }
    for text in said + [ended.errors] {
      #expect(!text.contains(listener.code))
      #expect(!text.contains(digits))
    }
  }

  @Test func `usage errors name what does not fit together`() throws {
    for arguments in [
      ["receive", "1", "--resume"], ["send", "--at", "127.0.0.1:1"], ["receive", "--listen", "nonsense"],
    ] {
      let output = Pipe(), errors = Pipe()
      let process = try home("new").start(arguments + ["--json"], output: output, errors: errors)
      _ = output.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(process.terminationStatus == 64)
    }
  }
}

/// The events of a program that still runs.
private final class LineReader {
  private let handle: FileHandle
  private var bytes = Data()

  init(_ handle: FileHandle) { self.handle = handle }

  private func next() -> [String: Any]? {
    while true {
      if let end = bytes.firstIndex(of: 10) {
        let line = bytes[bytes.startIndex..<end]
        bytes = Data(bytes[(end + 1)...])
        if let event = (try? JSONSerialization.jsonObject(with: Data(line))) as? [String: Any] { return event }
        continue
      }
      let more = handle.availableData
      if more.isEmpty { return nil }
      bytes += more
    }
  }

  func next(_ name: String) -> [String: Any]? {
    while let event = next() {
      if event["event"] as? String == name { return event }
    }
    return nil
  }

  func rest() -> [[String: Any]] {
    var events: [[String: Any]] = []
    while let event = next() { events.append(event) }
    return events
  }
}
