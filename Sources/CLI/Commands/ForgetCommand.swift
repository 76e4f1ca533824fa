import BrowsingData
import Store

/// `forget`: deletes visits here and on all paired devices.
struct ForgetCommand: Command {
  var host: String?
  var url: String?
  var all = false
  var since: PointInTime?
  var until: PointInTime?

  static let name = "forget"
  static let summary = "delete visits here and on all paired machines"
  static let details = """
    Exactly one of --host, --url and --all. T is a day (2025-05-16), a time (2025-05-16T18:03) or an age (2h, 7d).
    What is forgotten is never taken again, from anywhere. Visits that are made later stay.
    """
  static var parameters: [Parameter<ForgetCommand>] {
    [
      .option("host", "HOST", \.host, "all visits of this host"),
      .option("url", "URL", \.url, "all visits of this very address"),
      .flag("all", \.all, "all visits"),
      .option("since", "T", \.since, "only those since then"),
      .option("until", "T", \.until, "only those before then (default: now)"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    guard [host != nil, url != nil, all].count(where: { $0 }) == 1 else {
      throw UsageError("Exactly one of --host, --url and --all says what to forget.")
    }
    let now = WallClock.now
    let from = since?.microseconds(at: now) ?? 0, to = until?.microseconds(at: now) ?? now.microseconds
    guard from < to else { throw UsageError("--since must be before --until.") }
    let rule = try self.rule(from: from, to: to)
    let store = try context.openStore()
    guard try context.agrees("Forget \(visible(words)) here and on all paired machines?") else {
      throw Failure(.declined, "Nothing was forgotten.")
    }
    let report = try Interruption.shared.during { try store.forget([rule], label: words) }
    context.output.report(report)
    context.output.note("Paired machines forget it at the next sync.")
    return Output.exit(for: report)
  }

  private var words: String {
    if let host { return "the visits of \(host)" }
    if let url { return "the visits of \(url)" }
    return "all visits"
  }

  private func rule(from: Int64, to: Int64) throws -> ForgetRule {
    if let host {
      let name = host.lowercased()
      guard !name.contains(where: { "/@ ".contains($0) }), name.hasPrefix("[") || !name.contains(":") else {
        throw UsageError("--host needs a host's name, not \(quoted(host)).", hint: "For example example.org.")
      }
      return ForgetRule(.host, name, from: from, to: to)
    }
    if let url { return ForgetRule(.url, url, from: from, to: to) }
    return ForgetRule(.all, from: from, to: to)
  }
}
