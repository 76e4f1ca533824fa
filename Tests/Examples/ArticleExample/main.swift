import BrowserTransfer
import Foundation

// Two browsers after BrowserKit's article, in one program:
//   ArticleExample export COUNT                   shows a code and address on standard error, and sends
//   ArticleExample import CODE HOST:PORT          answers it, and prints what came, a line each
//   ArticleExample export COUNT CODE HOST:PORT    answers a code that an importer shows: launched to export
//   ArticleExample import                         shows a code
//   ArticleExample resume COUNT                   goes on with what a former program has left
// and before all of them:
//   --folder DIR          where what is on its way lies
//   --hold COUNT          stops importing after so many objects
//   --until FILE          … until this file is there

var arguments = CommandLine.arguments.dropFirst().map { $0 }
var options: [String: String] = [:]
while arguments.count > 1, arguments[0].hasPrefix("--") {
  options[arguments[0]] = arguments[1]
  arguments.removeFirst(2)
}
let verb = arguments.first ?? ""
let count = verb == "import" ? 0 : arguments.dropFirst().first.flatMap { Int($0) } ?? 0
let place = arguments.dropFirst(verb == "import" ? 1 : 2).map { $0 }
let invitation: TransferInvitation =
  place.count == 2 ? .answer(code: place[0], at: [place[1]]) : .show(listen: ["127.0.0.1:0"])
let scene = TransferScene(
  applicationIdentifier: "org.wherry.article", applicationName: "Article",
  sheet: TerminalTransferSheet(invitation: invitation, isAgreed: true),
  folder: options["--folder"].map { URL(fileURLWithPath: $0) })
let hold = options["--hold"].flatMap { Int($0) }.map { (after: $0, until: options["--until"]) }
let view = AppView(scene: scene, browser: SampleBrowser(count: count), store: ImportedData(hold: hold))

do {
  switch (verb, place.isEmpty) {
  case ("export", true):
    try await view.startExport()
  case ("export", false):
    // Another device's person wants to import: this app is called with the export activity.
    try await scene.open(invitation, for: BEBrowserDataExportManager.userActivityType)
    try await view.store.wait()
  case ("import", _):
    try await view.startImport()
    try await view.store.wait()
  case ("resume", _):
    for transfer in scene.unfinishedTransfers() {
      try await scene.resume(transfer)
      try await view.store.wait()
    }
  case _: exit(64)
  }
} catch {
  FileHandle.standardError.write(Data("failed: \(error.localizedDescription)\n".utf8))
  exit(1)
}
