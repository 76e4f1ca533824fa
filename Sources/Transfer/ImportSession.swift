import BrowsingData
import Channel
import Foundation
import Glibc
import Resources
package import Store
import Wire

/// The importer of a one-time transfer, from the code to its report. Runs on the caller's thread.
package final class ImportSession {
  private let setting: SessionSetting
  private let store: RecordStore
  private var worker: ImportWorker?
  private var tap: Tap = { _, _ in }
  private var resources: ResourceImport?

  /// Looks at what has been committed, on the thread that commits it.
  package typealias Tap = @Sendable (RecordStore, _ isComplete: Bool) throws -> Void

  /// Opens the home's store.
  package init(_ setting: SessionSetting) throws(TransferError) {
    self.setting = setting
    store = try setting.openStore()
  }

  /// Receives into the main store. `tap` is called after each batch that is committed there, and once more (`true`) when
  /// everything is; while it runs nothing further is acknowledged. `CancellationError` from it ends the transfer for both.
  /// `resources`: where an app's files go; without it they are not taken, unless the transfer that is resumed takes them:
  /// `place` says how they go into the folder that was named then.
  package func run(
    _ meeting: Meeting, resources: ResourceImport? = nil, tap: @escaping Tap = { _, _ in },
    into place: (String) -> ResourceImport = { ResourceImport(into: $0) }
  ) throws(TransferError) -> TransferOutcome {
    self.tap = tap
    self.resources = resources
    let introduction = try setting.introduction(.import)
    let waker = try setting.makeWaker()
    setting.stop.listen { waker.wake() }
    let session: OpenSession
    if case .resuming(let prefix, _, _) = meeting {
      session = try OpenSession(store, resuming: prefix, role: .importer)
      if resources == nil, let folder = session.details.resourcesInto {
        self.resources = place(folder)
      }
    } else {
      var details = SessionDetails()
      details.resourcesInto = resources?.destination
      session = OpenSession(store, token: .random(), role: .importer, details: details)
    }
    let rendezvous = try setting.rendezvous(meeting, session: session, introduction: introduction, waker: waker)
    let side = Side(owner: self, session: session, waker: waker)
    defer { worker?.finish() }
    return try SessionRunner(
      rendezvous: rendezvous, side: side, person: setting.person, stop: setting.stop, waker: waker
    ).run()
  }
}

// MARK: - From connection to connection

extension ImportSession {
  fileprivate final class Side: SessionSide {
    private let owner: ImportSession
    private let session: OpenSession
    private let answers: Mailbox<ImportWorker.Answer>
    /// Everything is committed here; only the exporter's word is missing.
    private var complete: TransferOutcome?
    private var failed = 0

    init(owner: ImportSession, session: OpenSession, waker: Waker) {
      self.owner = owner
      self.session = session
      answers = Mailbox(waker: waker)
      // Another program had everything, and ended before the exporter's word came.
      guard session.row.state == .ending else { return }
      var report = ApplyReport()
      if let entry = try? owner.store.journalEntry(token: session.token.bytes) { report.types = entry.figures }
      complete = TransferOutcome(report: report, token: session.token, isConfirmed: false)
    }

    /// Who has everything does not wait for the other's word for days.
    var patience: Deadline {
      complete == nil ? .after(seconds: Int(Session.lifetime / 1_000_000)) : .after(seconds: 15)
    }
    var outcomeWithoutContact: TransferOutcome? { complete }
    func forget() { end(complete == nil ? .cancelled : .done) }

    func part(on contact: Contact) throws(TransferError) -> any SessionPart {
      do {
        if session.peer != contact.peer { try session.met(contact.peer) }
        try session.update { _, details in
          details.peerName = contact.device.name
          details.peerSoftware = contact.device.software
        }
        let worker = owner.worker(for: session, answers: answers, device: contact.device)
        // What was under way for the lost connection is of no use on this one.
        worker.settle()
        _ = answers.take()
        let link = contact.link
        return ImportPart(
          before: before, worker: worker, answers: answers, device: contact.device,
          bytesMoved: { link.bytesSent + link.bytesReceived }, markDone: markDone)
      } catch {
        throw TransferError(cause: error)
      }
    }

    private var before: ImporterStateMachine.Before {
      if complete != nil || session.row.state == .ending { return .done }
      if session.details.isGranted { return .granted(session.row.types) }
      return session.details.isChosen ? .chosen(session.row.types) : .nothing
    }

    /// In the transaction that ends the import: from here on it is never opened again, only confirmed.
    private var markDone: @Sendable (RecordStore) throws -> Void {
      var row = session.snapshot
      row.state = .ending
      row.lastContact = WallClock.now
      let ended = row
      return { try $0.save(ended) }
    }

    func outcome(of closing: Closing, _ part: any SessionPart) throws(TransferError) -> TransferOutcome? {
      guard let part = part as? ImportPart else { return nil }
      if part.isComplete, complete == nil, let worker = owner.worker {
        complete = TransferOutcome(report: worker.report, token: session.token, isConfirmed: false)
      }
      switch closing {
      case .done:
        end(.done)
        var outcome = complete ?? TransferOutcome(report: ApplyReport(), token: session.token, isConfirmed: true)
        outcome.isConfirmed = true
        return outcome
      case .suspended:
        try remember(part)
        return nil
      case .refused(let code):
        if let complete { return complete }
        if code != .diskSpace { end(.cancelled) }
        throw owner.fault(code)
      case .refusedByPeer(let code):
        if let complete { return complete }
        end(.cancelled)
        throw TransferError(code, theirs: true)
      case .cancelled:
        end(.cancelled)
        throw TransferError(.refused, theirs: false)
      case .cancelledByPeer:
        end(.cancelled)
        throw TransferError(.refused, theirs: true)
      }
    }

    /// Faults that would come again at once end the program, resumable; unequal digests are tried once more.
    private func remember(_ part: ImportPart) throws(TransferError) {
      do {
        try session.update { _, details in
          if part.lastRefusal == .digest { details.digestFaults += 1 }
          details.peerIncarnation = owner.worker?.peerIncarnation.map { hexadecimal($0) }
        }
      } catch {
        throw TransferError(cause: error)
      }
      guard let code = part.lastRefusal else { return }
      if code == .diskFull || code == .storeBusy { throw owner.fault(code) }
      if code == .digest, session.details.digestFaults > 1 { throw TransferError(.digest, theirs: false) }
      failed += 1
      if failed > 3 { throw owner.fault(code) }
    }

    private func end(_ state: Session.State) {
      owner.worker?.finish(discardsFiles: state == .cancelled)
      try? session.end(state)
    }
  }

  /// What ended the connection, in the words of what went wrong here when that is known.
  fileprivate func fault(_ code: ErrorCode) -> TransferError { worker?.fault ?? TransferError(code, theirs: false) }

  private func worker(
    for session: OpenSession, answers: Mailbox<ImportWorker.Answer>, device: TransferDevice
  ) -> ImportWorker {
    if let worker { return worker }
    let home = setting.home
    let made = ImportWorker(
      token: session.token, label: device.name, peerIncarnation: session.details.peerIncarnationBytes,
      person: setting.person, answers: answers, applying: ThreadQueue("wherry.apply"),
      preparing: ThreadQueue("wherry.prepare"),
      asking: ThreadQueue("wherry.ask"), openStore: { try RecordStore.open(home: home) },
      tap: tap, files: files(for: session), freeSpace: { Self.freeSpace(at: home.data) },
      remember: { granted, totals, incarnation in
        try session.update { row, details in
          row.types = granted
          details.isGranted = true
          if !totals.isEmpty { details.totalsByType = totals }
          details.peerIncarnation = incarnation.map { hexadecimal($0) }
        }
      },
      rememberChoice: { chosen, totals, note in
        try session.update { row, details in
          row.types = chosen
          details.isChosen = true
          if !totals.isEmpty { details.totalsByType = totals }
          if let note { details.resources = SessionDetails.Resources(note, size: 0) }
        }
      })
    made.begin(totals: session.details.totalsByType, note: session.details.resources?.note)
    worker = made
    return made
  }

  private func files(for session: OpenSession) -> ImportWorker.Files? {
    guard let resources else { return nil }
    let token = session.token.description
    let parent = (resources.destination as NSString).deletingLastPathComponent
    return ImportWorker.Files(
      open: { try ResourceStaging(destination: resources.destination, token: token) }, place: resources.place,
      freeSpace: { Self.freeSpace(at: parent.isEmpty ? "." : parent) })
  }

  /// Bytes that may still be written there; nil when the system does not say.
  private static func freeSpace(at path: String) -> Int64? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    return Int64(clamping: UInt64(status.f_bavail) &* UInt64(status.f_frsize))
  }
}
