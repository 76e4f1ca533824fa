import BrowsingData
import TestSupport
import Testing

@testable import Formats

@Suite struct SafariArchiveTests {
  private let folder = TemporaryFolder()
  private let marks = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DT><A HREF=\"http://good.test/\">good</A>\n"
  private let history = #"{"metadata":{"data_type":"history"},"history":[{"url":"https://h.test/","time_usec":7}]}"#
  private let cards = #"{"payment_cards":[{"card_number":"4111111111111111"}]}"#
  private let extensions = #"{"extensions":[{"composed_identifier":"a (T)","display_name":"E"}]}"#

  @Test func `members are told by what they hold, at any depth, under any name`() throws {
    let found = try read([
      .init("Export 1/", ""), .init("Export 1/Marcadores.html", marks), .init("Export 1/History.json", cards),
      .init("a/b/c/PaymentCards.json", extensions), .init("Extensions.json", history),
      .init("noext", marks.replacing("good", with: "other")),
    ])
    #expect(found.bookmarks.count == 2)
    #expect(found.cards.count == 1)
    #expect(found.extensions.count == 1)
    #expect(found.visits.map(\.url) == ["https://h.test/"])
    #expect(found.remarks.isEmpty)
  }

  @Test func `the notes of macOS are passed over without a word`() throws {
    let found = try read([
      .init("__MACOSX/._History.json", "\0\u{5}"), .init("x/.DS_Store", "\0"), .init("x/._b.html", "junk"),
      .init("History.json", history),
    ])
    #expect(found.remarks.isEmpty)
    #expect(found.visits.count == 1)
  }

  @Test func `each profile has a member of its own`() throws {
    let found = try read([
      .init("History.json", history), .init("History - Work - A.json", history),
      .init("Historial - Cafe\u{301}.json", history), .init("Extensions - v1.2.json", extensions),
    ])
    #expect(found.visits.map(\.profile) == [nil, "Work - A", "Caf\u{E9}"])
    #expect(found.visits.map(\.occurrence) == [0, 0, 0])
    #expect(found.extensions.map(\.profile) == ["v1.2"])
  }

  @Test(arguments: [
    ("/tmp/planted.html", "absolute"), ("\\\\server\\x.html", "absolute"), ("C:\\x.html", "drive"),
    ("../planted.html", "climbs"), ("a/../../planted.html", "climbs"), ("a\\..\\planted.html", "climbs"),
    ("a\u{1B}[31m.html", "control"), ("planted\u{0}.html", "control"), ("", "no name"),
  ])
  func `a hostile name is refused and named, the rest is read`(name: String, reason: String) throws {
    let found = try read([.init(name, marks.replacing("good", with: "evil")), .init("Bookmarks.html", marks)])
    #expect(found.bookmarks.compactMap(\.url) == ["http://good.test/"])
    #expect(found.skipped.count == 1)
    #expect(found.skipped.first?.reason.contains(reason) == true)
    #expect(found.skipped.first?.reason.unicodeScalars.contains { $0.value < 0x20 } == false)
  }

  @Test func `links, devices, locked, oddly packed and double members are refused`() throws {
    var link = ZIPBuilder.Member("link.csv", "/etc/passwd")
    link.mode = 0o120777
    var device = ZIPBuilder.Member("device.csv", "")
    device.mode = 0o020666
    var locked = ZIPBuilder.Member("locked.csv", "xxxxxxxxxxxxxx")
    locked.flags = 1
    var odd = ZIPBuilder.Member("odd.csv", "x")
    odd.method = 12
    let found = try read([link, device, locked, odd, .init("b.html", marks), .init("b.html", marks)])
    #expect(found.bookmarks.count == 1)
    let reasons = found.skipped.map(\.reason)
    #expect(
      reasons == [
        "link.csv: refused, it is a symbolic link", "device.csv: refused, it is no plain file",
        "locked.csv: refused, it is encrypted", "odd.csv: refused, it is packed by an unknown method",
        "b.html: refused, its name was there before",
      ])
    #expect(found.skipped.map(\.type) == [.passwords, .passwords, .passwords, .passwords, .bookmarks])
  }

  @Test func `a member over which libzip refuses the archive costs only itself`() throws {
    var locked = ZIPBuilder.Member("P.csv", "url,username,password\n")
    locked.method = 99
    locked.flags = 0x801
    var misnamed = ZIPBuilder.Member("", history)
    misnamed.name = Array("Histoire ".utf8) + [0xE9] + Array(".json".utf8)
    misnamed.flags = 0x800
    let found = try read([.init("Bookmarks.html", marks), locked, misnamed, .init("c.json", cards)])
    #expect(found.skipped.map(\.reason) == ["P.csv: refused, it is encrypted"])
    #expect(found.skipped.map(\.type) == [.passwords])
    #expect(found.bookmarks.compactMap(\.url) == ["http://good.test/"])
    #expect(found.visits.map(\.url) == ["https://h.test/"] && found.cards.count == 1)
  }

  @Test func `unknown members are named: those that look like browsing data as skipped`() throws {
    let found = try read([
      .init("Tabs.json", #"{"metadata":{"data_type":"open_tabs"},"open_tabs":[]}"#), .init("page.html", "<p>x</p>"),
      .init("README.txt", "hello"), .init("b.html", marks),
    ])
    #expect(found.skipped.map { $0.reason.prefix(9) } == ["Tabs.json", "page.html"])
    #expect(found.skipped.first?.reason.contains("open_tabs") == true)
    #expect(found.warnings.map { $0.reason.prefix(10) } == ["README.txt"])
  }

  @Test func `a damaged member costs only itself`() throws {
    let found = try read([
      .init("History.json", String(history.dropLast(10))), .init("b.html", marks), .init("x.json", "{\"metadata\":"),
      .init("Deep.json", "{\"extensions\":" + String(repeating: "[", count: 1000)),
    ])
    #expect(found.bookmarks.count == 1)
    #expect(found.visits.isEmpty)
    #expect(found.skipped.map { $0.reason.prefix(9) } == ["x.json, b", "Deep.json", "History.j"])
    #expect(found.skipped.last?.type == .history)
  }

  @Test func `overlaps, lies and cuts are damage of the whole archive`() throws {
    let honest = [ZIPBuilder.Member("History.json", history), .init("b.html", marks)]
    var overlap = honest
    overlap[1].claimedOffset = 0
    overlap[1].name = overlap[0].name
    var size = honest
    size[1].claimedPackedSize = 1 << 20
    var offset = honest
    offset[1].claimedOffset = 1 << 30
    var name = honest
    name[1].localName = Array("c.html".utf8)
    var count = ZIPBuilder(honest)
    count.claimedCount = 3
    var fewer = ZIPBuilder(honest)
    fewer.claimedCount = 1
    var large = honest
    large[0].claimedSize = .max
    large[0].claimedPackedSize = .max
    let hostile = [overlap, size, offset, name, large].map { ZIPBuilder($0).bytes } + [count.bytes, fewer.bytes]
    for bytes in hostile { #expect(throws: FormatError.self) { try open(bytes) } }
    let whole = ZIPBuilder(honest).bytes
    for end in stride(from: 0, to: whole.count, by: 7) {
      #expect(throws: FormatError.self) { try open(Array(whole[..<end])) }
    }
    #expect(throws: FormatError.self) { try open(whole + [0]) }
    var commented = ZIPBuilder(honest)
    commented.comment = Array("PK\u{5}\u{6} a comment".utf8)
    _ = try open(commented.bytes)
  }

  @Test func `contradicting sizes of a stored member cost only it`() throws {
    var lying = ZIPBuilder.Member("History.json", history)
    lying.claimedSize = 5
    let found = try read([lying, .init("b.html", marks)])
    #expect(found.skipped.map(\.reason) == ["History.json: refused, its sizes contradict each other"])
    #expect(found.bookmarks.count == 1)
  }

  @Test func `a flipped byte is found by the checksum`() throws {
    var bytes = ZIPBuilder([.init("History.json", history), .init("b.html", marks)]).bytes
    bytes[30 + 12 + 70] ^= 1
    folder.write(bytes, to: "in.zip")
    let found = try CollectedRecords(try SafariArchive(FileInput(folder["in.zip"])))
    #expect(found.visits.isEmpty)
    #expect(found.skipped.count == 1)
    #expect(found.skipped.first?.reason.contains("checksum") == true)
    #expect(found.bookmarks.count == 1)
  }

  @Test func `too many members are refused`() {
    let members = (0...10_000).map { ZIPBuilder.Member("\($0).txt", "") }
    #expect(throws: FormatError.tooLarge("more than 10000 members", .none)) { try open(ZIPBuilder(members).bytes) }
  }

  @Test func `an archive of other things is no Safari export`() {
    #expect {
      try open(ZIPBuilder([.init("a.txt", "x"), .init("b.png", "y")]).bytes)
    } throws: { error in
      if case .notThisFormat = error as? FormatError { true } else { false }
    }
  }

  @Test func `a bomb is refused by what it claims, and stopped when it lies`() throws {
    let blanks = [UInt8](repeating: 0x20, count: 1 << 20)
    let part = try TemporaryFile(in: folder.path)
    for _ in 0..<60 { try part.write(blanks) }
    let file = try AtomicFile(folder["bomb.zip"])
    let writer = try ZIPWriter(try file.descriptor())
    try writer.add(part, name: "History.json")
    try writer.finish()
    try file.finish()
    let found = try CollectedRecords(try SafariArchive(FileInput(folder["bomb.zip"])))
    #expect(found.skipped.map(\.reason) == ["History.json: refused, it unpacks to more than 200 times its size"])

    var bytes = try #require(folder.read("bomb.zip"))
    let directory = try #require(bytes.indices.dropLast(46).last { Array(bytes[$0..<($0 + 4)]) == [0x50, 0x4B, 1, 2] })
    for (index, byte) in [0, 0, 1, 0].enumerated() { bytes[directory + 24 + index] = UInt8(byte) }
    folder.write(bytes, to: "liar.zip")
    let liar = try CollectedRecords(try SafariArchive(FileInput(folder["liar.zip"])))
    #expect(liar.visits.isEmpty)
    #expect(liar.skipped.count == 1)
  }

  @Test func `an error of whoever takes the records is not taken for damage`() throws {
    folder.write(ZIPBuilder([.init("History.json", history)]).bytes, to: "in.zip")
    let archive = try SafariArchive(FileInput(folder["in.zip"]))
    #expect(throws: FormatError.truncated(.line(99))) {
      try archive.read(.all) { _ in throw FormatError.truncated(.line(99)) }
    }
  }

  private func open(_ bytes: [UInt8]) throws -> SafariArchive {
    try SafariArchive(FileInput(folder.write(bytes, to: "in.zip")))
  }

  private func read(_ members: [ZIPBuilder.Member]) throws -> CollectedRecords {
    let names = folder.names
    let found = try CollectedRecords(try open(ZIPBuilder(members).bytes))
    #expect(folder.names == names + (names.contains("in.zip") ? [] : ["in.zip"]))
    return found
  }
}
