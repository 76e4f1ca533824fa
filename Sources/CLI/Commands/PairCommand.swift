import BrowsingData
import Store
import Transfer

/// `pair`: makes two devices know each other.
struct PairCommand: Command {
  var meeting = MeetingOptions()
  var deviceName: String?
  var types: DataTypes?
  var newIdentity = false

  static let name = "pair"
  static let summary = "make this machine and another one know each other, to keep them in step"
  static let details = """
    Without CODE this machine shows one and listens. Afterwards `wherry sync` on both keeps them in step.
    CODE may be - to be asked for it, and WHERRY_CODE_FILE may name a file that holds it.
    """
  static var parameters: [Parameter<PairCommand>] {
    [
      .operands("CODE", \.meeting.code, "the code shown on the other machine"),
      .options("listen", "ADDR:PORT", \.meeting.listen, "listen only there; port 0 is any free one"),
      .options("at", "HOST:PORT", \.meeting.at, "where the other machine listens"),
      .option("name", "NAME", \.deviceName, "what to call the other machine here"),
      .option(
        "types", "TYPES", \.types, "what to keep in step (default: all but passwords and cards, which both must name)"),
      .flag(
        "new-identity", \.newIdentity, "first become another machine: for a copy, which must not use the original's key"
      ),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    if newIdentity { try becomeAnother(context) }
    let run = try TransferRun(context, .device, types: types)
    let peer = try run.run(meeting) { meeting in
      try PairingSession(run.setting, types: types ?? .withoutSecrets, name: deviceName).run(meeting)
    }
    context.output.event("device") { $0.fields(of: peer) }
    context.output.result("Paired with \(visible(peer.name)) (\(peer.shownID.prefix(8))).")
    context.output.note("Keep the two in step: wherry sync, on both; wherry sync --install does it for good.")
    return .done
  }

  private func becomeAnother(_ context: Context) throws {
    let home = try context.openHome()
    guard let lock = try SyncLock(home) else {
      throw Failure(.inUse, "wherry sync runs for this home.", hint: "Stop it, then pair again.")
    }
    defer { lock.release() }
    guard try context.agrees("Forget all paired machines here, and become another one for them?") else {
      throw Failure(.declined, "Nothing was changed.")
    }
    try NewIdentity.take(home)
    context.output.note("This machine has a new identity. Pair it with each of the others again.")
  }
}

extension Peer {
  /// Its key's hash, in hexadecimal.
  var shownID: String { hexadecimal(keyHash) }
}

extension JSONWriter {
  /// A paired device.
  mutating func fields(of peer: Peer) {
    field("id", peer.shownID)
    field("name", peer.name)
    field("paired_at", peer.pairedAt)
    if let last = peer.lastSync { field("last_sync", last) }
    field("types", peer.types.each.map(\.name))
    field("direction", peer.direction.word)
    if let hold = peer.hold {
      key("held")
      object { json in
        json.field("type", hold.type.name)
        json.field("affected", hold.affected)
        json.field("existing", hold.existing)
        json.field("since", hold.since)
      }
    }
  }
}
