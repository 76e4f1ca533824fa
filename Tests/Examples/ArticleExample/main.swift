import BrowserTransfer
import Foundation

// Two browsers after BrowserKit's article, in one program:
//   ArticleExample export COUNT                   shows a code and address on standard error, and sends
//   ArticleExample import CODE HOST:PORT          answers it, and prints what came, a line each
//   ArticleExample export COUNT CODE HOST:PORT    answers a code that an importer shows: launched to export
//   ArticleExample import                         shows a code

let arguments = CommandLine.arguments.dropFirst().map { $0 }
let isExport = arguments.first == "export"
let place = isExport ? Array(arguments.dropFirst(2)) : Array(arguments.dropFirst())
let invitation: TransferInvitation =
  place.count == 2 ? .answer(code: place[0], at: [place[1]]) : .show(listen: ["127.0.0.1:0"])
let scene = TransferScene(
  applicationIdentifier: "org.wherry.article", applicationName: "Article",
  sheet: TerminalTransferSheet(invitation: invitation, isAgreed: true))

do {
  if isExport, let count = arguments.dropFirst().first.flatMap({ Int($0) }) {
    let exporter = Exporter(scene: scene, browser: SampleBrowser(count: count))
    if place.isEmpty {
      try await exporter.export(token: nil)
    } else {
      // Another device's person wants to import: this app is called with the export activity.
      let (tokens, launched) = AsyncStream<UUID>.makeStream()
      scene.onContinueTransferActivity(BEBrowserDataExportManager.userActivityType) { userActivity in
        guard let token = userActivity.userInfo?[BEBrowserDataExportManager.exportTokenUserInfoKey] as? UUID else {
          return
        }
        launched.yield(token)
      }
      try await scene.open(invitation, for: BEBrowserDataExportManager.userActivityType)
      for await token in tokens {
        try await exporter.export(token: token)
        break
      }
    }
  } else {
    let store = ImportedData()
    let importer = Importer(scene: scene, store: store)
    let (tokens, launched) = AsyncStream<UUID>.makeStream()
    scene.onContinueTransferActivity(BEBrowserDataImportManager.userActivityType) { userActivity in
      guard let token = userActivity.userInfo?[BEBrowserDataImportManager.importTokenUserInfoKey] as? UUID else {
        return
      }
      launched.yield(token)
    }
    try await importer.requestImport()
    for await token in tokens {
      try await importer.handleImportRequest(with: token)
      break
    }
    for line in await store.lines { print(line) }
  }
} catch {
  FileHandle.standardError.write(Data("failed: \(error.localizedDescription)\n".utf8))
  exit(1)
}
