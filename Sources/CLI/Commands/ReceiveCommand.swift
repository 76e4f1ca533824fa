import BrowsingData
import Channel
import Formats
import Store
import Transfer

/// `receive`: the importer of a one-time transfer.
struct ReceiveCommand: Command {
  var meeting = MeetingOptions()
  var into: String?
  var types: DataTypes?
  var wait = false
  var passwordFile: String?
  var resourcesInto: String?

  static let name = "receive"
  static let summary = "receive from another machine; answers the code shown there, or shows one"
  static let details = """
    What comes goes into the store of this device; `wherry undo` takes it back.
    Without CODE, or when you press Return at the question for it, this machine shows one and listens.
    CODE may be - to be asked for it, and WHERRY_CODE_FILE may name a file that holds it.
    """
  static var parameters: [Parameter<ReceiveCommand>] {
    [
      .operands("CODE", \.meeting.code, "the code shown on the other machine"),
      .option("into", "DEST", \.into, "deliver what came: firefox, a profile's folder, safari:out.zip …"),
      .option("types", "TYPES", \.types, "take these without asking; secrets only when the other side names them, too"),
      .flag("wait", \.wait, "wait until the browser that --into names is closed"),
      .option(
        "password-file", "FILE", \.passwordFile, "the primary password of the profile that --into names"),
      .option(
        "resources-into", "DIR", \.resourcesInto, "take an app's files, too, into this folder or browser profile"),
      .options("listen", "ADDR:PORT", \.meeting.listen, "listen only there; port 0 is any free one"),
      .options("at", "HOST:PORT", \.meeting.at, "where the other machine listens"),
      .option(
        "resume", optional: "TRANSFER", \.meeting.resume, "go on with an open transfer", fits: MeetingOptions.isTransfer
      ),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    // A destination that cannot be written is said before a code is shown or used.
    let destination = try into.map { try Destination($0) }
    try waitUntilClosed(destination, context)
    try destination?.check(context)
    let files = try resourcesInto.map { try AppFiles.destination($0) }
    let transfer = try TransferRun(context, .importer, types: types)
    let outcome = try transfer.run(meeting) { meeting in
      try ImportSession(transfer.setting).run(meeting, resources: files, into: AppFiles.place)
    }
    let exit = transfer.close(outcome)
    if let destination { try deliver(outcome, to: destination, context) }
    return exit
  }

  private func waitUntilClosed(_ destination: Destination?, _ context: Context) throws {
    guard wait, case .profile(let profile) = destination else { return }
    try Interruption.shared.during { try profile.waitUntilClosed(context) }
  }

  private func deliver(_ outcome: TransferOutcome, to destination: Destination, _ context: Context) throws {
    do {
      let store = try context.openStore()
      // Only what this transfer has brought.
      var source =
        try store.journalEntry(token: outcome.token.bytes).map { store.source(entry: $0.number) } ?? store.source()
      let types = DataTypes(outcome.report.types.keys)
      switch destination {
      case .file(let file):
        let report = try file.write(source, types.intersection(file.types), profile: nil, dryRun: false)
        context.output.note("Written: \(visible(file.path))")
        context.output.report(report)
      case .profile(let profile):
        source.isPaged = true
        // Somebody may have opened it in the meantime.
        try waitUntilClosed(destination, context)
        let report = try Interruption.shared.during {
          try profile.deliver(source, types, profile: nil, dryRun: false, passwordFile: passwordFile, context)
        }
        context.output.note("It is in \(visible(profile.words)). wherry undo takes it back.")
        context.output.report(report)
      }
    } catch {
      var failure = Failure(of: error)
      failure.message = "Everything has arrived, but it could not be written: \(failure.message)"
      var again = "wherry export \(visible(into ?? ""))"
      if failure.exit == .wrongCode { again += " --password-file FILE" }
      if failure.exit == .inUse { again += " --wait" }
      failure.hint = again
      throw failure
    }
  }
}
