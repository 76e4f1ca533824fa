import Store

/// `undo`: takes back an import or a transfer.
struct UndoCommand: Command {
  var entry: Int?

  static let name = "undo"
  static let summary = "take back one import or transfer, the last one when none is named"
  static let details =
    "Records that were changed since stay as they are and are listed. `wherry status` shows the entries."
  static var parameters: [Parameter<UndoCommand>] {
    [.operand("ID", \.entry, "the number of the entry")]
  }

  func run(_ context: Context) throws -> ExitCode {
    let store = try context.openStore()
    let report = try Interruption.shared.during { try store.undo(entry: entry.map(Int64.init)) }
    context.output.report(report)
    return Output.exit(for: report)
  }
}
