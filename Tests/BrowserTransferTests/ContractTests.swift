import BrowserTransfer
import Foundation
import TestSupport
import Testing

/// What BrowserKit promises beside the transfer itself.
@Suite(.serialized) struct ContractTests {
  private let folder = TemporaryDirectory()

  @Test func `the four counts are shown to the importer's person before anything moves`() async throws {
    let old = ExportingApp()
    async let sent = old.export(AsyncStream(TransferTests.records))
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await old.sheet.answer())))
    _ = try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    _ = try await new.records()
    _ = try await sent
    var offers: [ExportMetadata] = []
    for notice in new.sheet.shown {
      if case .progress = notice { #expect(!offers.isEmpty) }
      if case .offered(let metadata, let device) = notice {
        offers.append(metadata)
        #expect(!device.name.isEmpty && !device.id.isEmpty)
      }
    }
    #expect(
      offers == [
        ExportMetadata(
          supportForExportToFiles: false, bookmarksCount: 3, readingListCount: 1, historyCount: 2, extensionsCount: 1)
      ])
  }

  @Test func `what counts nothing is not offered, and nothing at all is an error`() async throws {
    let sheet = ScriptedSheet(exportTo: .device(.onLoopback))
    let old = ExportingApp(sheet)
    let empty = ExportMetadata(
      supportForExportToFiles: true, bookmarksCount: 0, readingListCount: 0, historyCount: 0, extensionsCount: 0)
    #expect(empty.availableTypes == .none)
    await #expect(throws: BrowserDataExchangeError(.export, .notFound, message: "")) {
      try await old.manager.requestExport(for: empty, token: nil)
    }
    let some = ExportMetadata(
      supportForExportToFiles: false, bookmarksCount: 0, readingListCount: 0, historyCount: 1, extensionsCount: 0)
    async let options = old.manager.requestExport(for: some, token: nil)
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await old.sheet.answer())))
    _ = try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    #expect(try await options == ExportOptions(exportToFiles: false, dataTypes: .history))
    _ = try await old.manager.exportBrowserData(AsyncStream([]))
    #expect(try await new.records().isEmpty)
  }

  @Test func `importing from files is offered only by an app that can`() async throws {
    let new = ImportingApp(ScriptedSheet(importFrom: .files))
    await #expect(throws: BrowserDataExchangeError(.import, .notReady, message: "")) {
      try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    }
    let none = ImportingApp(ScriptedSheet())
    await #expect(throws: BrowserDataExchangeError(.import, .cancelled, message: "")) {
      try await none.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: true))
    }
  }

  @Test func `a record keeps the application that it names, and an extension may be in no store`() async throws {
    let records: [BrowserData] = [
      BrowserDataBookmark(
        isFolder: false, title: "B", identifier: "b", url: link("https://b.test/"), parentIdentifier: nil,
        sourceApplicationBundleIdentifier: "org.example.older", sourceApplicationLocalizedName: "Older"),
      BrowserDataExtension(displayName: "E", developerName: "", identifier: "e", storeIdentifier: nil),
    ]
    let old = ExportingApp()
    async let sent = old.export(AsyncStream(records))
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await old.sheet.answer())))
    _ = try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    let taken = try await new.records()
    _ = try await sent
    let bookmark = taken.first { $0 is BrowserDataBookmark }
    #expect(bookmark?.sourceApplicationBundleIdentifier == "org.example.older")
    #expect(bookmark?.sourceApplicationLocalizedName == "Older")
    let item = try #require(taken.compactMap { $0 as? BrowserDataExtension }.first)
    #expect(item.storeIdentifier == nil && item.developerName.isEmpty)
    #expect(item.sourceApplicationBundleIdentifier == "org.example.old")
  }

  @Test func `an error is caught by its code, and has the framework's domain and numbers`() {
    let error = BEBrowserDataExchangeError(.import, .declined, message: "No.", hint: "Ask again.")
    do { throw error } catch BEBrowserDataExchangeError.export {
      Issue.record("the other code")
    } catch BEBrowserDataExchangeError.import {
    } catch { Issue.record("no code") }
    let general = error as NSError
    #expect(general.domain == BEBrowserDataExchangeErrorDomain && general.code == error.code.rawValue)
    #expect(general.domain == "BEBrowserDataExchangeErrorDomain")
    #expect(error.localizedDescription == "No." && error.recoverySuggestion == "Ask again.")
    #expect(Set([BEBrowserDataExchangeError.unknown, .export, .import].map(\.rawValue)).count == 3)
  }

  @Test func `the names are BrowserKit's`() {
    #expect(BEBrowserDataExportManager.userActivityType == "BEBrowserDataExchangeExportActivity")
    #expect(BEBrowserDataImportManager.userActivityType == "BEBrowserDataExchangeImportActivity")
    #expect(BEExportOptions.DataTypes.none.isEmpty)
    #expect(BEExportOptions.DataTypes([.bookmarks, .readingList, .history, .extensions]) == .all)
    let visit = BEBrowserDataHistoryVisit(
      URL: link("https://a.test/"), dateOfLastVisit: TransferTests.start, title: nil, loadedSuccessfully: true,
      httpGet: true, redirectSourceURL: nil, redirectSourceDateOfVisit: nil, redirectDestinationURL: nil,
      redirectDestinationDateOfVisit: nil, visitCount: 1)
    #expect(visit.sourceApplicationBundleIdentifier == nil)
    let folder = BEBrowserDataBookmark(asFolder: true, title: "F", identifier: "f", url: nil, parentIdentifier: nil)
    #expect(folder.isFolder && folder.url == nil && folder.parentIdentifier == nil)
  }

  @Test func `nothing is left on the disk, and nothing to go on with, once it is over`() async throws {
    let place = URL(fileURLWithPath: folder.file("transfers"))
    let sheet = ScriptedSheet(exportTo: .device(.onLoopback))
    let scene = TransferScene(applicationIdentifier: "a", applicationName: "A", sheet: sheet, folder: place)
    let manager = BrowserDataExportManager(scene: scene)
    #expect(scene.unfinishedTransfers().isEmpty)
    async let sent = {
      _ = try await manager.requestExport(for: .some, token: nil)
      return try await manager.exportBrowserData(AsyncStream(TransferTests.records))
    }()
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await sheet.answer())))
    // What is under way is not unfinished.
    #expect(scene.unfinishedTransfers().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).count == 1)
    _ = try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    _ = try await new.records()
    _ = try await sent
    #expect(scene.unfinishedTransfers().isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).isEmpty)
  }

  @Test func `an import is gone on with only by who can be called for it, and only while it is there`() async throws {
    let new = ImportingApp(ScriptedSheet(importFrom: .device(.onLoopback)))
    #expect(new.scene.unfinishedTransfers().isEmpty)
    #expect(throws: BrowserDataExchangeError(.import, .token, message: "")) {
      try new.manager.noteStored(token: UUID())
    }
  }
}
