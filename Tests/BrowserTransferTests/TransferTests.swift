import BrowserTransfer
import Foundation
import Testing

@Suite(.serialized) struct TransferTests {
  static let start = Date(timeIntervalSince1970: 1_700_000_000.123456)
  static let records: [BrowserData] = [
    // What a folder holds comes before the folder.
    BrowserDataBookmark(
      isFolder: false, title: "Inner", identifier: "b1", url: link("https://a.test/?q=1&r=%20"), parentIdentifier: "f"),
    BrowserDataBookmark(isFolder: true, title: "Folder", identifier: "f", url: nil, parentIdentifier: nil),
    BrowserDataBookmark(
      isFolder: false, title: "Outer", identifier: "b2", url: link("https://b.test/"), parentIdentifier: nil),
    BrowserDataHistoryVisit(
      url: link("http://old.test/"), dateOfLastVisit: start, title: nil, loadedSuccessfully: true, httpGet: true,
      redirectSourceURL: nil, redirectSourceDateOfVisit: nil, redirectDestinationURL: link("https://new.test/"),
      redirectDestinationDateOfVisit: start + 1, visitCount: 3),
    BrowserDataHistoryVisit(
      url: link("https://new.test/"), dateOfLastVisit: start + 1, title: "New", loadedSuccessfully: false,
      httpGet: false, redirectSourceURL: link("http://old.test/"), redirectSourceDateOfVisit: start,
      redirectDestinationURL: nil, redirectDestinationDateOfVisit: nil, visitCount: 1),
    BrowserDataReadingListItem(title: "Later", url: link("https://later.test/"), dateOfLastVisit: start),
    BrowserDataExtension(
      displayName: "Blocker", developerName: "Dev", identifier: "blocker@test", storeIdentifier: "607454"),
  ]

  /// What an importer gets of `records`: with their source, folders first.
  static let received: Set<BrowserData> = [
    BrowserDataBookmark(
      isFolder: false, title: "Inner", identifier: "b1", url: link("https://a.test/?q=1&r=%20"), parentIdentifier: "f",
      sourceApplicationBundleIdentifier: "org.example.old", sourceApplicationLocalizedName: "Old"),
    BrowserDataBookmark(
      isFolder: true, title: "Folder", identifier: "f", url: nil, parentIdentifier: nil,
      sourceApplicationBundleIdentifier: "org.example.old", sourceApplicationLocalizedName: "Old"),
    BrowserDataBookmark(
      isFolder: false, title: "Outer", identifier: "b2", url: link("https://b.test/"), parentIdentifier: nil,
      sourceApplicationBundleIdentifier: "org.example.old", sourceApplicationLocalizedName: "Old"),
    BrowserDataHistoryVisit(
      url: link("http://old.test/"), dateOfLastVisit: start, title: nil, loadedSuccessfully: true, httpGet: true,
      redirectSourceURL: nil, redirectSourceDateOfVisit: nil, redirectDestinationURL: link("https://new.test/"),
      redirectDestinationDateOfVisit: start + 1, visitCount: 3, sourceApplicationBundleIdentifier: "org.example.old",
      sourceApplicationLocalizedName: "Old"),
    BrowserDataHistoryVisit(
      url: link("https://new.test/"), dateOfLastVisit: start + 1, title: "New", loadedSuccessfully: false,
      httpGet: false, redirectSourceURL: link("http://old.test/"), redirectSourceDateOfVisit: start,
      redirectDestinationURL: nil, redirectDestinationDateOfVisit: nil, visitCount: 1,
      sourceApplicationBundleIdentifier: "org.example.old", sourceApplicationLocalizedName: "Old"),
    BrowserDataReadingListItem(
      title: "Later", url: link("https://later.test/"), dateOfLastVisit: start,
      sourceApplicationBundleIdentifier: "org.example.old", sourceApplicationLocalizedName: "Old"),
    BrowserDataExtension(
      displayName: "Blocker", developerName: "Dev", identifier: "blocker@test", storeIdentifier: "607454",
      sourceApplicationBundleIdentifier: "org.example.old", sourceApplicationLocalizedName: "Old"),
  ]

  @Test func `an export that the exporter began arrives, folders before what they hold`() async throws {
    let old = ExportingApp()
    async let sent = old.export(AsyncStream(Self.records))
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await old.sheet.answer())))
    let options = try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    #expect(!options.importFromFiles)
    let records = try await new.records()
    #expect(Set(records) == Self.received)
    #expect(records.count == Self.records.count)
    let bookmarks = records.compactMap { ($0 as? BrowserDataBookmark)?.identifier }
    let folder = try #require(bookmarks.firstIndex(of: "f"))
    let inner = try #require(bookmarks.firstIndex(of: "b1"))
    #expect(folder < inner)
    let summary = try await sent
    #expect(summary.bookmarks == 3 && summary.historyVisits == 2)
    #expect(summary.skipped.isEmpty)
    #expect(summary.token == new.activityToken)
    let token = try #require(new.activityToken)
    let taken = try #require(new.manager.summary(token: token))
    #expect(taken.historyVisits == 2 && taken.extensions == 1 && taken.readingListItems == 1)
  }

  @Test func `an import that the importer began calls the exporter by an activity, and the importer in turn`()
    async throws
  {
    let old = ExportingApp(ScriptedSheet())
    let sheet = ScriptedSheet(importFrom: .device(.onLoopback))
    let new = ImportingApp(sheet)
    let (activities, called) = AsyncStream<TransferActivity>.makeStream()
    old.scene.onContinueTransferActivity(BrowserDataExportManager.userActivityType) { called.yield($0) }
    async let options = new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: true))
    try await old.scene.open(try await sheet.answer(), for: BrowserDataExportManager.userActivityType)
    let activity = try #require(await activities.first { _ in true })
    let token = try #require(activity.userInfo?[BrowserDataExportManager.exportTokenUserInfoKey] as? UUID)
    _ = try await old.export(AsyncStream(Self.records), token: token)
    #expect(try await !options.importFromFiles)
    #expect(Set(try await new.records()) == Self.received)
    await #expect(throws: BrowserDataExchangeError(.export, .token, message: "")) {
      _ = try await old.manager.requestExport(for: .some, token: token)
    }
  }

  @Test func `an app is handed data that it has not asked for`() async throws {
    let old = ExportingApp()
    async let sent = old.export(AsyncStream(Self.records))
    let new = ImportingApp(ScriptedSheet())
    try await new.scene.open(try await old.sheet.answer(), for: BrowserDataImportManager.userActivityType)
    #expect(try await new.records().count == Self.records.count)
    _ = try await sent
  }

  @Test func `only chosen kinds go, and an unknown kind is skipped and counted`() async throws {
    final class Tab: BrowserData, @unchecked Sendable {}
    let old = ExportingApp(ScriptedSheet(exportTo: .device(.onLoopback), exportTypes: [.readingList, .extensions]))
    async let sent = old.export(AsyncStream(Self.records + [Tab(), Tab()]))
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await old.sheet.answer())))
    _ = try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    let kinds = try await new.records().map { type(of: $0) == BrowserDataReadingListItem.self }
    #expect(kinds.count == 2 && kinds.contains(true) && kinds.contains(false))
    #expect(try await sent.skipped == ["unknown kind": 2, "kind not chosen": 5])
  }

  @Test func `producers of several kinds write at once`() async throws {
    let old = ExportingApp()
    let count = 400
    async let sent = {
      _ = try await old.manager.requestExport(for: .some, token: nil)
      return try await old.manager.exportBrowserData { writer in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            for number in 0..<count {
              try await writer.write(
                BrowserDataBookmark(
                  isFolder: false, title: "\(number)", identifier: "\(number)", url: link("https://a.test/\(number)"),
                  parentIdentifier: "toolbar"))
            }
          }
          group.addTask {
            for number in 0..<count {
              try await writer.write(
                BrowserDataReadingListItem(title: "", url: link("https://b.test/\(number)"), dateOfLastVisit: nil))
            }
          }
          try await group.waitForAll()
        }
      }
    }()
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await old.sheet.answer())))
    _ = try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    let records = try await new.records()
    #expect(records.filter { $0 is BrowserDataReadingListItem }.count == count)
    let bookmarks = records.compactMap { $0 as? BrowserDataBookmark }
    // The toolbar itself is made known as a folder, once; its bookmarks keep their order.
    #expect(bookmarks.first?.identifier == "toolbar")
    #expect(bookmarks.dropFirst().map(\.identifier) == (0..<count).map { "\($0)" })
    #expect(bookmarks.dropFirst().allSatisfy { $0.parentIdentifier == "toolbar" })
    _ = try await sent
  }
}
