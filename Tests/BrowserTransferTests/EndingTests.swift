import BrowserTransfer
import Foundation
import Synchronization
import Testing

@Suite(.serialized) struct EndingTests {
  /// An exporter that has met an importer whose app takes nothing by itself.
  private func met(
    _ old: ExportingApp, writing: @escaping @Sendable (BrowserDataWriter) async throws -> Void
  ) async throws -> (new: ImportingApp, token: UUID, export: Task<TransferSummary, any Error>) {
    let export = Task {
      _ = try await old.manager.requestExport(for: .some, token: nil)
      return try await old.manager.exportBrowserData(writing: writing)
    }
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await old.sheet.answer())), isTaking: false)
    _ = try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    return (new, try #require(new.activityToken), export)
  }

  private static func item(_ number: Int, size: Int = 10) -> BrowserDataReadingListItem {
    var generator = SystemRandomNumberGenerator()
    let title = String((0..<size).map { _ in Character(Unicode.Scalar(UInt8.random(in: 33...126, using: &generator))) })
    return BrowserDataReadingListItem(title: title, url: link("https://a.test/\(number)"), dateOfLastVisit: nil)
  }

  @Test func `a slow importer makes the exporter wait, and leaving its loop ends both`() async throws {
    let written = Mutex(0)
    let count: @Sendable () -> Void = { written.withLock { $0 += 1 } }
    let (new, token, export) = try await met(ExportingApp()) { writer in
      for number in 0..<1_000_000 {
        try await writer.write(Self.item(number, size: 2_000))
        count()
      }
    }
    var stream: AsyncThrowingStream<BrowserData, any Error>? = new.manager.importBrowserData(token: token)
    var taken = 0
    if let open = stream {
      for try await _ in open {
        taken += 1
        if taken == 10 { break }
      }
    }
    // The producer comes to rest although nothing has told it to.
    var before = -1
    while before != written.withLock({ $0 }) {
      before = written.withLock { $0 }
      try await Task.sleep(for: .milliseconds(1_500))
    }
    #expect(before < 30_000)
    stream = nil
    await #expect(throws: BrowserDataExchangeError(.export, .declined, message: "")) { try await export.value }
  }

  @Test func `cancelling the exporter's task ends the importer's stream with an error`() async throws {
    let (new, token, export) = try await met(ExportingApp()) { writer in
      try await writer.write(Self.item(1))
      try await Task.sleep(for: .seconds(600))
    }
    let reader = Task {
      for try await _ in new.manager.importBrowserData(token: token) {}
    }
    export.cancel()
    await #expect(throws: BrowserDataExchangeError(.import, .declined, message: "")) { try await reader.value }
    await #expect(throws: BrowserDataExchangeError(.export, .cancelled, message: "")) { try await export.value }
  }

  @Test func `an error of the producer is the exporter's, and ends the importer`() async throws {
    struct Broken: Error {}
    let (gate, hand) = AsyncStream<Void>.makeStream()
    let (new, token, export) = try await met(ExportingApp()) { _ in
      for await _ in gate { throw Broken() }
    }
    hand.yield()
    await #expect(throws: Broken.self) { try await export.value }
    await #expect(throws: BrowserDataExchangeError(.import, .declined, message: "")) {
      for try await _ in new.manager.importBrowserData(token: token) {}
    }
  }

  @Test func `cancelling the importer's task ends the exporter`() async throws {
    let (new, token, export) = try await met(ExportingApp()) { writer in
      try await writer.write(Self.item(1))
      try await Task.sleep(for: .seconds(600))
    }
    let reader = Task { for try await _ in new.manager.importBrowserData(token: token) {} }
    try await Task.sleep(for: .milliseconds(100))
    reader.cancel()
    await #expect(throws: (any Error).self) { try await reader.value }
    await #expect(throws: BrowserDataExchangeError(.export, .declined, message: "")) { try await export.value }
  }

  @Test func `a token works once`() async throws {
    let (new, token, export) = try await met(ExportingApp()) { try await $0.write(Self.item(1)) }
    var items = 0
    for try await _ in new.manager.importBrowserData(token: token) { items += 1 }
    #expect(items == 1)
    _ = try await export.value
    for token in [token, UUID()] {
      await #expect(throws: BrowserDataExchangeError(.import, .token, message: "")) {
        for try await _ in new.manager.importBrowserData(token: token) {}
      }
    }
  }

  @Test func `a no of the exporter's person ends both`() async throws {
    let old = ExportingApp(ScriptedSheet(exportTo: .device(.onLoopback), agrees: false))
    let export = Task { try await old.manager.requestExport(for: .some, token: nil) }
    let new = ImportingApp(ScriptedSheet(importFrom: .device(try await old.sheet.answer())))
    await #expect(throws: BrowserDataExchangeError(.import, .declined, message: "")) {
      try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    }
    await #expect(throws: BrowserDataExchangeError(.export, .declined, message: "")) { try await export.value }
  }

  @Test func `files are the app's own matter, and only when it says that it can`() async throws {
    let old = ExportingApp(ScriptedSheet(exportTo: .files, exportTypes: .history))
    let metadata = ExportMetadata(
      supportingExportToFiles: true, bookmarksCount: 0, readingListCount: 0, historyCount: 1, extensionsCount: 0)
    let options = try await old.manager.requestExport(for: metadata, token: nil)
    #expect(options == ExportOptions(exportToFiles: true, dataTypes: .history))
    await #expect(throws: BrowserDataExchangeError(.export, .notReady, message: "")) {
      try await old.manager.requestExport(for: .some, token: nil)
    }
    let new = ImportingApp(ScriptedSheet(importFrom: .files))
    #expect(try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: true)).importFromFiles)
  }

  @Test func `what is out of turn is refused before any network`() async throws {
    let old = ExportingApp(ScriptedSheet())
    await #expect(throws: BrowserDataExchangeError(.export, .cancelled, message: "")) {
      try await old.manager.requestExport(for: .some, token: nil)
    }
    await #expect(throws: BrowserDataExchangeError(.export, .notReady, message: "")) {
      try await old.manager.exportBrowserData(AsyncStream([]))
    }
    await #expect(throws: BrowserDataExchangeError(.export, .notReady, message: "")) {
      try await old.scene.open(.onLoopback, for: BrowserDataExportManager.userActivityType)
    }
    let unregistered = BrowserDataImportManager(
      scene: TransferScene(
        applicationIdentifier: "a", applicationName: "A", sheet: ScriptedSheet(importFrom: .device(.onLoopback))))
    await #expect(throws: BrowserDataExchangeError(.import, .notReady, message: "")) {
      try await unregistered.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    }
  }

  @Test func `a mistyped code is refused before any network, and a code does not print`() async throws {
    let new = ImportingApp(ScriptedSheet(importFrom: .device(.answer(code: "1234567890", at: ["127.0.0.1:1"]))))
    await #expect(throws: BrowserDataExchangeError(.import, .wrongCode, message: "")) {
      try await new.manager.requestImport(for: ImportMetadata(supportForImportFromFiles: false))
    }
    let old = ExportingApp()
    let export = Task { try await old.manager.requestExport(for: .some, token: nil) }
    guard case .answer(let digits, _) = try await old.sheet.answer() else { return }
    #expect(!"\(old.sheet.shown)".contains(digits))
    export.cancel()
    await #expect(throws: BrowserDataExchangeError(.export, .cancelled, message: "")) { try await export.value }
  }
}
