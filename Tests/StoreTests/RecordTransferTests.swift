import BrowsingData
import Store
import TestSupport
import Testing

@Suite struct RecordTransferTests {
  @Test func `what comes over the wire ends as what comes from a file`() throws {
    for seed in 1...8 as ClosedRange<UInt64> {
      let source = try RecordFixture()
      try source.take(
        .bookmarks(TreeBuilder.random(seed: seed, count: 80)), .logins(randomLogins(seed: seed, count: 30)),
        .readingList(items(20)), .extensions(extensions(5)))
      // Both ends start with a tree that overlaps.
      var mine = Array(TreeBuilder.random(seed: seed, count: 50))
      if seed % 2 == 0 { renumber(&mine) }
      let byFile = try RecordFixture()
      let byWire = try RecordFixture()
      for fixture in [byFile, byWire] {
        try fixture.take(.bookmarks(mine), .logins(randomLogins(seed: seed, count: 12)), .readingList(items(7)))
      }
      let run = try byFile.store.beginImport(ImportOptions(kind: .file, label: "source"))
      try source.store.source().read([.bookmarks, .readingList, .extensions, .passwords]) { try run.apply($0) }
      let fileReport = try run.finish()
      let wireReport = try transfer(from: source, to: byWire, records: 7)
      #expect(try names(byWire) == names(byFile))
      #expect(wireReport.types == fileReport.types)
      #expect(try byWire.everything()[.passwords]?.count == byFile.everything()[.passwords]?.count)
    }
  }

  @Test func `count and digest agree at the end, and a second transfer finds everything equal`() throws {
    let source = try RecordFixture()
    try source.take(.bookmarks(TreeBuilder.random(seed: 9, count: 100)), .readingList(items(20)))
    let target = try RecordFixture()
    let report = try transfer(from: source, to: target, records: 13)
    #expect(report[.bookmarks].added == 100)
    let again = try transfer(from: source, to: target, records: 1_000, token: 2)
    #expect(again[.bookmarks].unchanged == 100)
    #expect(again[.readingList].unchanged == 20)
    #expect(try names(source) == names(target))
  }

  @Test func `a transfer cut after any batch and resumed in a new process ends the same`() throws {
    let source = try RecordFixture()
    var bookmarks = TreeBuilder.random(seed: 21, count: 60)
    try source.take(.bookmarks(bookmarks), .logins(randomLogins(seed: 4, count: 20)))
    renumber(&bookmarks)
    var expected: [String]?
    for cut in 0..<9 {
      let target = try RecordFixture()
      try target.take(.bookmarks(Array(bookmarks.prefix(30))))
      let report = try transfer(from: source, to: target, records: 10, reopenAfter: cut)
      let result = try names(target)
      if let expected { #expect(result == expected) } else { expected = result }
      #expect(report[.bookmarks].found == 60)
      #expect(report[.bookmarks].added == 30)
      #expect(report[.bookmarks].unchanged == 30)
    }
  }

  @Test func `what the source changes meanwhile comes again and counts once`() throws {
    let source = try RecordFixture()
    var bookmarks = TreeBuilder.tree("F/1", "F/2", "G/", "a", "b")
    try source.take(.bookmarks(bookmarks))
    let target = try RecordFixture()
    try target.take(.bookmarks(TreeBuilder.tree("x", "a")))
    let run = try begin(target, source)
    try pour(source, into: run, records: 100)
    let second = bookmarks.firstIndex { $0.title == "2" }!
    bookmarks[second].parent = bookmarks.first { $0.title == "G" }!.id
    bookmarks[bookmarks.firstIndex { $0.title == "b" }!].title = "B"
    bookmarks[bookmarks.firstIndex { $0.title == "b" } ?? 0].position = -5
    try source.take(.bookmarks(bookmarks))
    try source.take(.bookmarks(TreeBuilder.tree("new")))
    try pour(source, into: run, records: 100)
    #expect(try run.receivedEnds()[.bookmarks] == source.store.ending(.bookmarks)[.bookmarks])
    let report = try run.finish()
    #expect(report[.bookmarks].found == 7)
    #expect(report[.bookmarks].unchanged == 1)
    #expect(report[.bookmarks].added == 6)
    #expect(try target.tree() == ["other x", "other F/", "  1", "other G/", "  2", "other a", "other B", "other new"])
  }

  @Test func `what the source deletes is deleted only where this transfer brought it`() throws {
    let source = try RecordFixture()
    try source.take(.bookmarks(TreeBuilder.tree("a")))
    try source.take(.bookmarks(TreeBuilder.tree("F/1", "b")), .readingList(items(2)))
    let target = try RecordFixture()
    try target.take(.bookmarks(TreeBuilder.tree("b")))
    let run = try begin(target, source)
    try pour(source, into: run, records: 100)
    #expect(try target.tree() == ["other a", "other F/", "  1", "other b"])
    _ = try source.store.undo()
    try pour(source, into: run, records: 1)
    let ends = try source.store.ending([.bookmarks, .readingList])
    #expect(try run.receivedEnds()[.bookmarks] == ends[.bookmarks])
    #expect(try run.receivedEnds()[.readingList] == ends[.readingList])
    let report = try run.finish()
    #expect(report[.bookmarks].found == 1)
    #expect(try target.tree() == ["other a", "other b"])
    #expect(try target.all(.readingList).isEmpty)
  }

  @Test func `what the person deleted meanwhile is not brought back`() throws {
    let source = try RecordFixture()
    var bookmarks = TreeBuilder.tree("a", "b")
    try source.take(.bookmarks(bookmarks))
    let target = try RecordFixture()
    try target.take(.bookmarks(TreeBuilder.tree("a")))
    let run = try begin(target, source)
    try pour(source, into: run, records: 100)
    _ = try target.store.undo(entry: 1)
    bookmarks[0].title = "A"
    try source.take(.bookmarks(bookmarks))
    let resumed = try begin(target, source)
    try pour(source, into: resumed, records: 100)
    _ = try resumed.finish()
    #expect(try target.tree() == ["other b"])
  }

  @Test func `logs begun again count everything once more and change nothing`() throws {
    let source = try RecordFixture()
    try source.take(.bookmarks(TreeBuilder.random(seed: 5, count: 40)), .logins(randomLogins(seed: 5, count: 10)))
    let target = try RecordFixture()
    let run = try begin(target, source)
    try pour(source, into: run, records: 9)
    let before = try target.everything()
    let figures = run.report.types
    try run.restart()
    try pour(source, into: run, records: 11)
    #expect(try run.receivedEnds()[.bookmarks] == source.store.ending(.bookmarks)[.bookmarks])
    #expect(try run.finish().types == figures)
    #expect(try target.everything() == before)
  }

  @Test func `rows whose parents come later wait, over a restart, too`() throws {
    let source = try RecordFixture()
    let bookmarks = TreeBuilder.tree("F/G/1", "F/2", "a")
    try source.take(.bookmarks(bookmarks))
    // A change puts the folders behind their children in the log.
    var changed = bookmarks
    for index in changed.indices where changed[index].kind == .folder { changed[index].description = "x" }
    changed.reverse()
    try source.take(.bookmarks(changed))
    let target = try RecordFixture()
    let report = try transfer(from: source, to: target, records: 1, reopenAfter: 2)
    #expect(report[.bookmarks].added == 5)
    #expect(try target.tree() == source.tree())
  }

  @Test func `a batch that fails leaves nothing, and the same one can come again`() throws {
    let source = try RecordFixture()
    try source.take(.bookmarks(TreeBuilder.tree("a", "b")))
    let target = try RecordFixture()
    let run = try begin(target, source)
    var batch = try #require(try source.store.changes(.bookmarks, after: 0))
    guard case .records(let rows) = batch.content else { return }
    let item = ChangedRecord(sequence: batch.last, change: .present(.readingListItem(items(1)[0])))
    batch.content = .records(rows.dropLast() + [item])
    #expect(throws: StoreError.malformed(.bookmarks)) { try run.apply(batch) }
    #expect(try target.tree().isEmpty)
    batch.content = .records(rows)
    #expect(try run.apply(batch).applied == 2)
    #expect(run.report[.bookmarks].added == 2)
    #expect(try target.tree() == ["other a", "other b"])
  }

  // MARK: -

  private func begin(_ target: RecordFixture, _ source: RecordFixture, token: UInt8 = 1) throws -> ImportRun {
    var options = ImportOptions(kind: .transfer, label: "device")
    options.token = [UInt8](repeating: token, count: 16)
    let run = try target.store.beginImport(options)
    try run.receive(from: source.store.incarnation)
    return run
  }

  private static let logs: [ChangeLog] = [.bookmarks, .readingList, .extensions, .passwords]

  /// Applies batches until there are none, or `limit` of them; says whether there are none.
  @discardableResult
  private func pour(
    _ source: RecordFixture, into run: ImportRun, records: Int, limit: Int = Int.max
  ) throws -> Bool {
    var left = limit
    for log in RecordTransferTests.logs {
      while let batch = try source.store.changes(
        log, after: try run.cursors()[log] ?? 0, maximumRecords: records)
      {
        guard left > 0 else { return false }
        left -= 1
        _ = try run.apply(batch)
      }
    }
    return true
  }

  private func transfer(
    from source: RecordFixture, to target: RecordFixture, records: Int, token: UInt8 = 1, reopenAfter: Int? = nil
  ) throws -> ApplyReport {
    var run = try begin(target, source, token: token)
    if let reopenAfter {
      try pour(source, into: run, records: records, limit: reopenAfter)
      target.store = try RecordStore.open(home: target.home)
      run = try begin(target, source, token: token)
    }
    try pour(source, into: run, records: records)
    let ends = try source.store.ending([.bookmarks, .readingList, .extensions, .passwords])
    let received = try run.receivedEnds()
    for log in RecordTransferTests.logs where ends[log]!.cursor > 0 { #expect(received[log] == ends[log]) }
    return try run.finish()
  }

  /// The tree with titles and addresses, and the keys of the rest.
  private func names(_ fixture: RecordFixture) throws -> [String] {
    try fixture.tree()
      + fixture.all(.readingList).map { record in
        guard case .readingListItem(let item) = record else { return "" }
        return item.url + item.title
      }.sorted()
  }

  private func items(_ count: Int) -> [ReadingListItem] {
    (0..<count).map { number in
      ReadingListItem(
        id: RecordID(high: 3, low: UInt64(number)), title: "t\(number)", url: "https://r\(number).test/")
    }
  }

  private func extensions(_ count: Int) -> [BrowserExtension] {
    (0..<count).map { number in
      BrowserExtension(id: RecordID(high: 4, low: UInt64(number)), name: "e\(number)", identifier: "id\(number)")
    }
  }
}
