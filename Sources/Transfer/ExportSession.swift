package import BrowsingData
import Channel
import Resources
import Store
import Wire

/// The exporter of a one-time transfer, from the code to the importer's report. Runs on the caller's thread.
package final class ExportSession {
  /// Where the records come from.
  package struct Source: Sendable {
    /// The words of the command line, so that a restart can open it again.
    package var words: String
    /// Opens it; its errors are already in the words of a transfer.
    package var open: @Sendable () throws -> any RecordSource
    /// So many batches may be captured before they are sent: a source that lives makes its producers wait. nil: no limit.
    package var backlog: Int?
    /// The session ends: whoever waits in the source comes back with `CancellationError`.
    package var abandon: @Sendable () -> Void
    /// With what cannot be absent.
    package init(
      words: String, backlog: Int? = nil, abandon: @escaping @Sendable () -> Void = {},
      open: @escaping @Sendable () throws -> any RecordSource
    ) {
      self.words = words
      self.backlog = backlog
      self.abandon = abandon
      self.open = open
    }
  }

  private let setting: SessionSetting
  private let reopen: @Sendable (String) throws -> Source
  private let explain: @Sendable (any Error) -> TransferError
  private var store: RecordStore
  private var session: OpenSession?
  private var sources: [Source] = []
  private var worker: ExportWorker?
  private var isCaptured = false
  private var resources: ResourceExport?

  /// `reopen` makes a source of its words after a restart; `explain` says what an error of a source means to a person.
  package init(
    _ setting: SessionSetting, reopen: @escaping @Sendable (String) throws -> Source,
    explain: @escaping @Sendable (any Error) -> TransferError
  ) throws(TransferError) {
    self.setting = setting
    self.reopen = reopen
    self.explain = explain
    store = try setting.openStore()
  }

  /// Sends. `sources` empty: the main store; `types`: what is offered at most; `keep`: capture into the main store;
  /// `resources`: an app's files beside them.
  package func run(
    _ meeting: Meeting, sources: [Source] = [], types: DataTypes = .all, keep: Bool = false,
    resources: ResourceExport? = nil
  ) throws(TransferError) -> TransferOutcome {
    self.resources = resources
    let introduction = try setting.introduction(.export)
    let waker = try setting.makeWaker()
    setting.stop.listen { waker.wake() }
    let session = try prepare(meeting, sources: sources, types: types, keep: keep)
    self.session = session
    let rendezvous = try setting.rendezvous(meeting, session: session, introduction: introduction, waker: waker)
    let side = Side(owner: self, session: session, waker: waker, offered: types)
    defer { worker?.finish() }
    let outcome = try SessionRunner(
      rendezvous: rendezvous, side: side, person: setting.person, stop: setting.stop, waker: waker
    ).run()
    worker?.finish()
    worker = nil
    clean(session)
    return outcome
  }

  private func prepare(
    _ meeting: Meeting, sources: [Source], types: DataTypes, keep: Bool
  ) throws(TransferError) -> OpenSession {
    if case .resuming(let prefix, _, _) = meeting {
      let session = try OpenSession(store, resuming: prefix, role: .exporter)
      if resources == nil, let known = session.details.resources {
        // Frozen when it began: nothing is looked for again.
        resources = ResourceExport(list: ResourceList(), note: known.note, size: known.size)
      }
      if !session.details.isCaptured {
        for words in session.details.sources {
          do { self.sources.append(try reopen(words)) } catch { throw explain(error) }
        }
      }
      return session
    }
    self.sources = sources
    var details = SessionDetails()
    details.sources = sources.map(\.words)
    details.keep = keep
    details.resources = resources.map { SessionDetails.Resources($0.note, size: $0.size) }
    details.totalsByType = try counts(of: types)
    return OpenSession(store, token: .random(), role: .exporter, details: details)
  }

  /// What there is to offer; a source that cannot be read is met here, before a code is shown.
  private func counts(of types: DataTypes) throws(TransferError) -> [DataType: Int] {
    do {
      var sum = RecordCounts()
      if sources.isEmpty, !types.isEmpty { sum = try store.counts() }
      for source in sources {
        let counts = try source.open().counts(of: types)
        for type in types.each { sum[type] += counts[type] }
      }
      var offered = sum.byType.filter { types.contains($0.key) && $0.value > 0 }
      if let resources { offered[.resources] = resources.list.count }
      guard !offered.isEmpty else {
        throw TransferError(.notFound, "There is nothing to send.", hint: "'wherry sources' lists what there is.")
      }
      return offered
    } catch {
      throw explain(error)
    }
  }

  /// What was captured only for this transfer goes with it (protocol.md 1.9).
  private func clean(_ session: OpenSession) {
    if session.details.resources != nil || !session.details.keep && !session.details.sources.isEmpty {
      RecordStore.delete(transferFolder: setting.home.transferFolder(token: session.token.description))
    }
  }
}

// MARK: - From connection to connection

extension ExportSession {
  fileprivate final class Side: SessionSide {
    private let owner: ExportSession
    private let session: OpenSession
    private let waker: Waker
    private let answers: Mailbox<ExportWorker.Answer>

    init(owner: ExportSession, session: OpenSession, waker: Waker, offered: DataTypes) {
      self.owner = owner
      self.session = session
      self.waker = waker
      answers = Mailbox(waker: waker)
    }

    var patience: Deadline { .after(seconds: Int(Session.lifetime / 1_000_000)) }
    var outcomeWithoutContact: TransferOutcome? { nil }
    func forget() { end(.cancelled) }

    func part(on contact: Contact) throws(TransferError) -> any SessionPart {
      do {
        try session.update { row, details in
          row.token = contact.token.bytes
          row.peerKey = contact.peer.bytes
          details.peerName = contact.device.name
          details.peerSoftware = contact.device.software
        }
        let worker = try owner.worker(for: session, answers: answers)
        // What was under way for the lost connection is of no use on this one.
        _ = answers.take()
        worker.rememberCaptureIfComplete()
        let granted = session.details.isGranted ? session.row.types : nil
        if let granted { worker.restart(granted) }
        let link = contact.link
        return ExportPart(
          granted: granted, worker: worker, answers: answers, device: contact.device,
          bytesMoved: { link.bytesSent + link.bytesReceived })
      } catch {
        throw TransferError(cause: error)
      }
    }

    func outcome(of closing: Closing, _ part: any SessionPart) throws(TransferError) -> TransferOutcome? {
      let part = part as? ExportPart
      switch closing {
      case .done:
        var outcome = TransferOutcome(report: ApplyReport(), token: session.token, isConfirmed: true)
        if let summary = part?.summary { outcome.report.types = summary.figures }
        outcome.skippedThere = outcome.report.types.mapValues(\.skipped).filter { $0.value > 0 }
        outcome.report.add(captured: owner.worker?.captured, skipped: session.details.skipped ?? [:])
        end(.done)
        for remark in owner.resources?.list.remarks ?? [] { outcome.report.add(remark) }
        return outcome
      case .suspended:
        if let failure = owner.worker?.failure { throw failure }
        return nil
      case .refused(let code):
        end(.cancelled)
        throw owner.worker?.failure ?? TransferError(code, theirs: false)
      case .refusedByPeer(let code):
        // Room can be made there: the session waits for it.
        if code != .diskSpace { end(.cancelled) }
        throw TransferError(code, theirs: true)
      case .cancelled:
        end(.cancelled)
        throw TransferError(.refused, theirs: false)
      case .cancelledByPeer:
        end(.cancelled)
        throw TransferError(.refused, theirs: true)
      }
    }

    /// It is over: what was captured for it goes, and its key.
    private func end(_ state: Session.State) {
      owner.worker?.finish()
      owner.worker = nil
      let isNoted = (try? session.end(state)) != nil
      owner.clean(session)
      // On a full disk there is room only now.
      if !isNoted { try? session.end(state) }
    }
  }

  /// The worker lives as long as this program: the capture goes on while the connection is lost.
  private func worker(for session: OpenSession, answers: Mailbox<ExportWorker.Answer>) throws -> ExportWorker {
    if let worker { return worker }
    let home = setting.home
    let usesMainStore = session.details.sources.isEmpty || session.details.keep
    let folder = home.transferFolder(token: session.token.description)
    let open: @Sendable () throws -> RecordStore = {
      usesMainStore ? try RecordStore.open(home: home) : try RecordStore.open(transferFolder: folder, home: home)
    }
    let capture = Capture(
      sources: session.details.isCaptured ? [] : sources,
      label: session.details.sources.joined(separator: ", "), isOwnStore: !usesMainStore,
      queue: BackgroundThreadQueue("wherry.capture"), openStore: open,
      explain: explain, ended: { answers.post(.captured) })
    let totals = session.details.totalsByType
    let items = totals.keys.sorted().map {
      Offer.Item(
        type: $0, count: Int64(totals[$0] ?? 0),
        bytes: $0 == .resources ? resources?.size ?? 0 : Int64(totals[$0] ?? 0) * Self.bytesPerRecord($0))
    }
    var offer = Offer(incarnation: try open().incarnation, supported: .all, items: items)
    if let resources {
      offer.resources = resources.note
      offer.supported.insert(.resources)
      let kept = try home.makeTransferFolder(token: session.token.description) + "/resources.jsonl"
      resources.list.recall(from: kept)
      try resources.list.keep(at: kept)
    }
    let made = ExportWorker(
      offer: offer, capture: capture, resources: resources, person: setting.person, answers: answers,
      loading: ThreadQueue("wherry.load"), asking: ThreadQueue("wherry.ask"), openReader: open,
      remember: { granted in
        try session.update { row, details in
          row.types = granted
          details.isGranted = true
        }
      },
      rememberCapture: { report in
        try session.update { _, details in
          details.isCaptured = true
          guard let report else { return }
          let counts = report.types.mapValues(\.skipped).filter { $0.value > 0 }
          details.skipped = Dictionary(uniqueKeysWithValues: counts.map { ($0.key.name, $0.value) })
        }
      })
    worker = made
    return made
  }

  /// About how much room a record takes at the importer: only for the look at the free space.
  private static func bytesPerRecord(_ type: DataType) -> Int64 {
    switch type {
    case .history: 160
    case .bookmarks, .readingList, .extensions, .passwords, .cards: 600
    case .resources: 0
    }
  }
}

extension ApplyReport {
  /// Adds what the exporter's own capture skipped or warned of to what the importer reports; of a capture that an earlier
  /// program made only the numbers are known.
  fileprivate mutating func add(captured: ApplyReport?, skipped: [String: Int]) {
    if let captured {
      for remark in captured.remarks { add(remark) }
      remarksLeftOut += captured.remarksLeftOut
      return
    }
    for (name, count) in skipped.sorted(by: { $0.key < $1.key }) where count > 0 {
      guard let type = DataType(name: name) else { continue }
      remarks.append(
        Remark(.skipped, type: type, reason: "records that were skipped when the source was read: \(count)"))
      self[type].found += count
      self[type].skipped += count
    }
  }
}
