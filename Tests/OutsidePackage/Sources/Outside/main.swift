import AppMigration
import BrowserTransfer
import Foundation

// Uses a little of both modules, by what is public alone.
let scene = TransferScene(
  applicationIdentifier: "org.example.outside", applicationName: "Outside",
  sheet: TerminalTransferSheet(isAgreed: true))
let manager = BEBrowserDataExportManager(scene: scene)
do {
  let nothing = BEExportMetadata(
    supportForExportToFiles: false, bookmarksCount: 0, readingListCount: 0, historyCount: 0, extensionsCount: 0)
  _ = try await manager.requestExport(for: nothing, token: UUID())
} catch let error as BEBrowserDataExchangeError {
  precondition(error.code == .export && error.reason == .token)
}
MigrationDataContainer.main = MigrationDataContainer(
  bundleIdentifier: "org.example.outside",
  containerRootDirectory: FileManager.default.temporaryDirectory.appendingPathComponent("outside-\(UUID().uuidString)"))
precondition(MigrationStatus.importStatus == nil)
print("outside: works")
