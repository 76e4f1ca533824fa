import BrowsingData
import Channel
import Glibc
import Store
import Synchronization
import Transfer

/// What `send` and `receive` have in common: how the two ends meet, what a failure means, and the closing report.
struct TransferRun {
  let context: Context
  let role: SessionPerson.Role
  let person: SessionPerson
  let setting: SessionSetting
  let stop = StopSignal()

  init(_ context: Context, _ role: SessionPerson.Role, types: DataTypes?) throws {
    self.context = context
    self.role = role
    person = SessionPerson(role, context, types: types)
    setting = SessionSetting(
      home: try context.openHome(), name: TransferRun.deviceName, software: "wherry \(Program.version)", person: person,
      stop: stop)
  }

  /// The command.
  private var verb: String {
    switch role {
    case .exporter: "send"
    case .importer: "receive"
    case .device: "pair"
    }
  }

  /// Runs the session, again with another code where the person wants that; gives what came of it.
  func run<Outcome>(_ options: MeetingOptions, _ session: (Meeting) throws -> Outcome) throws -> Outcome {
    var meeting = try options.meeting(context, role)
    while true {
      do {
        let outcome = try Interruption.shared.during(stop: { [stop] in stop.stop() }) { try session(meeting) }
        person.finish()
        return outcome
      } catch let error as TransferError {
        person.finish()
        guard error.code == .wrongCode, let next = try another(after: error, meeting, options) else {
          throw explained(error)
        }
        meeting = next
      }
    }
  }

  /// A new try after a code that was wrong or is dead; nil when the person wants none.
  private func another(after error: TransferError, _ meeting: Meeting, _ options: MeetingOptions) throws -> Meeting? {
    guard context.prompts.canAsk, !context.options.yes else { return nil }
    context.output.note(visible(error.message))
    switch meeting {
    case .showing: return context.prompts.agrees("Show a new code?", preset: true) ? meeting : nil
    case .answering:
      let input = CodeInput(context: context, at: options.at)
      guard let text = input.again() else { return nil }
      return .answering(try input.answer(to: text))
    case .resuming: return nil
    }
  }

  private func explained(_ error: TransferError) -> Failure {
    if error.code == .declined, let refusal = person.refusal { return refusal }
    var failure = Failure(of: error)
    if error.isResumable, person.hasMet, role != .device {
      let room = error.code == .noSpace ? "Make room on the disk that is full, then go on" : "Go on"
      failure.hint = "\(room) with: wherry \(verb) --resume"
    }
    if error.code == .stopped, !person.hasMet { failure.hint = nil }
    return failure
  }

  /// The closing report, and the exit status that goes with it.
  func close(_ outcome: TransferOutcome) -> ExitCode {
    var report = outcome.report
    // The importer's figures have come, not its lines.
    for (type, count) in outcome.skippedThere.sorted(by: { $0.key < $1.key }) {
      report.remarks.append(
        Remark(.skipped, type: type, reason: "\(counted(count, "record")) skipped there; the other side lists them"))
    }
    context.output.note("")
    context.output.report(report, transfer: outcome.token.description)
    if role == .importer, report.types.values.contains(where: { $0.added > 0 || $0.changed > 0 }) {
      context.output.note("It is in the store here: wherry list TYPE shows it, wherry undo takes it back.")
    }
    if !outcome.isConfirmed {
      context.output.warning("Everything is here, but the other side has not heard so.")
    }
    return Output.exit(for: report)
  }

  /// How this device calls itself.
  static var deviceName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "a Wherry device" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The options that say how two ends meet.
struct MeetingOptions {
  var code: [String] = []
  var at: [Endpoint] = []
  var listen: [Endpoint] = []
  var resume: String?

  /// What they amount to. On a terminal `receive` without a code asks for one first.
  func meeting(_ context: Context, _ role: SessionPerson.Role) throws -> Meeting {
    if let resume {
      if !code.isEmpty { throw UsageError("--resume needs no code.") }
      return .resuming(resume.isEmpty ? nil : resume, at: at, listen: listen)
    }
    let input = CodeInput(context: context, at: at)
    if let text = try input.text(code, promptsWhenMissing: role != .exporter || !at.isEmpty) {
      if !listen.isEmpty { throw UsageError("The side that has a code does not listen: leave out --listen.") }
      return .answering(try input.answer(to: text))
    }
    if !at.isEmpty { throw UsageError("--at needs the code that is shown there.") }
    return .showing(listen: listen)
  }

  /// Whether a word can be a transfer: a UUID or its first eight digits.
  static func isTransfer(_ word: String) -> Bool {
    let digits = word.filter { $0 != "-" }
    return (8...32).contains(digits.count) && digits.allSatisfy(\.isHexDigit) && digits.count != 10
  }
}

extension Endpoint: ArgumentValue {
  static func read(_ text: String, of name: String) throws(UsageError) -> Endpoint {
    guard let endpoint = Endpoint(text) else {
      throw UsageError(
        "\(name) needs an address and a port, not \(quoted(text)).",
        hint: "For example 192.0.2.7:40123, [::1]:0 or :40123.")
    }
    return endpoint
  }
}
