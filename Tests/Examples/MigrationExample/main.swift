import AppMigration
import Foundation

// A sample app with a migration extension:
//   MigrationExample fill FOLDER COUNT                    makes COUNT small files, a sparse file of 4 GiB, links, odd names
//   MigrationExample export FOLDER HOME [resume]          shows a code and address on standard error, and sends
//   MigrationExample import FOLDER HOME CODE HOST:PORT    receives;  import FOLDER HOME resume  goes on
//   MigrationExample status FOLDER                        says how the last import ended, once

let arguments = CommandLine.arguments.dropFirst().map { $0 }
guard arguments.count >= 2 else { exit(64) }
let app = Gallery(folder: arguments[1])
let isResumed = arguments.last == "resume"
do {
  switch arguments[0] {
  case "fill": try app.fill(arguments.count > 2 ? Int(arguments[2]) ?? 10_000 : 10_000)
  case "export":
    let host = MigrationHost(folder: URL(fileURLWithPath: arguments[2]), person: Agreeing())
    let report = try await host.export(app, over: isResumed ? .resume() : .show(listen: ["127.0.0.1:0"]))
    print("sent \(report.files), left out \(report.skipped.count)")
  case "import":
    let host = MigrationHost(folder: URL(fileURLWithPath: arguments[2]), person: Agreeing())
    let meeting: MigrationMeeting = isResumed ? .resume() : .answer(code: arguments[3], at: [arguments[4]])
    let report = try await host.import(into: app, over: meeting)
    print("received \(report.files), left out \(report.skipped.count)")
  case "status":
    switch app.appContainer.importStatus {
    case nil: print("nothing")
    case .success: print("success")
    case .failure(let error): print("failure: \(error.localizedDescription)")
    }
    app.appContainer.clearImportStatus()
  default: exit(64)
  }
} catch {
  FileHandle.standardError.write(Data("failed: \(error.localizedDescription)\n".utf8))
  exit(1)
}

/// Agrees to everything and says what it is told.
struct Agreeing: MigrationPerson {
  func agrees(toExport offer: MigrationOffer, to deviceName: String) async -> Bool { true }
  func show(_ notice: MigrationNotice) {
    switch notice {
    case .listening(let addresses): say("Listening on \(addresses.joined(separator: ", ")).")
    case .code(let code): say("Code: \(code.digits)")
    case .connected(_, let again): say(again ? "Connected again." : "Connected.")
    case .progress(let files, let total, _): say("\(files) of \(total)")
    case .importing(let fraction): say("Importing: \(Int(fraction * 100)) %.")
    case .interrupted(let reason), .warning(let reason): say(reason)
    }
  }
  private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
