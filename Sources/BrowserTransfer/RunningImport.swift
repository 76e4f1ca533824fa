internal import BrowsingData
internal import Foundation
internal import Store
internal import Synchronization
internal import Transfer

/// One import, from the sheet's choice to its end: a session on a thread of its own. What is committed on this device goes
/// through a pipe to the app; while the pipe is full nothing is acknowledged, and so the exporter waits, too.
final class RunningImport: TransferPerson {
  /// An object, and what is true once the app has it.
  struct Handed: Sendable {
    var data: BrowserData
    var mark: ImportMark
  }
  private let pipe = RecordPipe<Handed>(capacity: 256)
  /// The transfer's token, once the exporter's person has agreed.
  let granted = Promise<UUID>()
  private let stop = StopSignal()
  // Not the scene: it remembers its imports for good.
  private let sheet: any TransferSheet
  private struct State {
    var token: UUID?
    var source = Source(identifier: nil, name: nil)
    var summary = TransferSummary()
    var home: GuestHome?
    /// The session is over: what is left is the app's to take.
    var isOver = false
    var isCancelled = false
    /// What the app has been given last.
    var given: ImportMark?
  }
  private let state = Mutex(State())

  /// Begins.
  init(scene: TransferScene, meeting: Meeting) {
    sheet = scene.sheet
    start { [self] in
      try run(try GuestHome(below: scene.folder)) { home in
        try receive(home, meeting, after: ImportMark(), in: scene)
      }
    }
  }

  /// Goes on where a former program was.
  init(scene: TransferScene, of session: UnfinishedSession, meeting: Meeting) {
    sheet = scene.sheet
    state.withLock { state in
      state.token = UUID(session.token)
      state.source = Source(software: session.device.software)
    }
    start { [self] in
      try run(try GuestHome(of: session)) { home in
        let mark = ImportMark(in: home.home)
        state.withLock { $0.summary = mark.summary }
        if session.isComplete {
          try finish(home, meeting, after: mark, in: scene, isConfirmed: session.isConfirmed)
        } else {
          try receive(home, meeting, after: mark, in: scene)
        }
      }
    }
  }

  private func start(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread { [self] in
      do {
        try body()
        pipe.finish()
      } catch {
        let failure = BrowserDataExchangeError(.import, stop.isCancelled ? CancellationError() : error)
        granted.keep(.failure(failure))
        pipe.close(failure)
      }
    }
  }

  private func run(_ home: GuestHome, _ body: (GuestHome) throws -> Void) throws {
    state.withLock { $0.home = home }
    do {
      try body(home)
    } catch {
      // Unless somebody has ended it for good it can be gone on with.
      if stop.isCancelled { home.remove() } else { home.leave() }
      throw error
    }
    let isCancelled = state.withLock { state in
      state.isOver = true
      return state.isCancelled
    }
    if isCancelled { home.remove() }
  }

  private func receive(
    _ home: GuestHome, _ meeting: Meeting, after mark: ImportMark, in scene: TransferScene
  ) throws {
    let session = try ImportSession(scene.setting(home, person: self, stop: stop))
    nonisolated(unsafe) let tail = records(after: mark)  // The tap is called on one thread.
    _ = try session.run(meeting) { store, isComplete in try tail.look(at: store, isComplete: isComplete) }
  }

  /// Everything is here: the app gets the rest of it, then the exporter is told, if it does not know and is still there.
  private func finish(
    _ home: GuestHome, _ meeting: Meeting, after mark: ImportMark, in scene: TransferScene, isConfirmed: Bool
  ) throws {
    if let token = state.withLock({ $0.token }) { granted.keep(.success(token)) }
    try records(after: mark).look(at: try RecordStore.open(home: home.home), isComplete: true)
    if isConfirmed { return }
    let session = try ImportSession(scene.setting(home, person: self, stop: stop))
    do { _ = try session.run(meeting) } catch { if stop.isCancelled { throw error } }
  }

  private func records(after mark: ImportMark) -> IncomingRecords {
    IncomingRecords(
      after: mark, source: { [self] in state.withLock { $0.source } }, emit: { [self] in try emit($0, $1) },
      skip: { [self] reason in state.withLock { $0.summary.skip(reason) } })
  }

  /// Ends it on both sides, unless it has ended already.
  func cancel() {
    guard pipe.close(CancellationError()) else { return }
    stop.cancel()
    let home = state.withLock { state in
      state.isCancelled = true
      return state.isOver ? state.home : nil
    }
    home?.remove()
  }

  /// The next object for the app; nil at the end, when nothing of the import is left on the disk.
  func next() async throws -> BrowserData? {
    guard let handed = try await pipe.next() else {
      state.withLock { $0.home }?.remove()
      return nil
    }
    state.withLock { $0.given = handed.mark }
    return handed.data
  }

  /// What the app has been given until now need not come again after a restart.
  func keepMark() throws {
    let (home, mark) = state.withLock { ($0.home, $0.given) }
    guard let home, let mark else { return }
    do { try mark.write(in: home.home) } catch {
      throw BrowserDataExchangeError(.import, .failed, message: "How far the import is cannot be written down.")
    }
  }

  /// What has been handed to the app, and what could not be.
  var summary: TransferSummary {
    state.withLock { state in
      var summary = state.summary
      summary.token = state.token
      return summary
    }
  }

  private func emit(_ data: BrowserData, _ mark: ImportMark) throws {
    var mark = mark
    mark.summary = state.withLock { state in
      switch data {
      case is BrowserDataBookmark: state.summary.bookmarks += 1
      case is BrowserDataHistoryVisit: state.summary.historyVisits += 1
      case is BrowserDataReadingListItem: state.summary.readingListItems += 1
      case is BrowserDataExtension: state.summary.extensions += 1
      case _: break
      }
      return state.summary
    }
    try pipe.sendBlocking(Handed(data: data, mark: mark))
  }

  // MARK: - The session's person

  func hear(token bytes: TransferToken) { state.withLock { $0.token = UUID(bytes) } }

  func hear(_ event: TransferEvent) {
    switch event {
    case .connected(let device, _): state.withLock { $0.source = Source(software: device.software) }
    case .chosen: if let token = state.withLock({ $0.token }) { granted.keep(.success(token)) }
    case .listening, .code, .offer, .progress, .interrupted, .warning: break
    }
    if let notice = TransferNotice(event) { sheet.show(notice) }
  }

  /// All that BrowserKit knows: which kinds go is chosen on the exporter's side.
  func choose(from offer: [DataType: Int], of device: Transfer.TransferDevice) -> BrowsingData.DataTypes? {
    DataTypes(offer.keys).intersection(.withoutSecrets)
  }

  func grants(
    _ types: BrowsingData.DataTypes, wantsSecrets: Bool, counts: [DataType: Int], to device: Transfer.TransferDevice
  ) -> BrowsingData.DataTypes? { nil }
}
