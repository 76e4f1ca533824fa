import BrowsingData
import Foundation
import Store

/// Runs two devices against each other and tells what is seen.
struct Demonstration {
  private let context: Context
  private let output: Output
  private let folder: String
  private let isPaced: Bool

  init(_ context: Context, folder: String) {
    self.context = context
    self.folder = folder
    output = context.output
    isPaced = context.output.isStyled && !context.options.yes
  }

  private var oldHome: String { folder + "/old" }
  private var newHome: String { folder + "/new" }

  /// Shows all of it.
  func run() throws -> ExitCode {
    let sample = try DemoSample(in: folder)
    say(
      """
      Two devices on this machine, each with a home of its own. The old one has a small sample:
      bookmarks with folders, 2,000 visits, an extension, three passwords, a card.
      It sends, the new one receives, over the same encrypted channel as between machines.
      """)
    let sending = try DemoDevice(
      ["send", "--types", "all", "--listen", "127.0.0.1:0"] + sample.paths.flatMap { ["--from", $0] }, home: oldHome)
    defer { sending.stop() }
    let (address, code) = try open(sending)
    let codeFile = folder + "/code"
    _ = FileManager.default.createFile(
      atPath: codeFile, contents: Data(code.utf8), attributes: [.posixPermissions: 0o600])
    step("new", "wherry receive", "The code is typed in there. Both prove that they know it, without sending it.")
    let receiving = try DemoDevice(
      ["receive", "--types", "all", "--at", address], home: newHome, environment: ["WHERRY_CODE_FILE": codeFile])
    defer { receiving.stop() }
    try follow(receiving)
    let exits = (receiving.end(), sending.end())
    guard exits == (0, 0) else {
      output.note(visible(receiving.said + sending.said))
      throw Failure(
        .failed, "The transfer failed (exit \(exits.0) and \(exits.1)).", hint: "wherry doctor may know why.")
    }
    try compare(sample)
    tellHowToGoOn()
    return .done
  }

  private func say(_ text: String) { output.note(text) }

  private func step(_ device: String, _ command: String, _ text: String) {
    pause(1)
    output.note("")
    output.note("\(output.style("[\(device) device]", .blue)) \(output.style("$ \(command)", .bold))")
    output.note(text)
  }

  /// Time to read, for a person.
  private func pause(_ seconds: UInt32) { if isPaced { sleep(seconds) } }

  /// The old device listens and shows its code.
  private func open(_ device: DemoDevice) throws -> (address: String, code: String) {
    guard let address = (device.next("listening")?["addresses"] as? [String])?.first,
      let event = device.next("code"), let code = event["code"] as? String
    else {
      _ = device.end()
      output.note(visible(device.said))
      throw Failure(.failed, "The sending device did not start.", hint: "wherry doctor may know why.")
    }
    step("old", "wherry send --from firefox", "It listens on \(address) and shows a code:")
    output.note("")
    if Terminal.isShown {
      for part in LargeDigits.parts(code, columns: Terminal.size.columns - 4) {
        for line in LargeDigits.lines(part) + [""] { output.note("   \(output.style(line, .bold))") }
      }
    }
    output.note("   Code:  \(output.style(code, .bold))")
    output.event("code") { json in
      json.field("code", code)
      json.field("uri", event["uri"] as? String)
    }
    pause(2)
    return (address, code)
  }

  /// The new device from the connection to its report.
  private func follow(_ device: DemoDevice) throws {
    let progress = ProgressDisplay(output)
    while let event = device.next() {
      try Interruption.shared.check()
      switch event["event"] as? String {
      case "connected": say("\nConnected. The old device offers:")
      case "offer": showOffer(event)
      case "chosen": showChoice(event)
      case "progress":
        guard let type = (event["type"] as? String).flatMap(DataType.init(name:)) else { continue }
        progress.update(
          type, done: event["done"] as? Int ?? 0, total: event["total"] as? Int ?? 0, bytes: event["bytes"] as? Int ?? 0
        )
      case "report":
        progress.finish()
        say("\nThe new device reports, and both agree by count and digest:")
        output.report(Demonstration.report(event), transfer: event["transfer"] as? String)
        return
      case _: continue
      }
    }
  }

  private func showOffer(_ event: [String: Any]) {
    let offer = (event["types"] as? [String: [String: Int]] ?? [:]).compactMap { name, value in
      DataType(name: name).map { ($0, value["count"] ?? 0) }
    }
    let offered = Dictionary(offer) { first, _ in first }
    for line in Checklist(offered).lines(output).dropLast() { output.note(line) }
    pause(2)
    say("\nA person ticks what is wanted. Passwords and cards are never ticked beforehand. Here all is taken:")
    for line in Checklist(offered, preset: .all).lines(output).dropLast() { output.note(line) }
    pause(2)
  }

  private func showChoice(_ event: [String: Any]) {
    let types = list(event["types"] as? [String] ?? [])
    say("\nThe old device's person sees what is to leave it, and to whom, and agrees: \(types).")
    say("Then it flows, and counts what is safely stored at the new device:\n")
    pause(1)
  }

  private static func report(_ event: [String: Any]) -> ApplyReport {
    var report = ApplyReport()
    for (name, figures) in event["types"] as? [String: [String: Int]] ?? [:] {
      guard let type = DataType(name: name) else { continue }
      report[type].found = figures["found"] ?? 0
      report[type].added = figures["added"] ?? 0
      report[type].changed = figures["changed"] ?? 0
      report[type].unchanged = figures["unchanged"] ?? 0
      report[type].skipped = figures["skipped"] ?? 0
      report[type].conflicts = figures["conflicts"] ?? 0
    }
    return report
  }

  /// Whether the new device holds exactly what the sample holds.
  private func compare(_ sample: DemoSample) throws {
    let received = try RecordStore.open(home: try Home.open(newHome))
    let expected = try RecordStore.openTemporary(in: try Home.open(folder + "/judge"))
    let run = try expected.beginImport(ImportOptions(kind: .file, label: "sample"))
    let sources = Sources(context)
    for path in sample.paths { try sources.open(path).pour(nil, into: run, context) }
    _ = try run.finish()
    for type in DataType.stored {
      guard try Demonstration.records(type, of: received) == Demonstration.records(type, of: expected) else {
        throw Failure(.failed, "What has arrived differs from the sample in \(type.name).")
      }
    }
    say("\n\(output.style("Every field of every record has arrived as it left.", .green))")
  }

  private static func records(_ type: DataType, of store: RecordStore) throws -> Set<Record> {
    var records: Set<Record> = []
    try store.list(type) { record in
      // A card gets a new id each time it is read, so that no id tells of its number.
      if case .paymentCard(var card) = record {
        card.id = .other
        records.insert(.paymentCard(card))
      } else {
        records.insert(record)
      }
    }
    return records
  }

  private func tellHowToGoOn() {
    say("")
    say("With two machines in one network, type:")
    say("   on the old one:   \(output.style("wherry send --from firefox", .bold))")
    say("   on the new one:   \(output.style("wherry receive", .bold))")
    say("If the connection breaks:  wherry send --resume  and  wherry receive --resume.  wherry --help lists the rest.")
  }
}
