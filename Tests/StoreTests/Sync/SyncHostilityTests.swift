import BrowsingData
import Store
import Testing

/// What a peer may send and a store must not believe.
@Suite struct SyncHostilityTests {
  @Test func `records that no store writes are skipped, said and counted, and the rest is taken`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    let good = try sent(fixture)
    var bad: [SyncRecord] = []
    func add(_ change: (inout SyncRecord) -> Void) {
      var record = good
      record.id = RecordID(high: 99, low: UInt64(bad.count + 10))
      record.sequence = Int64(bad.count + 10)
      change(&record)
      bad.append(record)
    }
    add { $0.id = .menu }
    add { $0.newest = .max }
    add { $0.newest = -1 }
    add { $0.versions[0].fields[0].stamp.time = .max }
    add { $0.context = [] }
    add { $0.versions.append($0.versions[0]) }
    add { $0.versions[0].dot.counter = 0 }
    add { $0.versions[0].dot.counter = .min }
    add { $0.versions[0].fields.removeAll { $0.number == 1 } }
    add { $0.versions[0].fields.removeAll { $0.number == 4 } }
    add {
      $0.versions[0].fields = $0.versions[0].fields.map { field in
        var field = field
        if field.number == 4 { field.value = [1, 2] }
        if field.number == 2 { field.value = [0xFF, 0xFE] }
        return field
      }
    }
    add { $0.versions[0].fields.reverse() }
    add { $0.versions[0].fields[1].value = [UInt8](repeating: 65, count: 200_000) }
    add { $0.context = (0..<300).map { SyncDot(incarnation: RecordID(high: 5, low: $0), counter: 1) } }
    let run = try openRun(fixture)
    var last = good
    last.sequence = 100
    let batch = SyncBatch(log: .bookmarks, first: 0, last: 100, content: .records(bad + [last]))
    let result = try run.apply(batch)
    #expect(result.skipped == bad.count)
    #expect(run.report[.bookmarks].skipped == bad.count && run.report[.bookmarks].added == 1)
    #expect(try fixture.tree(1) == ["other a"])
    #expect(try fixture.differences() == [])
  }

  @Test func `batches that are none are refused and leave nothing`() throws {
    let fixture = try SyncFixture(2, types: [.bookmarks, .history])
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    let record = try sent(fixture)
    let run = try openRun(fixture)
    func refused(_ batch: SyncBatch, _ error: StoreError) {
      #expect(throws: error) { try run.apply(batch) }
    }
    refused(SyncBatch(log: .bookmarks, first: 3, last: 4, content: .records([])), .wrongCursor(.bookmarks))
    refused(SyncBatch(log: .bookmarks, first: 0, last: 0, content: .records([])), .malformed(.bookmarks))
    refused(SyncBatch(log: .bookmarks, first: 0, last: .max, content: .records([])), .malformed(.bookmarks))
    refused(SyncBatch(log: .passwords, first: 0, last: 4, content: .records([record])), .malformed(.passwords))
    refused(SyncBatch(log: .visits, first: 0, last: 4, content: .records([record])), .malformed(.visits))
    refused(SyncBatch(log: .bookmarks, first: 0, last: 4, content: .rules([])), .malformed(.bookmarks))
    var pages = PageBatch()
    pages.append(number: 1, url: "http://a.test/".utf8, title: Optional<[UInt8]>.none)
    pages.pages[0].url = 0..<999
    refused(SyncBatch(log: .pages, first: 0, last: 4, content: .pages(pages)), .malformed(.pages))
    var visits = VisitBatch()
    visits.visits = [VisitBatch.Visit(page: 77, time: 1)]
    refused(SyncBatch(log: .visits, first: 0, last: 4, content: .visits(visits)), .wrongCursor(.pages))
    visits.visits[0].profile = 3
    refused(SyncBatch(log: .visits, first: 0, last: 4, content: .visits(visits)), .malformed(.visits))
    #expect(try fixture.tree(1).isEmpty && fixture.stores[1].journal().isEmpty)
    #expect(throws: StoreError.malformed(.bookmarks)) {
      try run.hear(SyncEnd(sequence: -1, heard: 0, digests: [:]))
    }
  }

  @Test func `fields of a newer version come back as they went`() throws {
    let fixture = try SyncFixture(2)
    try fixture.take(0, .bookmarks(TreeBuilder.tree("a")))
    var record = try sent(fixture)
    let stamp = record.versions[0].fields[0].stamp
    record.versions[0].fields.append(SyncField(number: 4_711, stamp: stamp, value: [1, 2, 3]))
    record.id = RecordID(high: 5, low: 5)
    let run = try openRun(fixture)
    _ = try run.apply(SyncBatch(log: .bookmarks, first: 0, last: record.sequence, content: .records([record])))
    try fixture.edit(1) { try $0.update(bookmark: record.id) { $0.title = "b" } }
    let other = try fixture.stores[1].beginSync(with: fixture.key(0))
    var opening = try fixture.stores[0].beginSync(with: fixture.key(1)).opening()
    opening.whole = [.bookmarks]
    _ = try other.begin(opening)
    _ = try other.hear(SyncEnd(sequence: 0, heard: 0, digests: [:]))
    let batch = try #require(try other.next(.bookmarks))
    guard case .records(let rows) = batch.content else { return }
    let field = rows.first { $0.id == record.id }?.versions[0].fields.first { $0.number == 4_711 }
    #expect(field?.value == [1, 2, 3])
  }

  @Test func `what the wire could not read is counted and its visits are skipped`() throws {
    let fixture = try SyncFixture(2)
    let run = try openRun(fixture)
    let remark = Remark(.skipped, type: .history, reason: "test")
    var pages = SyncBatch(log: .pages, first: 0, last: 5, content: .pages(PageBatch()), remarks: [remark])
    pages.unreadablePages = [3]
    #expect(try run.apply(pages).skipped == 1)
    var visits = VisitBatch()
    visits.visits = [VisitBatch.Visit(page: 3, time: 1)]
    #expect(try run.apply(SyncBatch(log: .visits, first: 0, last: 6, content: .visits(visits))).skipped == 1)
    #expect(run.report[.history].skipped == 2)
  }

  /// The other store's first row as it would be sent.
  private func sent(_ fixture: SyncFixture) throws -> SyncRecord {
    let run = try fixture.stores[0].beginSync(with: fixture.key(1))
    _ = try run.begin(try fixture.stores[1].beginSync(with: fixture.key(0)).opening())
    // Its own bookmarks wait for those of the other side.
    _ = try run.hear(SyncEnd(sequence: 0, heard: 0, digests: [:]))
    let batch = try #require(try run.next(.bookmarks))
    guard case .records(let rows) = batch.content else { throw StoreError.corrupt }
    return rows[0]
  }

  private func openRun(_ fixture: SyncFixture) throws -> SyncRun {
    let run = try fixture.stores[1].beginSync(with: fixture.key(0))
    #expect(try run.begin(try fixture.stores[0].beginSync(with: fixture.key(1)).opening()) == .ready)
    return run
  }
}
