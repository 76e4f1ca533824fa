internal import BrowsingData
internal import Foundation
internal import Synchronization
internal import Transfer

/// One export, from the sheet's choice to its end: a session on a thread of its own, fed through a pipe.
final class RunningExport: TransferPerson {
  let pipe = RecordPipe<BrowserData>(capacity: 256)
  /// What both people agreed on.
  let granted = Promise<ExportOptions.DataTypes>()
  /// How it ended.
  let outcome = Promise<TransferSummary>()
  private let stop = StopSignal()
  private let scene: TransferScene
  private let chosen: ExportOptions.DataTypes
  private let source: PipeSource
  private let token = Mutex<UUID?>(nil)

  /// So many batches may lie on this device's disk before they are sent.
  private static let backlog = 16

  init(scene: TransferScene, metadata: ExportMetadata, types: ExportOptions.DataTypes) {
    self.scene = scene
    chosen = types
    source = PipeSource(
      pipe, metadata: metadata, types: types,
      from: Application(id: scene.applicationIdentifier, name: scene.applicationName))
  }

  /// Begins.
  func start(_ meeting: Meeting) {
    detach { [self] in try send(try GuestHome(below: scene.folder), meeting) }
  }

  /// Goes on where a former program was; the app yields everything once more, and what is known is not sent again.
  func start(_ session: UnfinishedSession, _ meeting: Meeting) {
    token.withLock { $0 = UUID(session.token) }
    if session.isGranted { granted.keep(.success(ExportOptions.DataTypes(session.types))) }
    if session.isComplete {
      // Nobody asks for it: it only has to be taken from the app.
      Thread.detachNewThread { [source] in try? source.read(source.types) { _ in } }
    }
    detach { [self] in try send(try GuestHome(of: session), meeting) }
  }

  private func detach(_ body: @escaping @Sendable () throws -> Void) {
    Thread.detachNewThread { [self] in
      let result = Result<TransferSummary, any Error> {
        do {
          try body()
          return summary
        } catch {
          throw BrowserDataExchangeError(.export, stop.isCancelled ? CancellationError() : error)
        }
      }
      pipe.close(CancellationError())
      if case .failure(let error) = result { granted.keep(.failure(error)) }
      outcome.keep(result)
    }
  }

  private func send(_ home: GuestHome, _ meeting: Meeting) throws {
    do {
      let session = try ExportSession(
        scene.setting(home, person: self, stop: stop), reopen: { [self] _ in sessionSource },
        explain: { $0 as? TransferError ?? TransferError(cause: $0) })
      _ = try session.run(meeting, sources: [sessionSource], types: chosen.types)
    } catch {
      // Unless somebody has ended it for good it can be gone on with.
      if stop.isCancelled { home.remove() } else { home.leave() }
      throw error
    }
    home.remove()
  }

  private var sessionSource: ExportSession.Source {
    let source = source
    return ExportSession.Source(
      words: scene.applicationIdentifier, backlog: Self.backlog,
      abandon: { [pipe] in pipe.close(CancellationError()) }, open: { source })
  }

  /// Ends it on both sides, unless it has ended already.
  func cancel() { if pipe.close(CancellationError()) { stop.cancel() } }

  var summary: TransferSummary {
    var summary = source.summary
    summary.token = token.withLock { $0 }
    return summary
  }

  // MARK: - The session's person

  func hear(_ event: TransferEvent) {
    if let notice = TransferNotice(event) { scene.sheet.show(notice) }
  }

  func hear(token bytes: TransferToken) { token.withLock { $0 = UUID(bytes) } }

  func choose(from offer: [DataType: Int], of device: Transfer.TransferDevice) -> BrowsingData.DataTypes? { nil }

  func grants(
    _ types: BrowsingData.DataTypes, wantsSecrets: Bool, counts: [DataType: Int], to device: Transfer.TransferDevice
  ) -> BrowsingData.DataTypes? {
    let kinds = ExportOptions.DataTypes(types).intersection(chosen)
    let sheet = scene.sheet
    guard !kinds.isEmpty, waiting(for: { await sheet.agrees(toExport: kinds, to: TransferDevice(device)) }) else {
      return nil
    }
    granted.keep(.success(kinds))
    return kinds.types
  }

  /// Blocks a thread of the session, never one that runs tasks.
  private func waiting(for answer: @escaping @Sendable () async -> Bool) -> Bool {
    let done = DispatchSemaphore(value: 0)
    let box = Mutex(false)
    let keep: @Sendable (Bool) -> Void = { value in box.withLock { $0 = value } }
    Task {
      keep(await answer())
      done.signal()
    }
    done.wait()
    return box.withLock { $0 }
  }
}

extension UUID {
  init?(_ token: TransferToken) { self.init(uuidString: token.description) }
}
