import Browsers
import BrowsingData

/// `sources`: the profiles that were found on this machine.
struct SourcesCommand: Command {
  static let name = "sources"
  static let summary = "show the browsers and profiles of this machine, with counts"
  static let details = """
    Profiles are only looked at. A path names a profile that is not found by itself. Chromium's are called after their
    folders; the name that the browser shows, in ‘’, does as well: chromium:NAME.
    """
  static var parameters: [Parameter<SourcesCommand>] { [] }

  func run(_ context: Context) throws -> ExitCode {
    let output = context.output
    let profiles = ProfileDiscovery.current().profiles()
    for reference in profiles {
      try Interruption.shared.check()
      let result = Result { try SourcesCommand.look(at: reference) }
      switch result {
      case .success(let (isOpen, counts, types)):
        output.event("source") { json in
          json.fields(of: reference)
          json.field("open", isOpen)
          json.key("types")
          json.counts(counts, of: types)
        }
        output.result(
          "\(output.resultStyle(visible(reference.source), .bold))  \(reference.browser.name), \(visible(reference.name))"
            + "\(SourcesCommand.title(of: reference))\(isOpen ? "  (open)" : "")  \(output.resultStyle(visible(reference.path), .dim))"
        )
        let words = types.each.filter { counts[$0] > 0 }.map { "\(grouped(counts[$0])) \($0.name)" }
        output.result("  \(words.isEmpty ? "nothing in it" : list(words))")
      case .failure(let error):
        let failure = Failure(of: error)
        output.event("source") { json in
          json.fields(of: reference)
          json.key("types")
          json.object { _ in }
          json.field("problem", failure.message)
        }
        output.result("\(visible(reference.source))  \(visible(reference.path))")
        output.result("  cannot be read: \(failure.message)")
      }
    }
    if profiles.isEmpty {
      output.note("No browser profile was found. A path names one: wherry import /path/to/profile")
    }
    return .done
  }

  /// What its owner calls it, where that is another name.
  private static func title(of reference: ProfileReference) -> String {
    reference.title == reference.name ? "" : " \(quoted(reference.title))"
  }

  private static func look(at reference: ProfileReference) throws -> (Bool, RecordCounts, DataTypes) {
    let profile = try reference.open()
    return (profile.isOpen, try profile.counts(), profile.types)
  }
}

extension JSONWriter {
  fileprivate mutating func fields(of reference: ProfileReference) {
    field("source", reference.source)
    field("browser", reference.browser.word)
    field("profile", reference.name)
    field("title", reference.title)
    field("path", reference.path)
  }
}
