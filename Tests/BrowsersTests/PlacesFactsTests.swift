import BrowsingData
import SQLite
import Testing

@testable import Browsers

/// What the writer computes itself, compared with what a real Firefox has computed.
@Suite struct PlacesFactsTests {
  private struct Page {
    var row: Int64
    var url: String
    var hash: Int64
    var reversed: String
    var prefix: String
    var host: String
    var frecency: Int64
  }

  private func pages(_ fixture: Fixture) throws -> [Page] {
    let database = try Database(path: fixture.file("places.sqlite"), mode: .readWrite)
    let read = try database.prepare(
      """
      SELECT p.id, p.url, p.url_hash, p.rev_host, o.prefix, o.host, p.frecency FROM moz_places p
      JOIN moz_origins o ON o.id = p.origin_id
      """)
    var pages: [Page] = []
    while try read.step() {
      pages.append(
        Page(
          row: read.int64(0), url: read.text(1) ?? "", hash: read.int64(2), reversed: read.text(3) ?? "",
          prefix: read.text(4) ?? "", host: read.text(5) ?? "", frecency: read.int64(6)))
    }
    return pages
  }

  @Test func `hash, reversed host and origin are the browser's own`() throws {
    let pages = try pages(Fixture("firefox-profile"))
    #expect(pages.count > 50)
    for page in pages {
      #expect(PlacesAddress.hash(page.url) == page.hash, "\(page.url.prefix(60))")
      var url = page.url
      let (reversed, prefix, host) = url.withUTF8 { bytes in
        let raw = UnsafeRawBufferPointer(bytes)
        let parts = PlacesAddress.Parts(raw)
        var reversed: [UInt8] = []
        PlacesAddress.appendReversedHost(raw, parts, to: &reversed)
        return (
          String(decoding: reversed, as: UTF8.self), String(decoding: raw[parts.prefix], as: UTF8.self),
          String(decoding: raw[parts.host], as: UTF8.self)
        )
      }
      #expect(reversed == page.reversed, "\(page.url.prefix(60))")
      #expect(prefix == page.prefix && host == page.host, "\(page.url.prefix(60))")
    }
  }

  @Test func `addresses that the browser stores are normal`() throws {
    for page in try pages(Fixture("firefox-profile")) {
      #expect(PageAddress.normalized(page.url) == page.url, "\(page.url.prefix(60))")
    }
  }

  @Test func `frecency is the browser's own, to a day`() throws {
    let fixture = try Fixture("firefox-profile")
    let before = try pages(fixture)
    let file = try PlacesFile(path: fixture.file("places.sqlite"), now: 0)
    var compared = 0
    for page in before where page.frecency > 1 {
      // Inserted through an interface that knew of no redirect.
      if page.url.contains("//old-redirect.example") { continue }
      try file.rank(page.row)
      let now = try file.number("SELECT frecency FROM moz_places WHERE id = ?1", .number(page.row)) ?? 0
      #expect(abs(now - page.frecency) <= 1, "\(page.url.prefix(60))")
      compared += 1
    }
    #expect(compared > 30)
  }

  @Test func `how a visit counts follows from how its chain began`() {
    typealias Weight = PlacesFrecency.Weight
    #expect(Weight(type: 1, origin: 0, isRedirectSource: false) == .followed)
    #expect(Weight(type: 2, origin: 0, isRedirectSource: true) == .low)
    #expect(Weight(type: 3, origin: 0, isRedirectSource: true) == .bookmark)
    #expect(Weight(type: 5, origin: 2, isRedirectSource: false) == .typed)
    #expect(Weight(type: 6, origin: 6, isRedirectSource: false) == .followed)
    #expect(Weight(type: 6, origin: 8, isRedirectSource: false) == .low)
    #expect(Weight(type: 9, origin: 0, isRedirectSource: false) == nil)
    // Half of the score is thirty days.
    let time: Int64 = 1_700_000_000_000_000
    let typed = PlacesFrecency.value([(time, Weight.typed)], count: 1)
    #expect(typed - PlacesFrecency.value([(time, Weight.followed)], count: 1) == 30)
    #expect(PlacesFrecency.value([(time, Weight.followed)], count: 2) == typed)
    #expect(PlacesFrecency.value([], count: 3) == 0)
  }

  @Test func `long titles are cut between characters`() {
    let title = String(repeating: "x", count: 4_095) + "😀"
    #expect(PlacesAddress.cut(title: title) == String(repeating: "x", count: 4_095))
    #expect(PlacesAddress.cut(title: "short ✓") == "short ✓")
  }

  @Test func `JSON, Base64 and DER are read as they were written`() throws {
    let value = JSONValue.object([
      "text": .string("a\"b\\c\n\u{1}é😀"), "list": .array([.integer(-5), .number(1.5), .bool(false), .null]),
      "empty": .object([:]),
    ])
    #expect(try JSONValue.parse(value.bytes, file: "test") == value)
    for count in 0..<20 {
      let bytes = (0..<count).map { UInt8($0 &* 37 & 0xFF) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
    }
    #expect(Base64.encode(Array("any carnal pleas".utf8)) == "YW55IGNhcm5hbCBwbGVhcw==")
    let long = [UInt8](repeating: 7, count: 300)
    var reader = DERReader(
      DERWriter.sequence(DERWriter.octets(long), DERWriter.integer(10_000), DERWriter.integer(200)))
    let opened = reader.sequence()
    var body = try #require(opened)
    #expect(body.read(.octets) == long)
    #expect(body.integer() == 10_000)
    #expect(body.integer() == 200)
  }

  @Test func `a mark of visits is read back, and any other text is none`() throws {
    let mark = HistoryMark(visits: 5...9, pages: nil, before: 77)
    let read = try #require(HistoryMark(mark.description))
    #expect(read.visits == 5...9 && read.pages == nil && read.before == 77)
    #expect(HistoryMark("2 1 2 3 4 5") == nil)
    #expect(HistoryMark("1 9 5 1 0 7") == nil)
  }
}
