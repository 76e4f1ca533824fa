import BrowsingData
import Channel
import Store
import Transfer

/// `sync`: this machine and the paired ones in step.
struct SyncCommand: Command {
  var devices: [String] = []
  var watch = false
  var types: DataTypes?
  var listen: [Endpoint] = []
  var at: [Endpoint] = []
  var force = false
  var install = false
  var uninstall = false

  static let name = "sync"
  static let summary = "bring this machine and the paired ones in step, once or for as long as it runs"
  static let details = """
    Without --watch it is one round with every paired machine that can be reached. With --watch it stays, listens,
    reconnects, and sends a change within two seconds. --install makes a service of that, --uninstall ends it.
    """
  static var parameters: [Parameter<SyncCommand>] {
    [
      .operands("DEVICE", \.devices, "only these paired machines: names, or first digits of IDs"),
      .flag("watch", \.watch, "stay, listen and reconnect"),
      .option("types", "TYPES", \.types, "only these, this time; secrets flow only if both sides name them"),
      .options("listen", "ADDR:PORT", \.listen, "listen there; port 0 is the one of last time, or any free one"),
      .options("at", "HOST:PORT", \.at, "where the other machine listens"),
      .flag("force", \.force, "go on although more would be deleted or changed than without asking"),
      .flag("install", \.install, "run sync --watch as a service of this user (systemd)"),
      .flag("uninstall", \.uninstall, "end and remove that service"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    if install || uninstall {
      guard install != uninstall, devices.isEmpty, !watch, listen.isEmpty, at.isEmpty else {
        throw UsageError("--install and --uninstall stand alone.")
      }
      let unit = try SyncUnit(context)
      return install ? try unit.install() : try unit.uninstall()
    }
    let home = try context.openHome()
    let chosen = try chosenDevices(context)
    guard let lock = try SyncLock(home) else { return try whileAnotherRuns(chosen, context) }
    defer { lock.release() }
    let store = try context.openStore()
    let profiles = AttachedProfiles(context, force: force)
    let isAlone = try chosen.isEmpty && !store.attachments().isEmpty
    let run = try TransferRun(context, .device, types: nil)
    let speaker = SyncSpeaker(context.output, isWatching: watch)
    let plan = SyncPlan(
      devices: devices.isEmpty ? nil : chosen.compactMap(\.id), stays: watch, listen: listen, at: at, types: types,
      force: force)
    let session = SyncSession(run.setting, plan, observer: speaker)
    if watch { return try stay(session, speaker, run, context) }
    let outcomes = try Interruption.shared.during(stop: { run.stop.stop() }) {
      profiles.scanAll(store)
      // Attached profiles alone are in step with the store, too.
      let outcomes = isAlone ? [] : try session.run()
      profiles.deliverAll(store)
      return outcomes
    }
    if outcomes.isEmpty { return .done }
    return try end(outcomes, context)
  }

  private func stay(
    _ session: SyncSession, _ speaker: SyncSpeaker, _ run: TransferRun, _ context: Context
  ) throws -> ExitCode {
    let keeper = ProfileKeeper(context, force: force)
    try keeper.begin()
    defer { keeper.end() }
    speaker.begin(stop: run.stop)
    _ = try Interruption.shared.during(stop: { run.stop.stop() }) { try session.run() }
    return .done
  }

  private func chosenDevices(_ context: Context) throws -> [Peer] {
    let all = try DeviceBook(try context.openStore()).all()
    let known = all.filter { !$0.isRevoked }
    if devices.isEmpty {
      if known.isEmpty, !watch, let former = all.last { throw SyncCommand.former(former) }
      return known
    }
    return try devices.map { word in
      if let former = all.first(where: { $0.isRevoked && $0.name.lowercased() == word.lowercased() }),
        !known.contains(where: { $0.name.lowercased() == word.lowercased() })
      {
        throw SyncCommand.former(former)
      }
      return try DevicesCommand.find(word, among: known)
    }
  }

  private static func former(_ peer: Peer) -> Failure {
    Failure(
      .untrusted, "\(visible(peer.name)) is no longer paired: the pairing was ended here or there.",
      hint: "wherry pair, here and there, makes the two know each other again.")
  }

  /// A sync that stays has all connections; a second one would only be in its way.
  private func whileAnotherRuns(_ devices: [Peer], _ context: Context) throws -> ExitCode {
    if watch || force {
      throw Failure(
        .inUse, "wherry sync runs already for this home.",
        hint: "End it first: Ctrl-C there, or wherry sync --uninstall.")
    }
    context.output.note("wherry sync --watch runs already and keeps this machine in step.")
    for peer in devices { DevicesCommand.show(peer, context) }
    return .done
  }

  private func end(_ outcomes: [SyncOutcome], _ context: Context) throws -> ExitCode {
    var report = ApplyReport()
    for outcome in outcomes { report.add(outcome.report) }
    let good = outcomes.filter { $0.failure == nil }
    var bad = outcomes.filter { $0.failure != nil }
    // Whoever answers at an address that was named is one of the devices; the others were not meant.
    if !at.isEmpty, !good.isEmpty, devices.isEmpty { bad = [] }
    let isFailure = good.isEmpty || !devices.isEmpty
    for outcome in bad.dropFirst(isFailure ? 1 : 0) {
      if let error = outcome.failure {
        context.output.warning("\(visible(outcome.peer.name)): \(visible(error.message)) \(visible(error.hint))")
      }
    }
    for outcome in good { context.output.event("device") { $0.fields(of: outcome.peer) } }
    if !good.isEmpty { context.output.report(report) }
    if isFailure, let first = bad.first, let error = first.failure {
      var failure = Failure(of: error)
      failure.message = "\(visible(first.peer.name)): \(failure.message)"
      throw failure
    }
    return Output.exit(for: report)
  }
}
