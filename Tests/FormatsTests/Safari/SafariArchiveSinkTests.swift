import BrowsingData
import Foundation
import TestSupport
import Testing

@testable import Formats

@Suite struct SafariArchiveSinkTests {
  private let folder = TemporaryFolder()
  private let metadata = SafariMetadata(
    browserName: "Wherry \"x\"", browserVersion: "1", exportTime: 1_700_000_000_000_001)

  @Test func `what is written is read again, profile by profile`() throws {
    var random = SeededGenerator(seed: 7)
    let visits = (0..<5000).map { visit($0, &random) }
    let bookmark = Bookmark(
      id: RecordID(high: 3, low: 1), kind: .bookmark, parent: .other, position: 0, title: "B & b",
      url: "https://b.test/")
    let item = ReadingListItem(id: RecordID(high: 3, low: 2), title: "R", url: "https://r.test/")
    let cards = [card("4111111111111111"), card("5555555555554444", name: "M\"n\u{1F}", month: 7, year: 2031)]
    let extensions = ["a (T)", "b"].map { identifier in
      var record = BrowserExtension(
        id: RecordID(hashing: .browserExtension(identifier: identifier, profile: "W")), name: "N",
        identifier: identifier)
      record.profile = "W"
      record.developer = "D"
      record.storeIdentifier = "1"
      record.macosAppBundleIdentifier = "m"
      return record
    }
    let login = Login(id: RecordID(high: 3, low: 3), url: "https://l.test/", username: "u", password: "p,\"\n ")
    var sink = SafariArchiveSink(try AtomicFile(folder["out.zip"]), metadata: metadata)
    try sink.write(.bookmarks([bookmark]))
    try sink.write(.readingList([item]))
    try sink.write(.extensions(extensions))
    try sink.write(.logins([login]))
    try sink.write(.cards(cards))
    for start in stride(from: 0, to: visits.count, by: 700) {
      try sink.write(.history(Array(visits[start..<min(start + 700, visits.count)])))
    }
    #expect(try sink.finish() == [])
    #expect(folder.names == ["out.zip"])
    let found = try CollectedRecords(try FileSource.open(folder["out.zip"]))
    #expect(found.skipped.isEmpty)
    #expect(found.extensions == extensions)
    #expect(found.bookmarks.map { [$0.title, $0.url] } == [["B & b", "https://b.test/"]])
    #expect(found.readingList.map { [$0.title, $0.url] } == [["R", "https://r.test/"]])
    #expect(found.logins.map { [$0.url, $0.username, $0.password] } == [[login.url, login.username, login.password]])
    #expect(
      found.cards.map { card in [card.number, card.name, card.holder] }
        == cards.map { [$0.number, $0.name, $0.holder] })
    #expect(found.cards.map(\.expirationMonth) == [nil, 7])
    #expect(found.cards.map(\.lastUsedAt) == cards.map(\.lastUsedAt))
    #expect(found.visits.filter { $0.profile == nil } == visits.filter { $0.profile == nil })
    #expect(found.visits.filter { $0.profile == "Café" } == visits.filter { $0.profile == "Café" })
  }

  @Test func `another program reads the same`() throws {
    var random = SeededGenerator(seed: 8)
    let visits = (0..<300).map { visit($0, &random) }.map { visit in
      var visit = visit
      visit.profile = nil
      return visit
    }
    var sink = SafariArchiveSink(try AtomicFile(folder["out.zip"]), metadata: metadata)
    try sink.write(.history(visits))
    _ = try sink.finish()
    guard
      let output = try python(
        """
        import json, os, stat, sys, zipfile
        path = sys.argv[1]
        assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
        archive = zipfile.ZipFile(path)
        assert archive.testzip() is None and archive.namelist() == ["History.json"], archive.namelist()
        data = json.loads(archive.read("History.json"))
        assert list(data) == ["metadata", "history"]
        assert data["metadata"] == {"browser_name": 'Wherry "x"', "browser_version": "1", "data_type": "history",
          "export_time_usec": 1700000000000001, "schema_version": 1}, data["metadata"]
        for e in data["history"]:
          assert e["visit_count"] == e["visits_count"]
          print(json.dumps([e["url"], e["title"], e["time_usec"], e["visit_count"],
            e.get("latest_visit_was_load_failure"), e.get("latest_visit_was_http_get"),
            e.get("source_url"), e.get("source_time_usec"), e.get("destination_url")]))
        """, folder["out.zip"])
    else { return }
    let lines = output.split(separator: "\n")
    #expect(lines.count == visits.count)
    for (line, visit) in zip(lines, visits) {
      let fields = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any])
      #expect(fields[0] as? String == visit.url)
      #expect(fields[1] as? String == visit.title ?? "")
      #expect(fields[2] as? Int64 == visit.visitedAt.microseconds)
      #expect(fields[3] as? Int == visit.visitCount)
      #expect(fields[4] as? Bool == (visit.loaded ? nil : true))
      #expect(fields[5] as? Bool == (visit.httpGet ? nil : false))
      #expect(fields[6] as? String == visit.redirectSource?.url)
      #expect(fields[7] as? Int64 == visit.redirectSource?.visitedAt.microseconds)
      #expect(fields[8] as? String == visit.redirectDestination?.url)
    }
  }

  @Test func `a dry run counts losses and writes nothing`() throws {
    var visit = HistoryVisit(url: "a", visitedAt: Timestamp(microseconds: 5))
    visit.transition = .typed
    visit.referrer = HistoryVisit.Link(url: "b", visitedAt: Timestamp(microseconds: 4))
    visit.profile = "a/b"
    var record = BrowserExtension(id: RecordID(high: 1, low: 2), name: "N", identifier: "x@y")
    record.storeIdentifier = "x@y"
    record.store = "amo"
    record.version = "1"
    record.enabled = false
    record.homepage = "https://x.test/"
    var sink = SafariArchiveSink(nil, metadata: metadata)
    try sink.write(.extensions([record]))
    try sink.write(.history([visit, visit]))
    let losses = try sink.finish().map { "\($0.type.name) \($0.field) \($0.count)" }
    #expect(
      Set(losses) == [
        "extensions store_identifier 1", "extensions version 1", "extensions homepage 1", "extensions enabled 1",
        "history transition 2", "history referrer 2", "history profile 2",
      ])
    #expect(folder.names == [])
  }

  @Test func `abandoned or let go, it leaves nothing`() throws {
    var sink = SafariArchiveSink(try AtomicFile(folder["out.zip"]), metadata: metadata)
    try sink.write(.history([HistoryVisit(url: "a", visitedAt: Timestamp(microseconds: 5))]))
    sink.abandon()
    #expect(folder.names == [])
  }

  @Test func `no records make an archive that can be read`() throws {
    var sink = SafariArchiveSink(try AtomicFile(folder["out.zip"]), metadata: metadata)
    #expect(try sink.finish() == [])
    let source = try FileSource.open(folder["out.zip"])
    #expect(source.parts.map(\.name) == ["Bookmarks.html"])
  }

  @Test(arguments: [
    (DataTypes(DataType.passwords), "Passwords.csv"), (DataTypes(DataType.history), "History.json"),
    (DataTypes(DataType.cards), "PaymentCards.json"), (DataTypes(DataType.extensions), "Extensions.json"),
    (DataTypes([DataType.passwords, .readingList]), "Bookmarks.html"),
  ])
  func `an archive without records holds a member of a kind that was asked for`(wanted: DataTypes, name: String) throws
  {
    var sink = SafariArchiveSink(try AtomicFile(folder["out.zip"]), metadata: metadata, wanted: wanted)
    #expect(try sink.finish() == [])
    #expect(try FileSource.open(folder["out.zip"]).parts.map(\.name) == [name])
  }

  @Test func `a kind of which there is nothing gets no member`() throws {
    var sink = SafariArchiveSink(try AtomicFile(folder["out.zip"]), metadata: metadata)
    for batch: RecordBatch in [.bookmarks([]), .readingList([]), .logins([]), .cards([]), .extensions([])] {
      try sink.write(batch)
    }
    try sink.write(.history([HistoryVisit(url: "a", visitedAt: Timestamp(microseconds: 5))]))
    #expect(try sink.finish() == [])
    #expect(try FileSource.open(folder["out.zip"]).parts.map(\.name) == ["History.json"])
  }

  private func card(_ number: String, name: String? = nil, month: Int? = nil, year: Int? = nil) -> PaymentCard {
    var card = PaymentCard(id: RecordID(high: 0, low: 9), number: number)
    card.name = name
    card.expirationMonth = month
    card.expirationYear = year
    card.lastUsedAt = name.map { _ in Timestamp(microseconds: 1_700_000_000_000_001) }
    return card
  }

  private func visit(_ number: Int, _ random: inout some RandomNumberGenerator) -> HistoryVisit {
    let texts = ["", "plain", "é ✓ 😀", "q\"uo\\te\n\t\u{1}", String(repeating: "long ", count: 100), "\u{7F}\u{2028}"]
    let time = 1_700_000_000_000_000 + Int64(number)
    func link() -> HistoryVisit.Link {
      HistoryVisit.Link(url: "https://r\(number).test/", visitedAt: Timestamp(microseconds: time + 5_000_000))
    }
    var visit = HistoryVisit(
      url: "https://h\(number % 50).test/" + (texts.randomElement(using: &random) ?? ""),
      visitedAt: Timestamp(microseconds: time))
    visit.title = texts.dropFirst().randomElement(using: &random)
    visit.visitCount = Int.random(in: 1...9, using: &random)
    visit.loaded = Int.random(in: 0...9, using: &random) > 0
    visit.httpGet = Int.random(in: 0...9, using: &random) > 0
    visit.redirectSource = Int.random(in: 0...9, using: &random) == 0 ? link() : nil
    visit.redirectDestination = Int.random(in: 0...9, using: &random) == 0 ? link() : nil
    visit.profile = number % 3 == 0 ? "Café" : nil
    return visit
  }
}
