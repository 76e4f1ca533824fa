import BrowsingData
import Channel
import Resources
import Store
import Synchronization
import Wire

/// The exporter's blocking work: asks the person, captures the source, reads runs and encodes them.
/// Everything it finishes goes into the mailbox of the session's thread.
final class ExportWorker: @unchecked Sendable {
  // Reasons for @unchecked: 1. what `reader` and `encoder` hold is used on `loading` only; 2. the rest is immutable, or
  // used by the session's thread only.

  /// What it has finished.
  enum Answer: Sendable {
    case decided(DataTypes?)
    case granted(Grant)
    case loaded([UInt8], FlowControl.Flight)
    case exhausted([ChangeLog: LogEnd])
    case failed(ErrorCode)
    /// Everything is captured.
    case captured
  }

  /// The store file that this transfer sends.
  let incarnation: [UInt8]
  let offer: Offer
  private let openReader: @Sendable () throws -> RecordStore
  private let capture: Capture
  private let resources: ResourceExport?
  private var files: ResourceReader?
  private let person: any TransferPerson
  private let answers: Mailbox<Answer>
  private let loading: any WorkQueue
  private let asking: any WorkQueue
  private let remember: (DataTypes) throws -> Void
  private let rememberCapture: (ApplyReport?) throws -> Void
  private var reader: RecordStore?
  private var fault: TransferError?
  private let encoder = MessageEncoder()
  private var number: Int64 = 0
  private var choice: Choice?
  private let progress: ProgressCounter

  init(
    offer: Offer, capture: Capture, resources: ResourceExport? = nil, person: any TransferPerson,
    answers: Mailbox<Answer>, loading: any WorkQueue,
    asking: any WorkQueue, openReader: @escaping @Sendable () throws -> RecordStore,
    remember: @escaping (DataTypes) throws -> Void, rememberCapture: @escaping (ApplyReport?) throws -> Void
  ) {
    self.offer = offer
    incarnation = offer.incarnation
    self.capture = capture
    self.resources = resources
    self.person = person
    self.answers = answers
    self.loading = loading
    self.asking = asking
    self.openReader = openReader
    self.remember = remember
    self.rememberCapture = rememberCapture
    progress = ProgressCounter(totals: offer.totals)
  }

  // MARK: Called by the session's thread

  /// CHOOSE came.
  func hear(_ choice: Choice) { self.choice = choice }

  /// ACK came: what it says is what the person sees.
  func count(_ acknowledgement: Acknowledgement, bytes: Int) {
    let rows = Int(clamping: acknowledgement.applied) + Int(clamping: acknowledgement.skipped)
    guard let event = progress.add(acknowledgement.log, rows: rows, bytes: bytes) else { return }
    person.hear(event)
  }

  /// Asks the person whether these kinds may go.
  func ask(_ types: DataTypes, for device: TransferDevice) {
    let counts = offer.totals.filter { types.contains($0.key) }
    let wantsSecrets = choice?.wantsSecrets ?? false
    asking.run { [person, answers] in
      answers.post(.decided(person.grants(types, wantsSecrets: wantsSecrets, counts: counts, to: device)))
    }
  }

  /// Remembers what was granted and lets the capture begin; only then may ACCEPT leave.
  func grant(_ types: DataTypes) {
    do {
      try remember(types)
    } catch {
      answers.post(.failed(ErrorCode(error)))
      return
    }
    start(types)
    person.hear(.chosen(types))
    let grantsSecrets = !types.isDisjoint(with: .secrets)
    answers.post(.granted(Grant(types: types, grantsSecrets: grantsSecrets, incarnation: incarnation)))
  }

  /// A known session begins again on a new connection, or in a new program: the capture must run, if it is not complete.
  func restart(_ types: DataTypes) { start(types) }

  private func start(_ types: DataTypes) {
    capture.start(types)
    guard types.contains(.resources), let resources, files == nil else { return }
    files = ResourceReader(resources.list)
    resources.list.onChange { [state = capture.state] in state.advance() }
    resources.start()
  }

  /// A restart need not capture again what is captured. Failing to note it costs no more than doing it again.
  func rememberCaptureIfComplete() {
    if capture.state.isComplete { try? rememberCapture(capture.state.report) }
  }

  /// What the capture skipped or warned of, when it was made by this program.
  var captured: ApplyReport? { capture.state.report }

  /// What went wrong with the source or the store here; nil when nothing did.
  var failure: TransferError? {
    capture.state.failure ?? fault
  }

  /// Reads the next run above these cursors.
  func load(after cursors: [ChangeLog: Int64]) {
    loading.run { [self] in
      do {
        try loadNow(after: cursors)
      } catch {
        fault = TransferError(cause: error)
        answers.post(.failed(ErrorCode(error)))
      }
    }
  }

  /// The session ends: nothing waits any more.
  func finish() {
    capture.abandon()
    resources?.abandon()
    loading.finish()
    loading.run { [self] in reader = nil }
    loading.finish()
  }

  // MARK: On the loading queue

  private func loadNow(after cursors: [ChangeLog: Int64]) throws {
    let store = try reader ?? openReader()
    reader = store
    let logs = ChangeLog.allCases.filter { cursors[$0] != nil }.sorted { order($0) < order($1) }
    let types = DataTypes(logs.map(\.type))
    while !capture.state.isOver {
      if let failure = capture.state.failure { throw failure }
      let hasFiles = cursors[.resources] != nil
      let mark = capture.state.mark
      let isComplete = capture.state.isComplete && (!hasFiles || resources?.list.isComplete ?? true)
      // The small kinds come first in the log's order, too; a spool keeps the order of its own runs.
      for log in logs where log.type != .history && log != .resources {
        if try postRun(of: log, after: cursors[log] ?? 0, from: store) { return }
      }
      if let run = try store.spooledRun(after: cursors) {
        return answers.post(
          .loaded(run.frame, FlowControl.Flight(log: run.log, last: run.last, bytes: run.frame.count)))
      }
      for log in logs where log.type == .history || log == .resources {
        if try postRun(of: log, after: cursors[log] ?? 0, from: store) { return }
      }
      capture.state.caughtUp(with: mark)
      // The end of all logs at one moment: when none has gone on since, that moment is the end of the transfer.
      if isComplete {
        var ends = try store.ending(types)
        if hasFiles { ends[.resources] = resources?.list.ending() }
        if ends.allSatisfy({ $0.value.cursor <= cursors[$0.key] ?? 0 }) { return answers.post(.exhausted(ends)) }
      } else {
        capture.state.waitForMore(than: mark, alsoElsewhere: hasFiles)
      }
    }
  }

  /// Posts the next run of a log; false when there is none. The store only guesses what a run takes on the wire: one that
  /// proves too large is read again at half the size.
  private func postRun(of log: ChangeLog, after cursor: Int64, from store: RecordStore) throws -> Bool {
    if log == .resources {
      guard let batch = try files?.batch(after: cursor) else { return false }
      guard let frame = try encode(batch) else { throw WireError.malformed(.limit) }
      post(frame, of: batch)
      return true
    }
    var size = Limits.batchPayload
    while let batch = try store.changes(log, after: cursor, maximumBytes: size) {
      if let frame = try encode(batch) {
        post(frame, of: batch)
        return true
      }
      size /= 2
    }
    return false
  }

  private func post(_ frame: [UInt8], of batch: ChangeBatch) {
    number += 1
    answers.post(.loaded(frame, FlowControl.Flight(log: batch.log, last: batch.last, bytes: frame.count)))
  }

  /// The frame of a batch; nil when it is too large and holds more than one record.
  private func encode(_ batch: ChangeBatch) throws -> [UInt8]? {
    do {
      let compresses = batch.log != .resources || resources?.note.isCompressible ?? true
      return try encoder.encode(.batch(Batch(number: number + 1, changes: batch)), compresses: compresses)
    } catch {
      guard error == .malformed(.limit), batch.count > 1 else { throw error }
      return nil
    }
  }

  /// Small kinds first, pages before the visits that name them.
  private func order(_ log: ChangeLog) -> Int { log == .pages ? 5 : log == .visits ? 6 : Int(log.rawValue) - 1 }
}
