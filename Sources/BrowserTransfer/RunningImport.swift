internal import BrowsingData
internal import Foundation
internal import Synchronization
internal import Transfer

/// One import, from the sheet's choice to its end: a session on a thread of its own. What is committed on this device goes
/// through a pipe to the app; while the pipe is full nothing is acknowledged, and so the exporter waits, too.
final class RunningImport: TransferPerson {
  let pipe = RecordPipe<BrowserData>(capacity: 256)
  /// The transfer's token, once the exporter's person has agreed.
  let granted = Promise<UUID>()
  private let stop = StopSignal()
  private let scene: TransferScene
  private struct State {
    var token: UUID?
    var source = Source(identifier: nil, name: nil)
    var summary = TransferSummary()
  }
  private let state = Mutex(State())

  /// Begins.
  init(scene: TransferScene, meeting: Meeting) {
    self.scene = scene
    Thread.detachNewThread { [self] in
      do {
        let home = try GuestHome(below: scene.folder)
        let session = try ImportSession(scene.setting(home, person: self, stop: stop))
        let records = IncomingRecords(
          source: { [self] in state.withLock { $0.source } }, emit: { [self] in try emit($0) },
          skip: { [self] reason in state.withLock { $0.summary.skip(reason) } })
        nonisolated(unsafe) let tail = records  // The tap is called on one thread.
        _ = try session.run(meeting) { store, isComplete in try tail.look(at: store, isComplete: isComplete) }
        pipe.finish()
      } catch {
        let failure = BrowserDataExchangeError(.import, stop.isCancelled ? CancellationError() : error)
        granted.keep(.failure(failure))
        pipe.close(failure)
      }
    }
  }

  /// Ends it on both sides, unless it has ended already.
  func cancel() { if pipe.close(CancellationError()) { stop.cancel() } }

  /// What has been handed to the app, and what could not be.
  var summary: TransferSummary {
    state.withLock { state in
      var summary = state.summary
      summary.token = state.token
      return summary
    }
  }

  private func emit(_ data: BrowserData) throws {
    try pipe.sendBlocking(data)
    state.withLock { state in
      switch data {
      case is BrowserDataBookmark: state.summary.bookmarks += 1
      case is BrowserDataHistoryVisit: state.summary.historyVisits += 1
      case is BrowserDataReadingListItem: state.summary.readingListItems += 1
      case is BrowserDataExtension: state.summary.extensions += 1
      case _: return
      }
    }
  }

  // MARK: - The session's person

  func hear(token bytes: TransferToken) { state.withLock { $0.token = UUID(bytes) } }

  func hear(_ event: TransferEvent) {
    switch event {
    case .connected(let device, _): state.withLock { $0.source = Source(software: device.software) }
    case .chosen: if let token = state.withLock({ $0.token }) { granted.keep(.success(token)) }
    case .listening, .code, .offer, .progress, .interrupted, .warning: break
    }
    if let notice = TransferNotice(event) { scene.sheet.show(notice) }
  }

  /// All that BrowserKit knows: which kinds go is chosen on the exporter's side.
  func choose(from offer: [DataType: Int], of device: Transfer.TransferDevice) -> BrowsingData.DataTypes? {
    DataTypes(offer.keys).intersection(.withoutSecrets)
  }

  func grants(
    _ types: BrowsingData.DataTypes, wantsSecrets: Bool, counts: [DataType: Int], to device: Transfer.TransferDevice
  ) -> BrowsingData.DataTypes? { nil }
}
