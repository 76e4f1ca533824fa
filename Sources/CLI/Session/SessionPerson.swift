import BrowsingData
import Channel
import Synchronization
import Transfer

/// The person at this end of a transfer or a pairing: is shown what happens, chooses, and agrees. Without a terminal, or with
/// `--yes`, the options decide instead.
final class SessionPerson: TransferPerson {
  /// Which end this is.
  enum Role: Sendable { case exporter, importer, device }

  private struct State {
    var device: TransferDevice?
    var refusal: Failure?
  }
  private let role: Role
  private let output: Output
  private let prompts: Prompts
  private let types: DataTypes?
  private let isAgreed: Bool
  private let progress: ProgressDisplay
  private let state = Mutex(State())

  init(_ role: Role, _ context: Context, types: DataTypes?) {
    self.role = role
    output = context.output
    prompts = context.prompts
    self.types = types
    isAgreed = context.options.yes
    progress = ProgressDisplay(context.output)
  }

  /// Why this end said no; nil when it did not, or when a person did.
  var refusal: Failure? { state.withLock { $0.refusal } }

  /// Whether the other side was there, so that there is something to resume.
  var hasMet: Bool { state.withLock { $0.device != nil } }

  /// The transfer is over: leaves the bars where they are.
  func finish() { progress.finish() }

  func hear(_ event: TransferEvent) {
    switch event {
    case .listening(let addresses): heardListening(addresses)
    case .code(let code, let uri): show(code, uri)
    case .connected(let device, let isResumed): heardConnected(device, isResumed)
    case .offer(let counts, let device): heardOffer(counts, device)
    case .chosen(let types): heardChosen(types)
    case .progress(let type, let done, let total, let bytes):
      progress.update(type, done: done, total: total, bytes: bytes)
    case .interrupted(let reason, let retryIn): heardInterrupted(reason, retryIn)
    case .warning(let text): output.warning(visible(text))
    }
  }

  private func heardListening(_ addresses: [String]) {
    output.event("listening") { json in
      json.key("addresses")
      json.array { json in for address in addresses { json.value(address) } }
    }
    output.note("Listening on \(list(addresses)).")
  }

  private func heardConnected(_ device: TransferDevice, _ isResumed: Bool) {
    state.withLock { $0.device = device }
    output.event("connected") { json in
      json.device(device)
      json.field("resumed", isResumed)
    }
    output.note("\(isResumed ? "Connected again" : "Connected") to \(name(device)).")
  }

  private func heardOffer(_ counts: [DataType: Int], _ device: TransferDevice) {
    output.event("offer") { json in
      json.key("types")
      json.object { json in
        for (type, count) in counts.sorted(by: { $0.key < $1.key }) {
          json.key(type.name)
          json.object { $0.field("count", count) }
        }
      }
      json.device(device)
    }
    if role == .importer { output.note("\(name(device)) offers:") } else { output.note("Offered to \(name(device)):") }
    if role == .exporter || !asks { for line in SessionPerson.lines(counts) { output.note(line) } }
  }

  private func heardChosen(_ types: DataTypes) {
    output.event("chosen") { json in
      json.key("types")
      json.array { json in for type in types.each { json.value(type.name) } }
    }
    let words = list(types.each.map(\.name))
    output.note(role == .importer ? "Taking \(words)." : "The other side takes \(words).")
  }

  private func heardInterrupted(_ reason: String, _ retryIn: Int) {
    output.event("interrupted") { json in
      json.field("reason", reason)
      json.field("retry_in_ms", retryIn)
    }
    let next =
      retryIn > 0
      ? "Trying again in \(ProgressDisplay.duration((retryIn + 999) / 1000))." : "Waiting for the other side."
    output.note("Interrupted: \(sentence(visible(reason))) \(next)")
  }

  // MARK: - Decisions

  /// Whether the importer's person is asked what to take.
  private var asks: Bool { types == nil && !isAgreed && prompts.canAsk }

  func choose(from offer: [DataType: Int], of device: TransferDevice) -> DataTypes? {
    let offered = DataTypes(offer.keys)
    if asks {
      var checklist = Checklist(offer)
      guard let ticked = checklist.ask(output), !ticked.isEmpty else { return nil }
      return ticked
    }
    let wanted = types ?? .withoutSecrets
    let taken = wanted.intersection(offered)
    for type in types?.subtracting(offered).each ?? [] { output.warning("The other side has no \(type.name) to give.") }
    if taken.isEmpty {
      refuse(Failure(.declined, "The other side offers nothing of what was asked for.", hint: "See --types."))
      return nil
    }
    return taken
  }

  func grants(
    _ types: DataTypes, wantsSecrets: Bool, counts: [DataType: Int], to device: TransferDevice
  ) -> DataTypes? {
    var granted = types
    if isAgreed {
      // To agree ahead is not to agree to secrets: for these both ends name them.
      let named = wantsSecrets ? self.types ?? [] : []
      let withheld = types.intersection(.secrets).subtracting(named)
      if !withheld.isEmpty {
        output.warning("\(list(withheld.each.map(\.name))) stay here: --types does not name them on both sides.")
      }
      granted = types.subtracting(withheld)
    }
    let words = list(granted.each.map { type in counts[type].map { "\(grouped($0)) \(type.name)" } ?? type.name })
    if isAgreed {
      if granted.isEmpty {
        refuse(Failure(.declined, "Nothing of what the other side wants may leave.", hint: "See --types."))
      }
      if !granted.isEmpty { output.note("Sending \(words) to \(name(device)).") }
      return granted
    }
    guard prompts.canAsk else {
      refuse(
        Failure(
          .declined, "\(visible(device.name)) wants \(words), and nobody can agree here.",
          hint: "Add --yes to agree ahead."))
      return nil
    }
    let secrets = granted.intersection(.secrets)
    if !secrets.isEmpty {
      output.warning("\(list(secrets.each.map(\.name))) are among them; the other side will be able to read them.")
    }
    return prompts.agrees("Send \(words) to \(name(device))?", preset: secrets.isEmpty) ? granted : nil
  }

  private func refuse(_ failure: Failure) { state.withLock { $0.refusal = failure } }

  private func name(_ device: TransferDevice) -> String {
    "\(output.style(visible(device.name), .bold)) (\(device.id.prefix(8)))"
  }

  private static func lines(_ counts: [DataType: Int]) -> [String] {
    let names = counts.keys.map(\.name.count).max() ?? 0
    let numbers = counts.values.map { grouped($0).count }.max() ?? 0
    return counts.sorted { $0.key < $1.key }.map {
      "  \(padded($0.key.name, to: names))  \(aligned(grouped($0.value), to: numbers))"
    }
  }

  // MARK: - The code

  /// The only place that shows a code: to the person and in the `code` event.
  private func show(_ code: PairingCode, _ uri: String) {
    output.event("code") { json in
      json.field("code", code.shown)
      json.field("uri", uri)
    }
    // Standard error of a script may be a log: there the event is enough.
    if output.isJSON && !Terminal.isShown { return }
    let verb =
      switch role {
      case .exporter: "receive"
      case .importer: "send"
      case .device: "pair"
      }
    let size = Terminal.size
    var lines = [""]
    if Terminal.isShown {
      for part in LargeDigits.parts(code.shown, columns: size.columns - 4) {
        lines += LargeDigits.lines(part).map { "   \(output.style($0, .bold))" } + [""]
      }
    }
    lines.append("   Code:  \(output.style(code.shown, .bold))")
    lines += ["", "On the other machine:  wherry \(verb)  and type the code. It is good for ten minutes and once.", ""]
    // Above the code, so that the code stays in sight; left out where the code would not.
    if Terminal.isShown, let code = QRCode(uri) {
      let drawing = code.lines(isColored: output.isStyled)
      if code.width + 8 <= size.columns, drawing.count + lines.count + 3 <= size.rows {
        lines = [""] + drawing.map { "   \($0)" } + lines
      }
    }
    for line in lines { output.note(line) }
  }
}

extension JSONWriter {
  /// The device at the other end.
  mutating func device(_ device: TransferDevice) {
    key("device")
    object { json in
      json.field("id", device.id)
      json.field("name", device.name)
    }
  }
}
