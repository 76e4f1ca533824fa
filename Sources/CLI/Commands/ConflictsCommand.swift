import BrowsingData
import Store

/// `conflicts`: values that a merge could not show, since another one is shown.
struct ConflictsCommand: Command {
  var action: String?
  var number: Int?
  var reveal = false
  var keep: String?

  static let name = "conflicts"
  static let summary = "show what an import could not decide without losing something, and decide"
  static let details = """
    conflicts list              all that are open
    conflicts show ID           one of them
    conflicts resolve ID --keep shown|other
    """
  static var parameters: [Parameter<ConflictsCommand>] {
    [
      .operand("list|show|resolve", \.action, "what to do (default: list)"),
      .operand("ID", \.number, "the number of the conflict"),
      .option("keep", "VALUE", \.keep, "shown: keep what is shown; other: show the other value from now on"),
      .flag("reveal", \.reveal, "show the values"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    let store = try context.openStore()
    switch action ?? "list" {
    case "list":
      let conflicts = try store.conflicts()
      for conflict in conflicts { say(conflict, context) }
      if conflicts.isEmpty { context.output.note("Nothing is in conflict.") }
    case "show": say(try find(in: store), context)
    case "resolve":
      let conflict = try find(in: store)
      guard let keep, ["shown", "other"].contains(keep) else {
        throw UsageError("--keep shown or --keep other says which value is to stay.")
      }
      try store.resolveConflict(conflict.number, keepingShown: keep == "shown")
      context.output.note("Decided.")
    case let other:
      let words = ["list", "show", "resolve"]
      throw UsageError("conflicts does not know \(quoted(other)).\(suggestion(for: other, among: words))")
    }
    return .done
  }

  private func find(in store: RecordStore) throws -> Conflict {
    guard let number else { throw UsageError("ID is missing.") }
    guard let conflict = try store.conflicts().first(where: { $0.number == Int64(number) }) else {
      throw Failure(.notFound, "There is no open conflict \(number).", hint: "wherry conflicts lists them.")
    }
    return conflict
  }

  private func say(_ conflict: Conflict, _ context: Context) {
    let output = context.output
    let record = conflict.record
    output.event("conflict") { json in
      json.field("id", Int(conflict.number))
      json.field("type", record.type.name)
      json.field("record", record.shownID.description)
      json.field("field", conflict.field)
      json.field("at", conflict.at)
      if case .login(let login) = record {
        json.field("url", login.url)
        json.field("username", login.username)
        if reveal {
          json.field("shown", ConflictsCommand.value(of: conflict.field, in: login))
          json.field("other", conflict.value)
        }
      }
    }
    guard case .login(let login) = record else { return }
    output.result(
      "\(aligned(String(conflict.number), to: 4))  \(time(conflict.at))  \(visible(login.url))  \(visible(login.username))  "
        + "two values of \(conflict.field)")
    if reveal {
      output.result("      shown: \(visible(ConflictsCommand.value(of: conflict.field, in: login) ?? ""))")
      output.result("      other: \(visible(conflict.value))")
    }
  }

  private static func value(of field: String, in login: Login) -> String? {
    switch field {
    case "password": login.password
    case "otpauth": login.otpauth
    case "notes": login.notes
    case _: nil
    }
  }
}
