import BrowsingData
import Store

/// Reads the sources into the store that this transfer sends, on a thread of its own, while what is captured already flows.
final class Capture: @unchecked Sendable {
  // Reason for @unchecked: everything but `state`, which guards itself, is immutable; the stores and sources are made and
  // used on the capture's own queue.
  let state = CaptureState()
  private let sources: [ExportSession.Source]
  private let openStore: @Sendable () throws -> RecordStore
  private let label: String
  private let queue: any WorkQueue
  private let explain: @Sendable (any Error) -> TransferError
  private let ended: @Sendable () -> Void

  /// No sources: the store is sent as it is. `ended` is called when everything is captured, on the capture's thread.
  init(
    sources: [ExportSession.Source], label: String, queue: any WorkQueue,
    openStore: @escaping @Sendable () throws -> RecordStore, explain: @escaping @Sendable (any Error) -> TransferError,
    ended: @escaping @Sendable () -> Void
  ) {
    self.sources = sources
    self.label = label
    self.queue = queue
    self.openStore = openStore
    self.explain = explain
    self.ended = ended
    if sources.isEmpty { state.complete() }
  }

  /// Begins, unless it has begun or nothing needs to be captured.
  func start(_ types: DataTypes) {
    guard state.begin() else { return }
    queue.run { [self] in
      do {
        let store = try openStore()
        let run = try store.beginImport(ImportOptions(kind: .capture, label: label))
        defer { run.abandon() }
        for source in sources {
          try source.open().read(types) { batch in
            if state.isOver { throw CancellationError() }
            try run.apply(batch)
            state.advance()
            if let backlog = source.backlog { state.waitForReader(behind: backlog) }
          }
        }
        _ = try run.finish()
        state.complete()
        ended()
      } catch is CancellationError {
        return
      } catch {
        state.fail(explain(error))
      }
    }
  }

  /// The session ends: stops at the next batch.
  func abandon() {
    state.abandon()
    for source in sources { source.abandon() }
    queue.finish()
  }
}
