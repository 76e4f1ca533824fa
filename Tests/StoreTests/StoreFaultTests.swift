import BrowsingData
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Store

/// Crashes, full disks, locks and damage, on a store that keeps history.
@Suite struct StoreFaultTests {
  let fixture: HistoryFixture

  init() throws { fixture = try HistoryFixture() }

  /// What a crash at this moment would leave: a copy of all files, opened anew.
  private func afterCrash(_ number: Int) throws -> RecordStore {
    let copy = fixture.folder.file("crash-\(number)")
    try FileManager.default.copyItem(atPath: fixture.folder.file("home"), toPath: copy)
    // SQLite rebuilds what it shares in memory from the log.
    try? FileManager.default.removeItem(atPath: copy + "/data/store.sqlite-shm")
    return try RecordStore.open(home: try Home.open(copy))
  }

  @Test func `whenever it crashes, cursor and rows agree and the transfer goes on to the same end`() throws {
    let exporter = try fixture.store()
    var generator = SeededGenerator(seed: 3)
    try fixture.add(generator.visits(200), to: exporter)
    let expected = try Set(fixture.visits(of: exporter))
    let end = try exporter.ending(.history)
    let importer = try RecordStore.open(home: fixture.home)
    let run = try fixture.transfer(into: importer)
    var crashes = 0
    while try fixture.send(exporter, run, records: 30, limit: 1) > 0 {
      let committed = try run.receivedEnds()
      // One copy between batches, one while a batch is being written.
      for isInside in [false, true] {
        crashes += 1
        let copy: RecordStore
        if isInside {
          try importer.beginWriting()
          try importer.database.execute("DELETE FROM visit; DELETE FROM cursor")
          copy = try afterCrash(crashes)
          importer.rollBack()
        } else {
          copy = try afterCrash(crashes)
        }
        #expect(try copy.check().isEmpty)
        #expect(try Int64(fixture.visits(of: copy).count) == committed[.visits]?.count ?? 0)
        let resumed = try fixture.transfer(into: copy)
        try resumed.receive(from: exporter.incarnation)
        #expect(try resumed.receivedEnds() == committed)
        try fixture.send(exporter, resumed)
        #expect(try resumed.receivedEnds()[.visits]?.digest == end[.visits]?.digest)
        #expect(try resumed.finish()[.history].added == 200)
        #expect(try Set(fixture.visits(of: copy)) == expected)
      }
    }
    #expect(crashes >= 14)
  }

  @Test func `a crash in the middle of a file's import leaves nothing of it`() throws {
    let store = try RecordStore.open(home: fixture.home)
    try fixture.add([visit("https://a.test/", 1)], to: store)
    let run = try store.beginImport(ImportOptions(kind: .file, label: "large"))
    var pages = PageBatch()
    for number in 1...60_000 {
      pages.append(number: Int64(number), url: "https://\(number).test/".utf8, title: "t".utf8)
    }
    try run.apply(.pages(pages))
    var visits = VisitBatch()
    visits.visits = (1...60_000).map { .init(page: Int64($0), time: Int64($0)) }
    try run.apply(.visits(visits))
    let copy = try afterCrash(0)
    #expect(try fixture.visits(of: copy) == [visit("https://a.test/", 1)])
    #expect(try copy.journal().count == 1 && copy.check().isEmpty)
    run.abandon()
    #expect(try fixture.visits(of: store) == [visit("https://a.test/", 1)])
  }

  @Test func `a full disk leaves the last batch's state, and more space lets it go on`() throws {
    let exporter = try fixture.store()
    var generator = SeededGenerator(seed: 4)
    try fixture.add(generator.visits(3_000, pages: 2_000, seconds: 9_999), to: exporter)
    let importer = try RecordStore.open(home: fixture.home)
    let run = try fixture.transfer(into: importer)
    let pages = try importer.database.int64("PRAGMA page_count") ?? 0
    _ = try importer.database.int64("PRAGMA max_page_count = \(pages + 12)")
    #expect(throws: StoreError.full) { try fixture.send(exporter, run, records: 100) }
    let committed = try run.receivedEnds()
    #expect(committed[.pages]?.count ?? 0 > 0)
    #expect(!importer.database.isInTransaction)
    _ = try importer.database.int64("PRAGMA max_page_count = 1000000")
    try fixture.send(exporter, run, records: 100)
    let end = try exporter.ending(.history)
    #expect(try run.receivedEnds()[.visits]?.digest == end[.visits]?.digest)
    #expect(try run.finish()[.history].added == 3_000)
  }

  @Test func `a store that somebody else writes is busy, and can be read meanwhile`() throws {
    let one = try RecordStore.open(home: fixture.home)
    let two = try RecordStore.open(home: fixture.home)
    two.database.setBusyTimeout(milliseconds: 1)
    try fixture.add([visit("https://a.test/", 1)], to: one)
    let run = try one.beginImport(ImportOptions(kind: .file, label: "slow"))
    try run.apply(.history([visit("https://b.test/", 2)]))
    #expect(throws: StoreError.busy) { try two.beginImport(ImportOptions(kind: .file, label: "other")) }
    #expect(try fixture.visits(of: two).count == 1)
    _ = try run.finish()
    #expect(try fixture.visits(of: two).count == 2)
  }

  @Test func `damage that is met while reading is said, and the next opening sets the store aside`() throws {
    do {
      let store = try RecordStore.open(home: fixture.home)
      var generator = SeededGenerator(seed: 6)
      try fixture.add(generator.visits(3_000, pages: 2_000), to: store)
    }
    let size = try Data(contentsOf: URL(filePath: fixture.home.storePath)).count
    let file = try #require(FileHandle(forUpdatingAtPath: fixture.home.storePath))
    // The first pages are roots of tables, read by opening; the others are rows.
    for offset in stride(from: 8_192 * 60, to: size - 8_192, by: 8_192 * 2) {
      try file.seek(toOffset: UInt64(offset))
      try file.write(contentsOf: Data(repeating: 0xAB, count: 4_096))
    }
    try file.close()
    do {
      let store = try RecordStore.open(home: fixture.home)
      #expect(store.setAside == nil)
      #expect(throws: StoreError.corrupt) { _ = try fixture.visits(of: store) }
    }
    let fresh = try RecordStore.open(home: fixture.home)
    #expect(fresh.setAside != nil)
    #expect(try fixture.visits(of: fresh).isEmpty)
    #expect(try RecordStore.open(home: fixture.home).setAside == nil)
  }
}
