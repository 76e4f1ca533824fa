import BrowsingData
import Channel
import Store
import Wire

/// The sessions with one device, one after another. Used by the device's thread.
struct DeviceSync {
  private let owner: SyncSession
  private let line: DeviceLine

  init(_ owner: SyncSession, _ line: DeviceLine) {
    self.owner = owner
    self.line = line
  }

  /// How a session ended.
  private struct Ending {
    var closing: Closing
    var report: ApplyReport
    var error: TransferError?
  }

  private static let patience = 600
  /// So often a round is begun again after its connection was lost.
  private static let attempts = 3
  /// The pause, in milliseconds, after something that will not be better at once.
  private static let longPause = 600_000

  /// Runs until the round is over, the device is forgotten or the program ends; nil when there is nothing to say of it.
  func run() -> SyncOutcome? {
    var report = ApplyReport()
    var attempts = 0
    while let contact = line.next(until: owner.plan.stays ? .never : .after(seconds: Self.patience)) {
      guard let peer = owner.peer(line.id) else { return nil }
      greet(contact, peer)
      let ending: Ending
      do throws(TransferError) {
        guard let ended = try session(contact, peer) else { return nil }
        ending = ended
      } catch {
        line.finish(restingFor: 0)
        return outcome(report, error)
      }
      report.add(ending.report)
      attempts += 1
      let isOver = judge(ending, peer, isLast: attempts >= Self.attempts)
      line.finish(restingFor: pause(after: ending))
      owner.observer.hear(.parted(peer, ending.report))
      if isOver { return outcome(report, ending.error) }
    }
    if owner.setting.stop.isStopped { return nil }
    let missing = TransferError(
      .notFound, "It did not come.", hint: "Run wherry sync on the other machine, too, or say where it is: --at.")
    return outcome(report, line.reason ?? missing)
  }

  private func outcome(_ report: ApplyReport, _ failure: TransferError?) -> SyncOutcome? {
    owner.peer(line.id).map { SyncOutcome(peer: $0, report: report, failure: failure?.of(.sync)) }
  }

  private func greet(_ contact: DeviceContact, _ peer: Peer) {
    owner.observer.hear(.connected(peer))
    if let words = ClockSkew.warning(contact.clockSkew) { owner.observer.hear(.warning(words)) }
  }

  // MARK: One session

  /// Nil when the program ends.
  private func session(_ contact: DeviceContact, _ peer: Peer) throws(TransferError) -> Ending? {
    let waker = try owner.setting.makeWaker()
    let answers = Mailbox<SyncWorker.Answer>(waker: waker)
    let worker = SyncWorker(
      queue: ThreadQueue("wherry.sync"), answers: answers, note: { note in hear(note, peer) }, open: opener())
    let part = SyncPart(stays: owner.plan.stays, worker: worker, answers: answers) { log, rows in
      if rows > 0, log != .pages { owner.observer.hear(.taken(peer, log.type, rows: rows)) }
    }
    line.begin(DeviceLine.Session(isDialed: contact.isDialed, answers: answers, waker: waker))
    let driver = SessionDriver(
      link: contact.link, part: part,
      outside: SessionDriver.Outside(
        waker: waker, isStopped: { owner.setting.stop.isStopped || line.hasEnded },
        isCancelled: { false }, hasNewerConnection: { line.hasArrival }, refuseNewer: { line.refuseArrivals() }))
    let ended = driver.run()
    let report = worker.finish()
    switch ended {
    case .stopped: return nil
    case .closed(let closing):
      return Ending(
        closing: closing, report: report, error: error(closing, part, worker.fault)?.of(.sync))
    }
  }

  private func opener() -> @Sendable () throws -> SyncRun {
    let (home, key, plan) = (owner.setting.home, line.id.bytes, owner.plan)
    return {
      var options = SyncOptions(force: plan.force)
      options.types = plan.types
      return try RecordStore.open(home: home).beginSync(with: key, options)
    }
  }

  private func hear(_ note: SyncWorker.Note, _ peer: Peer) {
    switch note {
    case .inStep: owner.observer.hear(.inStep(peer))
    case .differs(let types, let repairs):
      let words = types.each.map(\.name).joined(separator: ", ")
      owner.observer.hear(
        .warning(
          "\(words): the stores here and on \(peer.name) should be equal and are not. "
            + (repairs ? "Everything is compared once more." : "It is tried again tomorrow.")))
    }
  }

  // MARK: What an end means

  private func error(_ closing: Closing, _ part: SyncPart, _ fault: TransferError?) -> TransferError? {
    switch closing {
    case .done: nil
    case .suspended:
      fault ?? part.peerError.map { TransferError($0.code, theirs: true) }
        ?? TransferError(.interrupted, "The connection was lost.", hint: "Run wherry sync again.")
    case .refused(let code): fault ?? TransferError(code, theirs: false)
    case .refusedByPeer(.refused):
      TransferError(
        .declined, "More would be deleted or changed there than goes without asking.",
        hint: "If that is meant: wherry sync --force there.")
    case .refusedByPeer(let code): TransferError(code, theirs: true)
    case .cancelled: TransferError(.untrusted, "It was forgotten here.", hint: "Pair the two again.")
    case .cancelledByPeer: TransferError(.refused, theirs: true)
    }
  }

  /// Tells what happened; whether nothing more is to be tried.
  private func judge(_ ending: Ending, _ peer: Peer, isLast: Bool) -> Bool {
    let stays = owner.plan.stays
    switch ending.closing {
    case .done: return !stays
    case .suspended:
      guard let error = ending.error else { return false }
      if stays { owner.observer.hear(.interrupted(peer, reason: error.message, retryIn: pause(after: ending))) }
      return !stays && (isLast || error.code != .interrupted)
    case .refusedByPeer(.revoked):
      owner.revoke(peer)
      if let error = ending.error { owner.observer.hear(.stopped(peer, error)) }
      return true
    case .cancelled: return true
    case .refused, .refusedByPeer, .cancelledByPeer:
      if let error = ending.error { owner.observer.hear(.stopped(peer, error)) }
      return !stays || ending.error?.code == .untrusted
    }
  }

  /// How long, in milliseconds, the device is left alone.
  private func pause(after ending: Ending) -> Int {
    switch ending.closing {
    case .done, .suspended: ending.error.map { $0.code == .interrupted } ?? true ? 1_000 : 60_000
    case .refused, .refusedByPeer, .cancelled, .cancelledByPeer: Self.longPause
    }
  }
}
