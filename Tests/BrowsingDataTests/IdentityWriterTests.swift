import BrowsingData
import TestSupport
import Testing

@Suite struct IdentityWriterTests {
  @Test func `a bookmark's identity written in place is the one made of parts`() {
    var numbers = SeededGenerator(seed: 2207)
    let texts = ["", "a", "Ünïcode 日本 😀", String(repeating: "long ", count: 400)]
    let times: [Int64?] = [nil, 0, 1, 9, 10, 1_500_000_000_000_000, -5, .max, .min, 100, 99]
    for _ in 0..<2000 {
      var bookmark = Bookmark(
        id: .other, kind: Bookmark.Kind.allCases[Int.random(in: 0...2, using: &numbers)],
        parent: RecordID(high: numbers.next(), low: numbers.next()), position: 0,
        title: texts[Int.random(in: 0..<texts.count, using: &numbers)])
      if Bool.random(using: &numbers) { bookmark.url = texts[Int.random(in: 0..<texts.count, using: &numbers)] }
      bookmark.dateAdded = times[Int.random(in: 0..<times.count, using: &numbers)].map { Timestamp(microseconds: $0) }
      let occurrence = Int.random(in: 0...300, using: &numbers)
      let parts = RecordIdentity.bookmark(
        kind: bookmark.kind, parent: bookmark.parent, title: bookmark.title, url: bookmark.url,
        dateAdded: bookmark.dateAdded, occurrence: occurrence)
      var bytes: [UInt8] = []
      let id = RecordIdentity.withBookmark(bookmark, occurrence: occurrence) {
        bytes = Array($0)
        return RecordID(high: 1, low: 2)
      }
      #expect(bytes == parts.bytes)
      #expect(id == RecordID(high: 1, low: 2))
    }
  }
}
