import BrowsingData
import Channel
import Store
import Synchronization
import Transfer

/// `send`: the exporter of a one-time transfer.
struct SendCommand: Command {
  var meeting = MeetingOptions()
  var from: [String] = []
  var types: DataTypes?
  var keep = false
  var passwordFile: String?
  var resources: String?

  static let name = "send"
  static let summary = "send to another machine; shows a code, or answers the one shown there"
  static let details = """
    Without CODE this machine shows one and listens. Passwords and cards are offered, and leave only when both sides agree.
    CODE may be - to be asked for it, and WHERRY_CODE_FILE may name a file that holds it.
    """
  static var parameters: [Parameter<SendCommand>] {
    [
      .operands("CODE", \.meeting.code, "the code shown on the other machine"),
      .options("from", "SOURCE", \.from, "what to send: firefox, a path … (default: the store); may be repeated"),
      .option("types", "TYPES", \.types, "offer only these; secrets move only when both sides name or tick them"),
      .options("listen", "ADDR:PORT", \.meeting.listen, "listen only there; port 0 is any free one"),
      .options("at", "HOST:PORT", \.meeting.at, "where the other machine listens"),
      .option(
        "resume", optional: "TRANSFER", \.meeting.resume, "go on with an open transfer", fits: MeetingOptions.isTransfer
      ),
      .flag("keep", \.keep, "keep in this store what was read for the transfer"),
      .option(
        "resources", "MANIFEST", \.resources,
        "files of an app: firefox, chromium, or a manifest in JSON; alone, only these"),
      .option("password-file", "FILE", \.passwordFile, "the primary password of the profile; - reads standard input"),
    ]
  }

  func run(_ context: Context) throws -> ExitCode {
    if meeting.resume != nil, !from.isEmpty || resources != nil {
      throw UsageError("--resume needs no \(from.isEmpty ? "--resources" : "--from"): it is known.")
    }
    let files = try resources.map { try AppFiles.export($0) }
    // Files alone: the store is not meant then.
    let offered = types ?? (files != nil && from.isEmpty ? [] : .all)
    let transfer = try TransferRun(context, .exporter, types: types)
    let sources = Sources(context, passwordFile: passwordFile)
    let faults = SourceFaults()
    let opened = try from.filter { $0 != Sources.store }.map { try sources.sendable($0, types, faults) }
    let outcome = try faults.explaining {
      try transfer.run(meeting) { meeting in
        let session = try ExportSession(
          transfer.setting, reopen: { words in try sources.sendable(words, nil, faults) }, explain: faults.explain)
        return try session.run(meeting, sources: opened, types: offered, keep: keep, resources: files)
      }
    }
    return transfer.close(outcome)
  }
}

/// Keeps what a source's error means to the person, while the session carries it in its own words.
final class SourceFaults: Sendable {
  private let last = Mutex<Failure?>(nil)

  /// The error in the words of a transfer.
  var explain: @Sendable (any Error) -> TransferError {
    { [self] error in
      if let error = error as? TransferError { return error }
      let failure = Failure(of: error)
      last.withLock { $0 = failure }
      return TransferError(SourceFaults.code(failure.exit), failure.message, hint: failure.hint ?? "")
    }
  }

  /// Runs a transfer; what it throws because of a source is thrown as the source meant it.
  func explaining<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      var failure = Failure(of: error)
      // The status is the source's; what to do now is what the transfer says, if it can be resumed.
      if let known = last.withLock({ $0 }), known.message == failure.message { failure.exit = known.exit }
      throw failure
    }
  }

  private static func code(_ exit: ExitCode) -> TransferError.Code {
    switch exit {
    case .declined: .declined
    case .notFound: .notFound
    case .inUse: .inUse
    case .wrongCode: .wrongCode
    case .untrusted: .untrusted
    case .incompatible: .incompatible
    case .interrupted: .interrupted
    case .noSpace: .noSpace
    case .stopped: .stopped
    case .done, .failed, .partial, .badInput, .usage: .failed
    }
  }
}
