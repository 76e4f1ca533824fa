import BrowsingData
import Foundation
import Store
import TestSupport
import Testing

@testable import BrowserTransfer

@Suite struct IncomingRecordsTests {
  private let folder = TemporaryDirectory()

  private static func id(_ number: UInt64) -> RecordID { RecordID(high: 77, low: number) }

  /// A store with a tree below two roots, a separator, an item, an extension, visits and addresses that are none.
  private func store() throws -> RecordStore {
    let store = try RecordStore.open(home: try Home.open(folder.file("home"), asGuest: true))
    let run = try store.beginImport(ImportOptions(kind: .file, label: "test"))
    var bookmarks: [Bookmark] = []
    for number in UInt64(0)..<40 {
      let parent: RecordID = number % 10 == 0 ? (number < 20 ? .toolbar : .other) : Self.id(number - number % 10)
      let kind: Bookmark.Kind = number % 10 == 0 ? .folder : number % 10 == 5 ? .separator : .bookmark
      bookmarks.append(
        Bookmark(
          id: Self.id(number), kind: kind, parent: parent, position: Int(number % 10), title: "\(number)",
          url: kind == .bookmark ? (number == 7 ? "" : "https://a.test/\(number)") : nil))
    }
    try run.apply(.bookmarks(bookmarks))
    try run.apply(.readingList([ReadingListItem(id: Self.id(100), title: "item", url: "https://b.test/")]))
    try run.apply(.extensions([BrowserExtension(id: Self.id(101), name: "extension", identifier: "e@test")]))
    try run.apply(
      .history(
        (0..<30).map { number in
          HistoryVisit(
            url: "https://c.test/\(number % 4)",
            visitedAt: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(number) * 1_000_000))
        }))
    _ = try run.finish()
    return store
  }

  private struct Taken {
    var data: [BrowserData] = []
    var marks: [ImportMark] = []
    var skipped: [String: Int] = [:]
  }

  private func take(from store: RecordStore, after mark: ImportMark = ImportMark()) throws -> Taken {
    var taken = Taken()
    let records = IncomingRecords(after: mark, source: { Source(identifier: "old", name: "Old") }) { data, mark in
      taken.data.append(data)
      taken.marks.append(mark)
    } skip: {
      taken.skipped[$0, default: 0] += 1
    }
    try records.look(at: store, isComplete: true)
    return taken
  }

  @Test func `what BrowserKit has no object for is skipped and counted`() throws {
    let taken = try take(from: try store())
    #expect(taken.skipped == ["separator": 4, "address is no URL": 1])
    #expect(taken.data.count { $0 is BrowserDataBookmark } == 40 - 4 - 1 + 1)
    #expect(taken.data.count { $0 is BrowserDataHistoryVisit } == 30)
    #expect(taken.data.contains { ($0 as? BrowserDataBookmark)?.identifier == "toolbar" })
    #expect(taken.data.allSatisfy { $0.sourceApplicationLocalizedName == "Old" })
  }

  @Test func `after each object the rest is the same, whoever goes on`() throws {
    let store = try store()
    let whole = try take(from: store)
    for (index, mark) in whole.marks.enumerated() {
      let rest = try take(from: store, after: mark).data
      let expected = Array(whole.data[(index + 1)...])
      // A root is made known with the first of what it holds: until that has come, it may come again.
      let isRoot = (whole.data[index] as? BrowserDataBookmark)?.identifier == "toolbar"
      #expect(rest == (isRoot ? [whole.data[index]] : []) + expected, "\(index)")
    }
  }

  @Test func `a mark comes back from the disk; one that cannot be read is none`() throws {
    let home = try Home.open(folder.file("marks"), asGuest: true)
    #expect(ImportMark(in: home) == ImportMark())
    var mark = ImportMark()
    mark[.visits] = 9
    mark[.bookmarks] = 4
    mark.summary = {
      var summary = TransferSummary()
      summary.historyVisits = 3
      summary.skipped = ["separator": 2]
      return summary
    }()
    try mark.write(in: home)
    #expect(ImportMark(in: home) == mark)
    try Data("{".utf8).write(to: URL(fileURLWithPath: home.data + "/handed-on.json"))
    #expect(ImportMark(in: home) == ImportMark())
  }
}
