import BrowsingData
import Store
import Synchronization
import Wire

/// The blocking work of a sync on one connection: everything that the store is asked, one thing after another, so that
/// answers come in the order of the transactions. What it finishes goes into the mailbox of the session's thread.
final class SyncWorker: @unchecked Sendable {
  // Reason for @unchecked: `run`, `number`, `encoder`, `pieces` and `hasFailed` are used on `queue` only; the rest is
  // immutable or under a lock.

  /// What it has finished.
  enum Answer: Sendable {
    case loaded([UInt8], FlowControl.Flight)
    case exhausted(SyncEnd?)
    case applied(ChangeLog, last: Int64, applied: Int, skipped: Int)
    case heard(SyncStateMachine.Verdict)
    case failed(ErrorCode)
    /// The store has changed.
    case changed
    /// Another connection to the device lives on.
    case yield
    /// The person has forgotten the device.
    case forget
  }

  /// What the session's owner is told.
  enum Note: Sendable {
    /// Both ends stand equal.
    case inStep
    /// Both should stand equal and do not.
    case differs(DataTypes, repairs: Bool)
  }

  private let open: @Sendable () throws -> SyncRun
  private let queue: any WorkQueue
  private let answers: Mailbox<Answer>
  private let note: @Sendable (Note) -> Void
  private let encoder = MessageEncoder()
  private var run: SyncRun?
  private var number: Int64 = 0
  /// Pieces of a run that was too large for one frame, still to be sent.
  private var pieces: [SyncBatch] = []
  /// What follows a failure would be done in a store that lacks what did not happen: nothing is.
  private var hasFailed = false
  private let firstFault = Mutex<TransferError?>(nil)

  init(
    queue: any WorkQueue, answers: Mailbox<Answer>, note: @escaping @Sendable (Note) -> Void,
    open: @escaping @Sendable () throws -> SyncRun
  ) {
    self.queue = queue
    self.answers = answers
    self.note = note
    self.open = open
  }

  /// What went wrong here last, in words for the person here.
  var fault: TransferError? { firstFault.withLock { $0 } }

  // MARK: Called by the session's thread

  /// Our SYNC_OPEN. Waits for the store.
  func prepare() throws -> SyncOpening {
    try now { [self] in
      let run = try open()
      self.run = run
      return try run.opening()
    }
  }

  /// Looks at the peer's SYNC_OPEN. Waits for the store.
  func judge(_ opening: SyncOpening) throws -> SyncStateMachine.Judgement {
    try now { [self] in
      guard let run else { throw ErrorCode.internalError }
      pieces = []
      switch try run.begin(opening) {
      case .ready: return .ready(takes: run.takes)
      case .reopen: return .reopen(try run.opening(), takes: run.takes)
      case .wait: return .wait
      }
    }
  }

  /// Reads the next run and encodes it.
  func load() { perform { [self] run in try loadNow(run) } }

  /// Applies a batch; its cursor is committed with it.
  func apply(_ batch: SyncBatch) {
    perform { [answers] run in
      let result = try run.apply(batch)
      answers.post(.applied(batch.log, last: batch.last, applied: result.applied, skipped: result.skipped))
    }
  }

  /// Looks at the peer's CAUGHT_UP.
  func hear(_ end: SyncEnd) {
    perform { [answers, note] run in
      switch try run.hear(end) {
      case .inStep:
        note(.inStep)
        answers.post(.heard(.settled))
      case .notYet: answers.post(.heard(.notYet))
      case .differs(let types, let repairs):
        note(.differs(DataTypes(types), repairs: repairs))
        answers.post(.heard(repairs ? .repair(try run.opening()) : .settled))
      }
    }
  }

  /// Nothing more comes: what is committed stays. Gives what came; waits for the store.
  func finish() -> ApplyReport {
    let report = try? now { [self] () throws -> ApplyReport in
      defer { run = nil }
      return try run?.finish() ?? ApplyReport()
    }
    return report ?? ApplyReport()
  }

  // MARK: On the queue

  private func now<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
    let box = ResultBox<Result>()
    queue.run { box.set(Swift.Result { try body() }) }
    queue.finish()
    switch box.value {
    case .success(let value): return value
    case .failure(let error):
      firstFault.withLock { $0 = TransferError(cause: error) }
      throw error
    case nil: throw ErrorCode.internalError
    }
  }

  private func perform(_ body: @escaping @Sendable (SyncRun) throws -> Void) {
    queue.run { [self] in
      // A session that has ended has no run any more.
      guard let run, !hasFailed else { return }
      do {
        try body(run)
      } catch {
        hasFailed = true
        firstFault.withLock { $0 = $0 ?? TransferError(cause: error) }
        answers.post(.failed(ErrorCode(error)))
      }
    }
  }

  private func loadNow(_ run: SyncRun) throws {
    if pieces.isEmpty, let batch = try next(run) { pieces = [batch] }
    while let batch = pieces.first {
      pieces.removeFirst()
      if let frame = try encode(batch) {
        number += 1
        return answers.post(.loaded(frame, FlowControl.Flight(log: batch.log, last: batch.last, bytes: frame.count)))
      }
      pieces.insert(contentsOf: batch.halves(), at: 0)
    }
    answers.post(.exhausted(try run.ending()))
  }

  private func next(_ run: SyncRun) throws -> SyncBatch? {
    for log in run.sends {
      if let batch = try run.next(log, maximumRecords: Limits.batchRecords, maximumBytes: Limits.batchPayload / 2) {
        return batch
      }
    }
    return nil
  }

  /// The frame of a batch; nil when it is too large and holds more than one record: the store only guesses what rows take
  /// on the wire.
  private func encode(_ batch: SyncBatch) throws -> [UInt8]? {
    do {
      return try encoder.encode(.syncBatch(SyncRows(number: number + 1, batch: batch)))
    } catch {
      guard error == .malformed(.limit), batch.count > 1 else { throw error }
      return nil
    }
  }
}

/// A result that one thread sets and another one takes.
private final class ResultBox<Value: Sendable>: Sendable {
  private let result = Mutex<Swift.Result<Value, any Error>?>(nil)
  var value: Swift.Result<Value, any Error>? { result.withLock { $0 } }
  func set(_ value: Swift.Result<Value, any Error>) { result.withLock { $0 = value } }
}

extension SyncBatch {
  /// The same rows in two batches, one after the other; it must have two.
  func halves() -> [SyncBatch] {
    var first = self, second = self
    let middle = count / 2
    switch content {
    case .records(let rows):
      first.content = .records(Array(rows[..<middle]))
      first.last = rows[middle - 1].sequence
      second.content = .records(Array(rows[middle...]))
    case .rules(let rows):
      first.content = .rules(Array(rows[..<middle]))
      first.last = rows[middle - 1].sequence
      second.content = .rules(Array(rows[middle...]))
    case .visits(let batch):
      var (front, back) = (batch, batch)
      front.visits = Array(batch.visits[..<middle])
      back.visits = Array(batch.visits[middle...])
      first.content = .visits(front)
      first.last = batch.visits[middle - 1].sequence
      second.content = .visits(back)
    case .pages(let batch):
      let rows = batch.pages.sorted { $0.sequence < $1.sequence }
      var (front, back) = (batch, batch)
      front.pages = Array(rows[..<middle])
      back.pages = Array(rows[middle...])
      first.content = .pages(front)
      first.last = rows[middle - 1].sequence
      second.content = .pages(back)
    }
    second.first = first.last
    return [first, second]
  }
}
