import BrowsingData
import Store
import Transfer

/// `devices`: the paired devices.
struct DevicesCommand: Command {
  var action: String?
  var device: String?
  var newName: String?
  var types: DataTypes?
  var direction: String?

  static let name = "devices"
  static let summary = "list, rename or forget the paired machines"
  static let details = """
    devices list                    all that are paired
    devices rename DEVICE NAME      call it something else here
    devices set DEVICE --types …    keep other types in step with it, or --direction one way only
    devices forget DEVICE           end the pairing; what it brought stays
    DEVICE is a name, or the first digits of an ID.
    """
  static var parameters: [Parameter<DevicesCommand>] {
    [
      .operand("list|rename|set|forget", \.action, "what to do (default: list)"),
      .operand("DEVICE", \.device, "which one"),
      .operand("NAME", \.newName, "its new name"),
      .option("types", "TYPES", \.types, "what to keep in step with it; secrets flow only if both sides name them"),
      .option("direction", "WAY", \.direction, "both, send (only to it) or receive (only from it)"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    let store = try context.openStore()
    let book = DeviceBook(store)
    switch action ?? "list" {
    case "list": try showAll(book, context)
    case "rename":
      guard let newName else { throw UsageError("NAME is missing.") }
      try book.rename(try chosen(book), to: newName)
      context.output.note("Renamed.")
    case "set":
      var peer = try chosen(book)
      guard types != nil || direction != nil else { throw UsageError("--types or --direction says what to change.") }
      if let types { peer.types = types }
      if let direction { peer.direction = try SyncDirection(word: direction) }
      try store.save(peer)
      DevicesCommand.show(peer, context)
    case "forget": try forget(try chosen(book), book, context)
    case let other:
      let words = ["list", "rename", "set", "forget"]
      throw UsageError("devices does not know \(quoted(other)).\(suggestion(for: other, among: words))")
    }
    return .done
  }

  private func showAll(_ book: DeviceBook, _ context: Context) throws {
    let devices = try book.devices()
    for peer in devices { DevicesCommand.show(peer, context) }
    if devices.isEmpty {
      context.output.note("No machine is paired. wherry pair, here and there, makes two know each other.")
    }
  }

  private func chosen(_ book: DeviceBook) throws -> Peer {
    guard let device else { throw UsageError("DEVICE is missing.") }
    return try DevicesCommand.find(device, among: try book.devices())
  }

  /// The device of this name, or whose ID begins so.
  static func find(_ text: String, among devices: [Peer]) throws -> Peer {
    let named = devices.filter { $0.name.lowercased() == text.lowercased() }
    let found =
      named.isEmpty && text.count >= 4 ? devices.filter { $0.shownID.hasPrefix(text.lowercased()) } : named
    guard let peer = found.first, found.count == 1 else {
      throw Failure(
        .notFound,
        found.isEmpty
          ? "No paired machine is called \(quoted(text))." : "\(quoted(text)) may be more than one machine.",
        hint: "wherry devices lists them.")
    }
    return peer
  }

  private func forget(_ peer: Peer, _ book: DeviceBook, _ context: Context) throws {
    let run = try TransferRun(context, .device, types: nil)
    context.output.detail("Telling \(visible(peer.name)) …")
    let hasHeard = Farewell(run.setting).say(to: peer)
    try book.revoke(peer)
    context.output.result("\(visible(peer.name)) is forgotten. What it brought stays.")
    if !hasHeard { context.output.note("It could not be reached now, and finds out when it next comes.") }
  }

  static func show(_ peer: Peer, _ context: Context) {
    context.output.event("device") { $0.fields(of: peer) }
    let last = peer.lastSync.map { "in step \(time($0))" } ?? "never in step yet"
    context.output.result(
      "\(context.output.resultStyle(visible(peer.name), .bold))  \(peer.shownID.prefix(8))  \(last)  "
        + list(peer.types.each.map(\.name)) + (peer.direction == .both ? "" : "  \(peer.direction.word) only"))
    if let hold = peer.hold {
      context.output.result(
        "  waits for you since \(time(hold.since)): \(grouped(hold.affected)) of \(grouped(hold.existing)) "
          + "\(hold.type.name) would go or change.  wherry sync --force lets it go on")
    }
  }
}

extension SyncDirection {
  /// The word of the command line.
  var word: String {
    switch self {
    case .both: "both"
    case .sendOnly: "send"
    case .receiveOnly: "receive"
    }
  }

  init(word: String) throws(UsageError) {
    guard let found = SyncDirection.allCases.first(where: { $0.word == word }) else {
      throw UsageError("--direction is both, send or receive, not \(quoted(word)).")
    }
    self = found
  }
}
