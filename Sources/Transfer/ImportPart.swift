import BrowsingData
import Store
import Wire

/// The importer's part on one connection: carries out what `ImporterStateMachine` says.
final class ImportPart: SessionPart {
  private var machine: ImporterStateMachine
  private let worker: ImportWorker
  private let answers: Mailbox<ImportWorker.Answer>
  private let device: TransferDevice
  /// Bytes on the wire so far.
  private let bytesMoved: () -> Int
  private let markDone: @Sendable (RecordStore) throws -> Void
  private let encoder = MessageEncoder()
  private var frames: [[UInt8]] = []
  private var batch: ChangeBatch?
  private var applied: (applied: Int, skipped: Int) = (0, 0)
  private var needed: Int64?
  private(set) var closing: Closing?
  /// Whether everything is committed here; only the exporter's word may be missing.
  private(set) var isComplete = false
  /// The error with which this side ended the connection.
  private(set) var lastRefusal: ErrorCode?
  /// What the peer said before it ended the connection.
  private(set) var peerError: ErrorReport?

  init(
    before: ImporterStateMachine.Before, worker: ImportWorker, answers: Mailbox<ImportWorker.Answer>,
    device: TransferDevice,
    bytesMoved: @escaping () -> Int, markDone: @escaping @Sendable (RecordStore) throws -> Void
  ) {
    machine = ImporterStateMachine(before: before)
    self.worker = worker
    self.answers = answers
    self.device = device
    self.bytesMoved = bytesMoved
    self.markDone = markDone
  }

  var isWaitingForPerson: Bool {
    switch machine.state {
    case .choosing, .chosen: true
    case .ready, .awaitingOffer, .preparing, .streaming, .finishing, .confirming, .closed: false
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
    case .offer(let offer):
      worker.hear(offer)
      handle(.offerReceived(DataTypes(offer.items.map(\.type))))
    case .accept(let grant):
      worker.hear(grant)
      handle(.acceptReceived(grant.types))
    case .batch(let message):
      batch = message.changes
      handle(.batchReceived(message.changes.log, first: message.changes.first, last: message.changes.last))
    case .end(let ends):
      handle(.endReceived(ends))
    case .done:
      handle(.doneReceived)
    case .cancel:
      handle(.cancelReceived)
    case .error(let report):
      peerError = report
      if let incarnation = report.incarnation { worker.hear(incarnation: incarnation) }
      handle(.errorReceived(report.code, retry: report.mayRetry))
    case .close:
      handle(.streamClosed)
    case .choose, .resume, .acknowledge, .syncBatch, .syncOpen, .caughtUp, .unpair, .ping, .pong, .hello, .info,
      .pairShare,
      .pairConfirm, .paired:
      handle(.strayReceived)
    case .unknown:
      return
    }
  }

  func collect() {
    for answer in answers.take() {
      switch answer {
      case .chose(let types): handle(.chose(types))
      case .foundNoRoom(let types, let needed):
        worker.remember(choice: types)
        self.needed = needed
        handle(.failed(.diskSpace))
      case .prepared(let cursors): handle(.prepared(cursors))
      case .applied(let last, let applied, let skipped):
        self.applied = (applied, skipped)
        handle(.applied(last: last))
      case .compared(let equal): handle(.compared(equal: equal))
      case .failed(let code, let needed):
        self.needed = needed
        handle(.failed(code))
      }
    }
  }

  private func handle(_ event: ImporterStateMachine.Event) {
    for action in machine.handle(event) {
      switch action {
      case .ask: worker.ask(device: device)
      case .sendChoose(let types):
        worker.remember(choice: types)
        send(.choose(worker.choice(of: types)))
      case .prepare(let types): worker.prepare(types)
      case .sendResume(let cursors): send(.resume(Resume(incarnation: worker.peerIncarnation, cursors: cursors)))
      case .apply: if let batch { worker.apply(batch, bytes: bytesMoved()) }
      case .sendAck(let log, let last):
        send(
          .acknowledge(
            Acknowledgement(log: log, last: last, applied: Int64(applied.applied), skipped: Int64(applied.skipped))))
      case .compare(let ends): worker.compare(ends, done: markDone)
      case .sendDone:
        isComplete = true
        send(.done(worker.summary))
      case .sendCancel: send(.cancel(.person))
      case .sendError(let code): sendError(code)
      case .close(let closing): self.closing = closing
      }
    }
    batch = nil
  }

  private func sendError(_ code: ErrorCode) {
    lastRefusal = code
    var report = ErrorReport(code)
    report.needed = needed
    send(.error(report))
  }

  private func send(_ message: Message) { frames.append(encoder.frame(of: message)) }
}
