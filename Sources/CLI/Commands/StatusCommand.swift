import BrowsingData
import Store
import Transfer

/// `status`: this device, its store, paired devices, open transfers, last entries.
struct StatusCommand: Command {
  static let name = "status"
  static let summary = "show the store, paired machines, open transfers and the last entries"
  static let details = ""
  static var parameters: [Parameter<StatusCommand>] { [] }

  func run(_ context: Context) throws -> ExitCode {
    let home = try context.openHome()
    let store = try context.openStore()
    let counts = try store.counts()
    let sessions = try store.sessions().filter { $0.state == .open || $0.state == .ending }
    let entries = try store.journal()
    let devices = try DeviceBook(store).devices()
    let profiles = try store.attachments()
    let output = context.output
    output.event("status") { json in
      json.field("home", home.data)
      json.key("types")
      json.counts(counts, of: .all)
      json.key("transfers")
      json.array { json in for session in sessions { json.object { $0.fields(of: session) } } }
      json.key("devices")
      json.array { json in for peer in devices { json.object { $0.fields(of: peer) } } }
      json.key("attached")
      json.array { json in for profile in profiles { json.object { $0.fields(of: profile) } } }
      json.key("entries")
      json.array { json in for entry in entries.prefix(100) { json.object { $0.fields(of: entry) } } }
    }
    output.result("Store: \(visible(store.path))")
    for type in DataType.stored where counts[type] > 0 {
      output.result("  \(padded(type.name, to: 14))\(aligned(grouped(counts[type]), to: 12))")
    }
    if DataType.stored.allSatisfy({ counts[$0] == 0 }) { output.result("  nothing yet") }
    if !sessions.isEmpty { output.result("Open transfers:") }
    for session in sessions {
      let verb = session.role == .exporter ? "send" : "receive"
      output.result(
        "  \(session.uuid.prefix(8))  \(list(session.types.each.map(\.name)))  since \(time(session.started)):"
          + "  wherry \(verb) --resume \(session.uuid.prefix(8))")
    }
    if !devices.isEmpty { output.result("Paired machines:") }
    for peer in devices {
      let last = peer.lastSync.map { "in step \(time($0))" } ?? "never in step yet"
      output.result("  \(visible(peer.name))  \(last)\(peer.hold == nil ? "" : "  waits for you: wherry devices")")
    }
    if !profiles.isEmpty { output.result("Attached profiles:") }
    for profile in profiles {
      let last = profile.lastScan.map { "looked through \(time($0))" } ?? "never looked through yet"
      output.result(
        "  \(visible(profile.words))  \(last)\(profile.hold.map { "  waits for you: \(visible($0))" } ?? "")")
    }
    if !entries.isEmpty { output.result("Last entries (wherry undo ID takes one back):") }
    for entry in entries.prefix(context.output.isVerbose ? 1000 : 10) { output.result("  \(line(entry))") }
    return .done
  }

  private func line(_ entry: JournalEntry) -> String {
    let state = entry.undoneBy != nil ? "  taken back" : entry.isDone ? "" : "  not complete"
    return "\(aligned(String(entry.number), to: 4))  \(time(entry.at))  \(padded(entry.kind.word, to: 8))  "
      + "\(fitted(visible(entry.label), to: 40))  \(list(changes(entry.figures)))\(state)"
  }
}

extension JournalEntry.Kind {
  /// What it is called.
  var word: String {
    switch self {
    case .file: "import"
    case .capture: "capture"
    case .transfer: "transfer"
    case .sync: "sync"
    case .edit: "edit"
    case .undo: "undo"
    case .delivery: "delivery"
    }
  }
}

extension Session {
  /// The transfer's UUID.
  var uuid: String {
    let digits = hexadecimal(token)
    guard digits.count == 32 else { return digits }
    var text = ""
    for (index, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(index) { text.append("-") }
      text.append(digit)
    }
    return text
  }
}

extension JSONWriter {
  fileprivate mutating func fields(of attachment: Attachment) {
    field("source", attachment.words)
    field("path", attachment.path)
    field("types", attachment.types.each.map(\.name))
    if let last = attachment.lastScan { field("last_scan", last) }
    if let last = attachment.lastDelivery { field("last_delivery", last) }
    if let hold = attachment.hold { field("held", hold) }
  }

  fileprivate mutating func fields(of session: Session) {
    field("transfer", session.uuid)
    field("role", session.role == .exporter ? "export" : "import")
    field("types", session.types.each.map(\.name))
    field("started", session.started)
    field("last_contact", session.lastContact)
  }

  fileprivate mutating func fields(of entry: JournalEntry) {
    field("id", Int(entry.number))
    field("kind", entry.kind.word)
    field("at", entry.at)
    field("label", entry.label)
    field("done", entry.isDone)
    if let undoneBy = entry.undoneBy { field("undone_by", Int(undoneBy)) }
    key("types")
    object { json in
      for (type, figures) in entry.figures.sorted(by: { $0.key < $1.key }) {
        json.key(type.name)
        json.object { json in
          json.field("added", figures.added)
          json.field("changed", figures.changed)
          json.field("removed", figures.removed)
        }
      }
    }
  }
}
