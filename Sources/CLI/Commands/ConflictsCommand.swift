import BrowsingData
import Store

/// `conflicts`: values that a merge could not show, since another one is shown.
struct ConflictsCommand: Command {
  var action: String?
  var number: Int?
  var reveal = false
  var keep: String?

  static let name = "conflicts"
  static let summary = "show what a merge could not decide without losing something, and decide"
  static let details = """
    conflicts list              all that are open
    conflicts show ID           one of them, with both values
    conflicts resolve ID --keep shown|other
    """
  static var parameters: [Parameter<ConflictsCommand>] {
    [
      .operand("list|show|resolve", \.action, "what to do (default: list)"),
      .operand("ID", \.number, "the number of the conflict"),
      .option("keep", "VALUE", \.keep, "shown: keep what is shown; other: show the other value from now on"),
      .flag("reveal", \.reveal, "show secret values, too"),
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
    let isShown = reveal || !conflict.isSecret
    output.event("conflict") { json in
      json.field("id", Int(conflict.number))
      json.field("type", conflict.record.type.name)
      json.field("record", conflict.record.shownID.description)
      json.field("field", conflict.field)
      json.field("at", conflict.at)
      if case .login(let login) = conflict.record {
        json.field("url", login.url)
        json.field("username", login.username)
      }
      if isShown {
        json.field("shown", conflict.shown)
        json.field("other", conflict.value)
      }
    }
    output.result(
      "\(aligned(String(conflict.number), to: 4))  \(time(conflict.at))  \(conflict.record.type.name)  "
        + "\(fitted(visible(ConflictsCommand.title(of: conflict.record)), to: 40))  two values of \(conflict.field)")
    if isShown, action == "show" || reveal {
      output.result("      shown: \(visible(conflict.shown ?? "(none)"))")
      output.result("      other: \(visible(conflict.value))")
    }
  }

  /// What a person knows the record by.
  private static func title(of record: Record) -> String {
    switch record {
    case .bookmark(let bookmark): bookmark.title
    case .historyVisit(let visit): visit.url
    case .readingListItem(let item): item.title
    case .browserExtension(let item): item.name
    case .login(let login): "\(login.url)  \(login.username)"
    case .paymentCard: "a card"
    }
  }
}

extension Conflict {
  /// Whether its values are shown only on demand.
  var isSecret: Bool { record.type.isSecret && !["url", "username", "title"].contains(field) }
}
