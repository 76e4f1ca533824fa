import BrowsingData
import Wire

/// The exporter's part on one connection: carries out what `ExporterStateMachine` says.
final class ExportPart: SessionPart {
  private var machine: ExporterStateMachine
  private let worker: ExportWorker
  private let answers: Mailbox<ExportWorker.Answer>
  private let device: TransferDevice
  /// Bytes on the wire so far.
  private let bytesMoved: () -> Int
  private let encoder = MessageEncoder()
  private var frames: [[UInt8]] = []
  private var loaded: [UInt8] = []
  private(set) var closing: Closing?
  /// What the importer said it did.
  private(set) var summary: Summary?
  /// What the peer said before it ended the connection.
  private(set) var peerError: ErrorReport?

  init(
    granted: DataTypes?, worker: ExportWorker, answers: Mailbox<ExportWorker.Answer>, device: TransferDevice,
    bytesMoved: @escaping () -> Int
  ) {
    machine = ExporterStateMachine(granted: granted)
    self.worker = worker
    self.answers = answers
    self.device = device
    self.bytesMoved = bytesMoved
  }

  var isWaitingForPerson: Bool {
    switch machine.state {
    case .offered, .asking: true
    case .ready, .granted, .streaming, .ending, .closed: false
    }
  }

  func start() { handle(.started) }
  func cancel() { handle(.cancelled) }
  func lose() { handle(.streamClosed) }

  func takeFrames() -> [[UInt8]] {
    defer { frames = [] }
    return frames
  }

  func receive(_ message: Message) {
    switch message {
    case .choose(let choice):
      // What was not offered is not asked about, nor given to whom `--yes` agrees ahead.
      guard choice.types.isSubset(of: DataTypes(worker.offer.items.map(\.type))) else {
        return handle(.failed(.typeNotGranted))
      }
      worker.hear(choice)
      handle(.chooseReceived(choice.types))
    case .resume(let resume):
      receive(resume)
    case .acknowledge(let acknowledgement):
      worker.count(acknowledgement, bytes: bytesMoved())
      handle(.ackReceived(acknowledgement.log, last: acknowledgement.last))
    case .done(let summary):
      self.summary = summary
      handle(.doneReceived)
    case .cancel:
      handle(.cancelReceived)
    case .error(let report):
      peerError = report
      handle(.errorReceived(report.code, retry: report.mayRetry))
    case .close:
      handle(.streamClosed)
    case .offer, .accept, .batch, .syncBatch, .end, .syncOpen, .caughtUp, .unpair, .ping, .pong, .hello, .info,
      .pairShare,
      .pairConfirm, .paired:
      handle(.strayReceived)
    case .unknown:
      return
    }
  }

  /// Cursors of another store say nothing about this one: the importer is told which store this is, and asks again.
  private func receive(_ resume: Resume) {
    if let known = resume.incarnation, known != worker.incarnation, resume.cursors.values.contains(where: { $0 > 0 }) {
      handle(.failed(.cursor))
    } else {
      handle(.resumeReceived(resume.cursors))
    }
  }

  func collect() {
    for answer in answers.take() {
      switch answer {
      case .decided(let types): handle(.decided(types))
      case .granted(let grant): send(.accept(grant))
      case .loaded(let frame, let flight):
        loaded = frame
        handle(.loaded(flight))
      case .exhausted(let ends): handle(.exhausted(ends))
      case .failed(let code): handle(.failed(code))
      case .captured: worker.rememberCaptureIfComplete()
      }
    }
  }

  private func handle(_ event: ExporterStateMachine.Event) {
    for action in machine.handle(event) {
      switch action {
      case .sendOffer: send(.offer(worker.offer))
      case .ask(let types): worker.ask(types, for: device)
      case .sendAccept(let types): worker.grant(types)
      case .load(let cursors): worker.load(after: cursors)
      case .sendLoaded:
        frames.append(loaded)
        loaded = []
      case .sendEnd(let ends): send(.end(ends))
      case .sendDone: if let summary { send(.done(summary)) }
      case .sendCancel: send(.cancel(.person))
      case .sendError(let code): sendError(code)
      case .close(let closing): self.closing = closing
      }
    }
  }

  private func sendError(_ code: ErrorCode) {
    var report = ErrorReport(code)
    if code == .cursor { report.incarnation = worker.incarnation }
    send(.error(report))
  }

  private func send(_ message: Message) { frames.append(encoder.frame(of: message)) }
}
