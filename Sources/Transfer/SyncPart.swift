import BrowsingData
import Wire

/// A sync's part on one connection: carries out what `SyncStateMachine` says.
final class SyncPart: SessionPart {
  private var machine: SyncStateMachine
  private let worker: SyncWorker
  private let answers: Mailbox<SyncWorker.Answer>
  private let moved: (ChangeLog, _ rows: Int) -> Void
  private let encoder = MessageEncoder()
  private var frames: [[UInt8]] = []
  private var loaded: [UInt8] = []
  private var batch: SyncBatch?
  private var applied: (applied: Int, skipped: Int) = (0, 0)
  private(set) var closing: Closing?
  /// The error with which this side ended the connection.
  private(set) var refusal: ErrorCode?
  /// What the peer said before it ended the connection.
  private(set) var peerError: ErrorReport?
  /// How many rows went over the wire, in both directions.
  private(set) var rows = 0

  /// `stays`: the connection lives on when both are in step. `moved` is told of rows that were taken.
  init(
    stays: Bool, worker: SyncWorker, answers: Mailbox<SyncWorker.Answer>,
    moved: @escaping (ChangeLog, _ rows: Int) -> Void
  ) {
    machine = SyncStateMachine(stays: stays)
    self.worker = worker
    self.answers = answers
    self.moved = moved
  }

  var isWaitingForPerson: Bool { false }
  /// Whether both are in step and nothing is under way.
  var isInStep: Bool { machine.isInStep }

  func start() { handle(.started) }
  func cancel() { handle(.left) }
  func lose() { handle(.streamClosed) }

  func takeFrames() -> [[UInt8]] {
    defer { frames = [] }
    return frames
  }

  func receive(_ message: Message) {
    switch message {
    case .syncOpen(let opening): handle(.openReceived(opening))
    case .syncBatch(let rows):
      batch = rows.batch
      handle(.batchReceived(rows.batch.log))
    case .acknowledge(let acknowledgement):
      rows += Int(clamping: acknowledgement.applied)
      handle(.ackReceived(acknowledgement.log, last: acknowledgement.last))
    case .caughtUp(let end): handle(.caughtUpReceived(end))
    case .unpair: handle(.unpairReceived)
    case .cancel: handle(.cancelReceived)
    case .close: handle(.closeReceived)
    case .error(let report):
      peerError = report
      handle(.errorReceived(report.code, retry: report.mayRetry))
    case .hello, .info, .pairShare, .pairConfirm, .paired, .offer, .choose, .accept, .resume, .batch, .end, .done,
      .ping, .pong:
      handle(.strayReceived)
    case .unknown:
      return
    }
  }

  func collect() {
    for answer in answers.take() {
      switch answer {
      case .loaded(let frame, let flight):
        loaded = frame
        handle(.loaded(flight))
      case .exhausted(let end): handle(.exhausted(end))
      case .applied(let log, let last, let applied, let skipped):
        self.applied = (applied, skipped)
        rows += applied
        moved(log, applied)
        handle(.applied(last: last))
      case .heard(let verdict): handle(.heard(verdict))
      case .failed(let code): handle(.failed(code))
      case .changed: handle(.storeChanged)
      case .yield: handle(.left)
      case .forget: handle(.forgotten)
      }
    }
  }

  private func handle(_ event: SyncStateMachine.Event) {
    for action in machine.handle(event) {
      switch action {
      case .prepare: answer { .prepared(try worker.prepare()) }
      case .sendOpen(let opening): send(.syncOpen(opening))
      case .judge(let opening): answer { .judged(try worker.judge(opening)) }
      case .load: worker.load()
      case .sendLoaded:
        frames.append(loaded)
        loaded = []
      case .apply: if let batch { worker.apply(batch) }
      case .sendAck(let log, let last):
        send(
          .acknowledge(
            Acknowledgement(log: log, last: last, applied: Int64(applied.applied), skipped: Int64(applied.skipped))))
      case .sendCaughtUp(let end): send(.caughtUp(end))
      case .hear(let end): worker.hear(end)
      case .sendUnpair: send(.unpair)
      case .sendClose: send(.close(nil))
      case .sendError(let code):
        refusal = code
        send(.error(ErrorReport(code)))
      case .close(let closing): self.closing = closing
      }
    }
  }

  /// The store's answer is waited for: nothing that the peer says meanwhile could be understood without it.
  private func answer(_ event: () throws -> SyncStateMachine.Event) {
    do { handle(try event()) } catch { handle(.failed(ErrorCode(error))) }
  }

  private func send(_ message: Message) { frames.append(encoder.frame(of: message)) }
}
