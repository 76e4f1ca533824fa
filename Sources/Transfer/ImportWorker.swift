import BrowsingData
import Channel
import Resources
import Store
import Wire

/// The importer's blocking work: asks the person, applies batches, compares at the end.
/// Everything it finishes goes into the mailbox of the session's thread.
final class ImportWorker: @unchecked Sendable {
  // Reasons for @unchecked: 1. `store` and `run` are used on `applying` only; 2. the rest is immutable, or used by the
  // session's thread only.

  /// What it has finished.
  enum Answer: Sendable {
    case chose(DataTypes?)
    /// The person chose, but there is too little room; what was chosen holds when there is.
    case foundNoRoom(for: DataTypes, needed: Int64)
    case prepared([ChangeLog: Int64])
    case applied(last: Int64, applied: Int, skipped: Int)
    case compared(equal: Bool)
    case failed(ErrorCode, needed: Int64?)
  }

  /// How an app's files are taken.
  struct Files: Sendable {
    /// Opens the staging folder.
    var open: @Sendable () throws -> ResourceStaging
    /// Puts what has arrived in place.
    var place: @Sendable (ResourceStaging, ResourcesNote) throws -> ContainerChange.Figures
    /// Bytes that may still be written where they arrive.
    var freeSpace: @Sendable () -> Int64?
  }

  private let files: Files?
  private var staging: ResourceStaging?
  private var note: ResourcesNote?
  private let openStore: @Sendable () throws -> RecordStore
  private let person: any TransferPerson
  private let answers: Mailbox<Answer>
  private let applying: any WorkQueue
  private let asking: any WorkQueue
  private let remember: (DataTypes, [DataType: Int], [UInt8]?) throws -> Void
  private let rememberChoice: (DataTypes, [DataType: Int], ResourcesNote?) throws -> Void
  /// What the person chose, once that is known.
  private(set) var chosen: DataTypes?
  private let token: TransferToken
  private let label: String
  private let tap: ImportSession.Tap
  private let freeSpace: @Sendable () -> Int64?
  private var store: RecordStore?
  private var run: ImportRun?
  private var offer: Offer?
  private let waiting: WaitingBatches
  /// Something failed since the connection began. Used on `applying` only.
  private var hasFailed = false
  /// What is written and not committed: said only once it is. Used on `applying` only.
  private var uncommitted: [(answer: Answer, event: TransferEvent?)] = []
  private var progress = ProgressCounter(totals: [:])
  /// The exporter's store, as the exporter last named it.
  private(set) var peerIncarnation: [UInt8]?
  /// What was done, once it is complete; written on `applying` before `.compared` is posted, read after it was taken.
  private(set) var report = ApplyReport()
  /// What went wrong here last, in words for the person here; written before `.failed` is posted.
  private(set) var fault: TransferError?
  /// What DONE says, likewise.
  private(set) var summary = Summary(figures: [:], ends: [:])

  init(
    token: TransferToken, label: String, peerIncarnation: [UInt8]?, person: any TransferPerson,
    answers: Mailbox<Answer>,
    applying: any WorkQueue, preparing: any WorkQueue, asking: any WorkQueue,
    openStore: @escaping @Sendable () throws -> RecordStore,
    tap: @escaping ImportSession.Tap = { _, _ in }, files: Files? = nil, freeSpace: @escaping @Sendable () -> Int64?,
    remember: @escaping (DataTypes, [DataType: Int], [UInt8]?) throws -> Void,
    rememberChoice: @escaping (DataTypes, [DataType: Int], ResourcesNote?) throws -> Void
  ) {
    self.token = token
    self.label = label
    self.peerIncarnation = peerIncarnation
    self.person = person
    self.answers = answers
    self.applying = applying
    waiting = WaitingBatches(preparing: preparing)
    self.asking = asking
    self.openStore = openStore
    self.tap = tap
    self.files = files
    self.freeSpace = freeSpace
    self.remember = remember
    self.rememberChoice = rememberChoice
  }
}

extension ImportWorker {
  // MARK: Called by the session's thread

  /// OFFER came.
  func hear(_ offer: Offer) {
    self.offer = offer
    peerIncarnation = offer.incarnation
    note = offer.resources
    progress = ProgressCounter(totals: offer.totals)
  }

  /// ACCEPT came.
  func hear(_ grant: Grant) { peerIncarnation = grant.incarnation }

  /// The exporter says that its store is another one now.
  func hear(incarnation: [UInt8]) { peerIncarnation = incarnation }

  /// What was offered when the session began.
  func begin(totals: [DataType: Int], note: ResourcesNote? = nil) {
    progress = ProgressCounter(totals: totals)
    self.note = note
  }

  /// What is offered, by kind.
  var totals: [DataType: Int] { offer?.totals ?? [:] }

  /// Remembers what was chosen, before it is said: after a cut it is said again without asking the person again.
  func remember(choice types: DataTypes) {
    guard !types.isEmpty else { return }
    chosen = types
    try? rememberChoice(types, totals, note)
  }

  /// The CHOOSE for these kinds.
  func choice(of types: DataTypes) -> Choice {
    Choice(types: types, wantsSecrets: !types.isDisjoint(with: .secrets))
  }

  /// Asks the person what to take.
  func ask(device: TransferDevice) {
    guard let offer else { return answers.post(.chose(nil)) }
    person.hear(.offer(offer.totals, device))
    asking.run { [self] in
      guard let chosen = choose(from: offer.totals, of: device), !chosen.isEmpty else {
        return answers.post(.chose(nil))
      }
      // Room is looked at before anything is sent: what was announced half as much again, and a reserve.
      for (isFiles, space) in [(false, freeSpace), (true, files?.freeSpace ?? { nil })] {
        let items = offer.items.filter { chosen.contains($0.type) && ($0.type == .resources) == isFiles }
        let needed = items.reduce(Int64(0)) { $0.addingReportingOverflow(max(0, $1.bytes)).partialValue }
        let wanted = needed &+ needed / 2 &+ Self.reserve
        if !items.isEmpty, let free = space(), free < wanted {
          return answers.post(.foundNoRoom(for: chosen, needed: wanted))
        }
      }
      answers.post(.chose(chosen))
    }
  }

  /// Records are the person's choice; an app's files are taken where a place for them was named.
  private func choose(from totals: [DataType: Int], of device: TransferDevice) -> DataTypes? {
    let records = totals.filter { $0.key != .resources }
    let takesFiles = files != nil && totals[.resources] != nil
    if files == nil, totals[.resources] != nil {
      person.hear(.warning("The other side also offers files of an app; they need a place here (--resources-into)."))
    }
    guard !records.isEmpty || !takesFiles else { return .resources }
    guard let chosen = person.choose(from: records, of: device) else { return nil }
    return takesFiles ? chosen.union(.resources) : chosen.subtracting(.resources)
  }

  private static let reserve: Int64 = 64 << 20

  /// Remembers what was granted, and finds out how far the store has come.
  func prepare(_ types: DataTypes) {
    person.hear(.chosen(types))
    let incarnation = peerIncarnation
    do {
      try remember(types, totals, incarnation)
    } catch {
      return answers.post(.failed(ErrorCode(error), needed: nil))
    }
    perform { [self] in
      let run = try openRun()
      if let incarnation { try run.receive(from: incarnation) }
      let known = try run.cursors()
      var cursors = Dictionary(uniqueKeysWithValues: ChangeLog.logs(of: types).map { ($0, known[$0] ?? 0) })
      if types.contains(.resources) {
        let staging = try openStaging()
        if let incarnation { try staging.begin(incarnation) }
        cursors[.resources] = staging.cursor
      }
      answers.post(.prepared(cursors))
    }
  }

  /// Applies a batch; its cursor is committed with it. When others wait already, a few are committed together.
  func apply(_ batch: ChangeBatch, bytes: Int) {
    if case .resources(let pieces) = batch.content {
      return perform { [self] in try apply(pieces, of: batch, bytes: bytes) }
    }
    waiting.add(batch)
    perform(commitsFirst: false) { [self] in
      // What follows a batch that failed would only fail for want of it.
      guard let (batch, prepared) = waiting.take(), !hasFailed else { return }
      let run = try openRun()
      waiting.prepare(beside: batch, for: run)
      let commits = waiting.isEmpty || uncommitted.count + 1 >= Self.groupSize
      let result = try run.apply(batch, prepared: prepared, commits: commits)
      if commits { try tap(run.store, false) }
      let event = progress.add(batch.log, rows: batch.count, figures: run.report[batch.log.type], bytes: bytes)
      uncommitted.append((.applied(last: batch.last, applied: result.applied, skipped: result.skipped), event))
      if commits { sayCommitted() }
    }
  }

  /// Half a window: the exporter can fill the other half meanwhile.
  private static let groupSize = FlowControl.maximumBatches / 2

  private func sayCommitted() {
    for (answer, event) in uncommitted {
      answers.post(answer)
      if let event { person.hear(event) }
    }
    uncommitted = []
  }

  private func apply(_ pieces: [ResourcePiece], of batch: ChangeBatch, bytes: Int) throws {
    // As with records: what follows a batch that failed would only fail for want of it.
    if hasFailed { return }
    let staging = try openStaging()
    let result = try staging.apply(pieces, from: batch.first)
    var figures = ApplyReport.Figures()
    figures.found = staging.counts.taken + staging.counts.skipped
    answers.post(.applied(last: batch.last, applied: result.taken, skipped: result.skipped))
    if let event = progress.add(.resources, rows: 0, figures: figures, bytes: bytes) { person.hear(event) }
  }

  private func openStaging() throws -> ResourceStaging {
    if let staging { return staging }
    guard let opened = try files?.open() else { throw StoreError.malformed(.resources) }
    staging = opened
    return opened
  }

  /// Puts the files in place; what is then to be said of them.
  private func placeFiles() throws -> (ApplyReport.Figures, [Remark]) {
    let staging = try openStaging()
    let note = note ?? ResourcesNote(application: "", version: "", platform: "", isCompressible: true)
    let placed = try staging.place { try files?.place($0, note) ?? ContainerChange.Figures() }
    var figures = ApplyReport.Figures()
    figures.added = placed.added
    figures.changed = placed.changed
    figures.unchanged = placed.unchanged
    figures.found = placed.added + placed.changed + placed.unchanged
    // Reasons are not kept over a restart, numbers are.
    let forgotten = max(0, staging.counts.skipped - staging.remarks.count)
    let remark = Remark(.skipped, type: .resources, reason: "left out before the program was started again")
    return (figures, staging.remarks + [Remark](repeating: remark, count: forgotten))
  }

  /// Compares END with what is here; when equal the session is done, in the same transaction.
  func compare(_ ends: [ChangeLog: LogEnd], done: @escaping @Sendable (RecordStore) throws -> Void) {
    perform { [self] in
      let run = try openRun()
      let received = try run.receivedEnds()
      let nothing = LogEnd(cursor: 0, count: 0, digest: RecordID(high: 0, low: 0))
      let incomplete = run.incompleteLogs()
      let isEqual = ends.allSatisfy { log, end in
        // What could not be read is in the report, and cannot be counted.
        if incomplete.contains(log) { return true }
        let here = log == .resources ? staging?.ending ?? nothing : received[log] ?? nothing
        return here.count == end.count && here.digest == end.digest
      }
      if isEqual {
        let store = run.store
        let files = ends[.resources] == nil ? nil : try placeFiles()
        report = try run.finish { try done(store) }
        if let files {
          report[.resources] = files.0
          for remark in files.1 { report.add(remark) }
          staging?.discard()
          staging = nil
        }
        try tap(store, true)
        summary = Summary(figures: report.types, ends: received)
        self.run = nil
      } else {
        try run.restart()
        try staging?.restart()
      }
      answers.post(.compared(equal: isEqual))
    }
  }

  /// Waits until what is under way is written: a new connection begins from the committed cursors.
  func settle() {
    applying.run { [self] in hasFailed = false }
    applying.finish()
  }

  /// Nothing more comes: what is open is closed, what is committed stays.
  func finish(discardsFiles: Bool = false) {
    applying.run { [self] in
      if discardsFiles { staging?.discard() }
      staging = nil
      run?.abandon()
      run = nil
      store = nil
    }
    applying.finish()
  }

  // MARK: On the applying queue

  private func openRun() throws -> ImportRun {
    if let run { return run }
    let store = try self.store ?? openStore()
    self.store = store
    var options = ImportOptions(kind: .transfer, label: label)
    options.token = token.bytes
    let run = try store.beginImport(options)
    self.run = run
    return run
  }

  private func perform(commitsFirst: Bool = true, _ body: @escaping @Sendable () throws -> Void) {
    applying.run { [self] in
      do {
        if commitsFirst {
          try run?.commit()
          sayCommitted()
        }
        try body()
      } catch {
        uncommitted = []
        hasFailed = true
        let code = ErrorCode(error)
        fault = TransferError(cause: error)
        answers.post(.failed(code, needed: code == .diskFull ? freeSpace().map { max(0, Self.reserve - $0) } : nil))
      }
    }
  }
}
