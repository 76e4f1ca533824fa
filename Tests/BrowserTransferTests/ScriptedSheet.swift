import BrowserTransfer
import Foundation
import Synchronization

/// A sheet whose person has decided before, and that remembers what was shown.
final class ScriptedSheet: TransferSheet {
  let exportTypes: ExportOptions.DataTypes
  let exportTo: ExportChoice.Destination?
  let importFrom: ImportChoice?
  let agrees: Bool
  private let notices = Mutex<[TransferNotice]>([])

  init(
    exportTo: ExportChoice.Destination? = nil, exportTypes: ExportOptions.DataTypes = .all,
    importFrom: ImportChoice? = nil, agrees: Bool = true
  ) {
    self.exportTo = exportTo
    self.exportTypes = exportTypes
    self.importFrom = importFrom
    self.agrees = agrees
  }

  func chooseExport(_ request: ExportRequest) async -> ExportChoice? {
    (request.isAsked ? .asked : exportTo).map { ExportChoice($0, dataTypes: exportTypes) }
  }
  func chooseImport(_ request: ImportRequest) async -> ImportChoice? { importFrom }
  func agrees(toExport types: ExportOptions.DataTypes, to device: TransferDevice) async -> Bool { agrees }
  func show(_ notice: TransferNotice) { notices.withLock { $0.append(notice) } }

  var shown: [TransferNotice] { notices.withLock { $0 } }

  /// The way to answer the code that this sheet shows; waits for it.
  func answer() async throws -> TransferInvitation {
    for _ in 0..<3_000 {
      var addresses: [String]?
      for notice in shown {
        if case .listening(let found) = notice { addresses = found }
        if case .code(let code) = notice, let addresses { return .answer(code: code.digits, at: addresses) }
      }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw NoCode()
  }

  struct NoCode: Error {}
}

/// Imports what an app is handed, all of it.
final class ImportingApp: Sendable {
  let sheet: ScriptedSheet
  let scene: TransferScene
  let manager: BrowserDataImportManager
  private let taken = Mutex<Task<[BrowserData], any Error>?>(nil)
  private let token = Mutex<UUID?>(nil)

  init(_ sheet: ScriptedSheet, isTaking: Bool = true) {
    self.sheet = sheet
    scene = TransferScene(
      applicationIdentifier: "org.example.new", applicationName: "New", sheet: sheet, folder: .transfers)
    manager = BrowserDataImportManager(scene: scene)
    scene.onContinueTransferActivity(BrowserDataImportManager.userActivityType) { [weak self] activity in
      guard let self,
        let token = activity.userInfo?[BrowserDataImportManager.importTokenUserInfoKey] as? UUID
      else { return }
      self.token.withLock { $0 = token }
      guard isTaking else { return }
      let stream = manager.importBrowserData(token: token)
      let task = Task {
        var records: [BrowserData] = []
        for try await record in stream { records.append(record) }
        return records
      }
      taken.withLock { $0 = task }
    }
  }

  /// Everything, once it has come.
  func records() async throws -> [BrowserData] {
    guard let task = taken.withLock({ $0 }) else { throw ScriptedSheet.NoCode() }
    return try await task.value
  }

  var activityToken: UUID? { token.withLock { $0 } }
}

/// An app that exports.
struct ExportingApp: Sendable {
  let sheet: ScriptedSheet
  let scene: TransferScene
  let manager: BrowserDataExportManager

  init(_ sheet: ScriptedSheet = ScriptedSheet(exportTo: .device(.onLoopback))) {
    self.sheet = sheet
    scene = TransferScene(
      applicationIdentifier: "org.example.old", applicationName: "Old", sheet: sheet, folder: .transfers)
    manager = BrowserDataExportManager(scene: scene)
  }

  /// Exports all that a stream gives.
  func export<Records: AsyncSequence & Sendable>(
    _ records: Records, _ metadata: ExportMetadata = .some, token: UUID? = nil
  ) async throws -> TransferSummary where Records.Element == BrowserData {
    _ = try await manager.requestExport(for: metadata, token: token)
    return try await manager.exportBrowserData(records)
  }
}

extension URL {
  /// A new place for what is on its way.
  static var transfers: URL {
    FileManager.default.temporaryDirectory.appendingPathComponent("wherry-test-\(UUID().uuidString)")
  }
}

extension TransferInvitation {
  static let onLoopback = TransferInvitation.show(listen: ["127.0.0.1:0"])
}

extension ExportMetadata {
  static let some = ExportMetadata(
    supportForExportToFiles: false, bookmarksCount: 3, readingListCount: 1, historyCount: 2, extensionsCount: 1)
}

extension AsyncStream where Element == BrowserData {
  /// A stream of these.
  init(_ records: [BrowserData]) {
    self.init { continuation in
      for record in records { continuation.yield(record) }
      continuation.finish()
    }
  }
}

func link(_ text: String) -> URL { URL(string: text) ?? URL(fileURLWithPath: "/") }
