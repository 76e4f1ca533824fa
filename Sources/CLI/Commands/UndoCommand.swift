import Browsers
import Store

/// `undo`: takes back an import, a transfer, a sync or a delivery.
struct UndoCommand: Command {
  var entry: Int?
  var passwordFile: String?

  static let name = "undo"
  static let summary = "take back one import, transfer, sync or delivery, the last one when none is named"
  static let details = """
    Records that were changed since stay as they are and are listed. `wherry status` shows the entries. What was delivered
    into a profile is taken out of it: the browser must be closed.
    """
  static var parameters: [Parameter<UndoCommand>] {
    [
      .operand("ID", \.entry, "the number of the entry"),
      .option("password-file", "FILE", \.passwordFile, "the primary password of the profile; - reads standard input"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    let store = try context.openStore()
    let report = try Interruption.shared.during {
      let entry = try store.entryToTakeBack(self.entry.map(Int64.init))
      guard let delivery = try store.delivery(entry.number) else { return try store.undo(entry: entry.number) }
      guard let reference = ProfileDiscovery.recognise(path: delivery.profile) else {
        throw ProfileError.notFound(delivery.profile)
      }
      let profile = ProfileDestination(reference: reference, words: delivery.profile)
      return try profile.takeBack(entry, in: store, passwordFile: passwordFile, context)
    }
    context.output.report(report)
    return Output.exit(for: report)
  }
}
