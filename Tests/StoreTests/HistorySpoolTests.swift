import BrowsingData
import Store
import Synchronization
import Testing

@Suite struct HistorySpoolTests {
  let fixture: HistoryFixture
  let exporter: RecordStore
  let importer: RecordStore
  let encoded = EncodedRuns()

  init() throws {
    fixture = try HistoryFixture()
    exporter = try fixture.store()
    importer = try fixture.store()
  }

  /// Captures batches into the exporter's spool, at most `limit` of them: then the program dies.
  private func capture(_ batches: [RecordBatch], limit: Int = .max) throws {
    var options = ImportOptions(kind: .capture, label: "test")
    options.encodeHistory = encoded.encode
    let run = try exporter.beginImport(options)
    for batch in batches.prefix(limit) { try run.apply(batch) }
    if limit < batches.count { run.abandon() } else { _ = try run.finish() }
  }

  /// Sends what is above the importer's cursors, at most `limit` runs; returns how many there were.
  @discardableResult
  private func send(_ run: ImportRun, limit: Int = .max) throws -> Int {
    try run.receive(from: exporter.incarnation)
    var count = 0
    while count < limit {
      let known = try run.cursors()
      guard
        let next = try exporter.spooledRun(after: [.pages: known[.pages] ?? 0, .visits: known[.visits] ?? 0])
      else { break }
      _ = try run.apply(try #require(encoded.changes(next.frame)))
      count += 1
    }
    return count
  }

  private func expectEqualEnds(_ run: ImportRun) throws {
    let end = try exporter.ending(.history)
    let received = try run.receivedEnds()
    for log in [ChangeLog.pages, .visits] {
      #expect(received[log]?.cursor == end[log]?.cursor)
      #expect(received[log]?.count == end[log]?.count && received[log]?.digest == end[log]?.digest)
    }
  }

  /// What arrives when the same batches go by way of rows.
  private func byRows(_ batches: [RecordBatch]) throws -> Set<HistoryVisit> {
    let store = try fixture.store()
    let run = try store.beginImport(ImportOptions(kind: .file, label: "test"))
    for batch in batches { try run.apply(batch) }
    _ = try run.finish()
    return try Set(fixture.visits(of: store))
  }

  @Test(arguments: [UInt64](0..<6))
  func `a spooled history arrives as one that went by way of rows`(seed: UInt64) throws {
    let batches = numberedHistory(seed: seed)
    try capture(batches)
    let run = try fixture.transfer(into: importer)
    try send(run)
    try expectEqualEnds(run)
    let report = try run.finish()
    let expected = try byRows(batches)
    #expect(try Set(fixture.visits(of: importer)) == expected)
    #expect(report[.history].added == expected.count && report[.history].skipped == 0)
    #expect(try exporter.counts()[.history] == expected.count)
  }

  @Test func `a capture that dies after any batch goes on where it was, and nothing is sent twice`() throws {
    let batches = numberedHistory(seed: 7)
    let run = try fixture.transfer(into: importer)
    var sent = 0
    for limit in 1...batches.count {
      try capture(batches, limit: limit)
      sent += try send(run)
      #expect(sent <= limit)
    }
    try expectEqualEnds(run)
    #expect(sent == batches.count)
    #expect(try Set(fixture.visits(of: importer)) == byRows(batches))
  }

  @Test func `a source that has changed since the capture died loses nothing`() throws {
    let batches = numberedHistory(seed: 8)
    let run = try fixture.transfer(into: importer)
    try capture(batches, limit: batches.count - 2)
    try send(run)
    var changed = batches
    guard case .pages(var pages) = batches[0] else { return }
    pages.append(number: 9_999, url: "https://new.test/".utf8, title: "new".utf8)
    changed[0] = .pages(pages)
    var more = VisitBatch()
    more.visits = [.init(page: 9_999, time: 1_704_067_200_000_000)]
    changed.append(.visits(more))
    try capture(changed)
    try send(run)
    #expect(try Set(fixture.visits(of: importer)) == byRows(changed))
    // What came twice counts twice, once: the end is unequal, all is sent again and then it is equal.
    let end = try exporter.ending(.history)
    if try run.receivedEnds()[.visits]?.digest != end[.visits]?.digest {
      try run.restart()
      try send(run)
    }
    try expectEqualEnds(run)
    #expect(try Set(fixture.visits(of: importer)) == byRows(changed))
  }

  @Test func `the importer may take the runs one connection at a time`() throws {
    try capture(numberedHistory(seed: 9))
    var rounds = 0
    while try send(fixture.transfer(into: importer), limit: 1) > 0 { rounds += 1 }
    #expect(rounds > 3)
    let run = try fixture.transfer(into: importer)
    try run.receive(from: exporter.incarnation)
    try expectEqualEnds(run)
  }

  @Test func `a cursor inside of a run is refused`() throws {
    try capture(numberedHistory(seed: 10))
    #expect(throws: StoreError.wrongCursor(.pages)) { try exporter.spooledRun(after: [.pages: 1, .visits: 0]) }
    #expect(throws: StoreError.wrongCursor(.visits)) {
      try exporter.spooledRun(after: [.pages: .max, .visits: 1])
    }
    #expect(try exporter.spooledRun(after: [.pages: .max, .visits: .max]) == nil)
  }

  @Test func `pages too large for one run are cut in parts, and those too large for a peer are left out`() throws {
    var pages = PageBatch()
    for number in 1...30 {
      pages.append(
        number: Int64(number), url: "https://a.test/\(number)".utf8, title: repeatElement(120, count: 120_000))
    }
    pages.append(number: 31, url: repeatElement(120, count: 200_000), title: "x".utf8)
    pages.append(number: 32, url: "https://b.test/".utf8, title: repeatElement(120, count: 200_000))
    var visits = VisitBatch()
    visits.visits = (1...32).map { .init(page: $0, time: 1_704_067_200_000_000 + $0) }
    try capture([.pages(pages), .visits(visits)])
    let run = try fixture.transfer(into: importer)
    #expect(try send(run) > 4)
    try expectEqualEnds(run)
    let arrived = try fixture.visits(of: importer)
    #expect(arrived.count == 31)
    #expect(arrived.filter { $0.title?.utf8.count == 120_000 }.count == 30)
    #expect(encoded.largest < 1_048_573)
  }

  @Test func `visits that cannot be taken are remarks`() throws {
    var pages = PageBatch()
    pages.append(number: 5, url: "https://a.test/".utf8, title: "a".utf8)
    var visits = VisitBatch()
    let time: Int64 = 1_704_067_200_000_000
    visits.visits = [.init(page: 5, time: time), .init(page: 6, time: time), .init(page: 5, time: -1)]
    visits.visits[0].linkPage = 77
    visits.visits[0].flags = [.linkIsRedirect]
    var options = ImportOptions(kind: .capture, label: "test")
    options.encodeHistory = encoded.encode
    let run = try exporter.beginImport(options)
    try run.apply(.pages(pages))
    try run.apply(.visits(visits))
    let report = try run.finish()
    #expect(report[.history].added == 1 && report[.history].skipped == 2)
    let transfer = try fixture.transfer(into: importer)
    try send(transfer)
    let arrived = try fixture.visits(of: importer)
    #expect(arrived.count == 1 && arrived[0].redirectSource == nil)
  }
}

/// Stands for the wire: remembers what each frame was made of.
final class EncodedRuns: Sendable {
  private let known = Mutex<[[UInt8]: ChangeBatch]>([:])

  var encode: ImportOptions.HistoryEncoding {
    { [self] changes, number in
      var hasher = SeededGenerator(seed: UInt64(bitPattern: Int64(number)))
      var frame = Array("\(number) \(changes.log) \(changes.first) \(changes.last) \(hasher.next())".utf8)
      frame += Array("\(changes.content)".utf8)
      known.withLock { $0[frame] = changes }
      return frame
    }
  }

  func changes(_ frame: [UInt8]) -> ChangeBatch? { known.withLock { $0[frame] } }

  /// Bytes of text in the largest run.
  var largest: Int {
    known.withLock { known in
      known.values.map { if case .pages(let pages) = $0.content { pages.text.count } else { 0 } }.max() ?? 0
    }
  }
}

/// A history as a profile hands it over: pages by number, visits that name them, in several batches.
private func numberedHistory(seed: UInt64) -> [RecordBatch] {
  var random = SeededGenerator(seed: seed)
  var batches: [RecordBatch] = []
  var numbers: [Int64] = []
  for part in 0..<4 {
    var pages = PageBatch()
    for index in 0..<20 {
      let number = Int64(part * 1_000 + index * 7 + 3)
      numbers.append(number)
      pages.append(
        number: number, url: "https://host\(part).test/\(index)".utf8,
        title: index % 3 == 0 ? nil : "Page \(index)".utf8)
      pages.pages[index].titleTime = index % 3 == 0 ? 0 : 1_704_067_200_000_000
    }
    batches.append(.pages(pages))
    var visits = VisitBatch()
    visits.profiles = ["", "Work"]
    for index in 0..<50 {
      let page = numbers[Int.random(in: 0..<numbers.count, using: &random)]
      var visit = VisitBatch.Visit(page: page, time: 1_704_067_200_000_000 + Int64(part * 50 + index) * 1_000_003)
      visit.profile = Int32(index % 2)
      visit.transition = UInt8.random(in: 1...9, using: &random)
      if index % 5 == 0, let link = numbers.randomElement(using: &random) {
        visit.linkPage = link
        visit.linkDelta = 1_000_003
        if index % 10 == 0 { visit.flags = [.linkIsRedirect] }
      }
      if index % 7 == 0 {
        var attributes = VisitBatch.Attributes()
        attributes.visitCount = Int64.random(in: 2...9, using: &random)
        visit.attributes = Int32(visits.attributes.count)
        visits.attributes.append(attributes)
      }
      visits.visits.append(visit)
    }
    batches.append(.visits(visits))
  }
  return batches
}
