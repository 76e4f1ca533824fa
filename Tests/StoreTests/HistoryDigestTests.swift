import BrowsingData
import SQLite
import Testing

@testable import Store

/// Count and sum are kept with every write; here they are computed anew from the rows.
@Suite struct HistoryDigestTests {
  private func computed(_ store: RecordStore) throws -> (pages: LogDigest, visits: LogDigest) {
    var pages = LogDigest()
    var visits = LogDigest()
    let readPages = try store.database.prepare("SELECT url FROM url")
    while try readPages.step() { pages.add(readPages.withText(0) { RowHash.page($0!) }) }
    let read = try store.database.prepare(
      """
      SELECT url.url, t, occ, label FROM visit JOIN url ON url.id = visit.url JOIN profile ON profile.id = visit.profile
      """)
    while try read.step() {
      visits.add(
        VisitHasher.visit(
          page: read.withText(0) { RowHash.page($0!) }, time: read.int64(1), occurrence: Int32(read.int64(2)),
          profile: VisitHasher.profile(read.text(3) ?? "")))
    }
    return (pages, visits)
  }

  @Test(arguments: [UInt64](0..<12)) func `it equals the rows after any imports and undos`(seed: UInt64) throws {
    let fixture = try HistoryFixture()
    let store = try fixture.store()
    let other = try fixture.store()
    var generator = SeededGenerator(seed: seed)
    for round in 0..<8 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0:
        let undoable = try store.journal().filter { $0.kind != .undo && $0.undoneBy == nil }
        if let entry = undoable.randomElement(using: &generator) { _ = try store.undo(entry: entry.number) }
      case 1:
        try fixture.add(generator.visits(30, pages: 10, seconds: 20), to: other)
        let run = try fixture.transfer(into: store, token: UInt8(round))
        try fixture.send(other, run, records: 11)
        _ = try run.finish()
      case 2: try fixture.add(generator.visits(50, pages: 10, seconds: 20), to: store, dryRun: true)
      default: try fixture.add(generator.visits(50, pages: 10, seconds: 20), to: store)
      }
      let kept = try store.ending(.history)
      let anew = try computed(store)
      #expect(kept[.pages]?.count == anew.pages.count && kept[.pages]?.digest == anew.pages.sum.digest)
      #expect(kept[.visits]?.count == anew.visits.count && kept[.visits]?.digest == anew.visits.sum.digest)
      #expect(try store.check().isEmpty)
      #expect(
        try store.database.int64("SELECT count(*) FROM visit WHERE url NOT IN (SELECT id FROM url)") == 0)
      #expect(
        try store.database.int64("SELECT count(*) FROM visit WHERE ref NOT IN (SELECT id FROM url)") == 0)
    }
  }
}
