import BrowsingData
import Store
import Wire

/// Reads the sources into the store that this transfer sends, on a thread of its own, while what is captured already flows.
final class Capture: @unchecked Sendable {
  // Reason for @unchecked: everything but `state`, which guards itself, is immutable; the stores and sources are made and
  // used on the capture's own queue.
  let state = CaptureState()
  private let sources: [ExportSession.Source]
  private let openStore: @Sendable () throws -> RecordStore
  private let label: String
  private let spoolsHistory: Bool
  private let queue: any WorkQueue
  private let explain: @Sendable (any Error) -> TransferError
  private let ended: @Sendable () -> Void

  /// No sources: the store is sent as it is. `ended` is called when everything is captured, on the capture's thread.
  /// `isOwnStore`: the store is this transfer's own, and goes with it.
  init(
    sources: [ExportSession.Source], label: String, isOwnStore: Bool, queue: any WorkQueue,
    openStore: @escaping @Sendable () throws -> RecordStore, explain: @escaping @Sendable (any Error) -> TransferError,
    ended: @escaping @Sendable () -> Void
  ) {
    self.sources = sources
    self.label = label
    // Visits of two sources may be the same ones: only rows tell.
    spoolsHistory = isOwnStore && sources.count == 1
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
        var options = ImportOptions(kind: .capture, label: label)
        if spoolsHistory { options.encodeHistory = HistoryFrames.make() }
        let run = try store.beginImport(options)
        defer { run.abandon() }
        for source in sources {
          try source.open().read(types) { batch in
            if state.isOver { throw CancellationError() }
            try run.apply(batch)
            state.advance()
            if let backlog = source.backlog { state.waitForReader(behind: backlog) }
          }
        }
        state.complete(try run.finish())
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

/// How a spooled run looks: the frame of its batch.
enum HistoryFrames {
  /// For one capture; its calls follow one another on one thread.
  static func make() -> ImportOptions.HistoryEncoding {
    let encoder = SpoolEncoder()
    return { changes, number in try encoder.encode(changes, number) }
  }

  private final class SpoolEncoder: @unchecked Sendable {
    // Reason for @unchecked: made for one capture and used on its thread only.
    private let encoder = MessageEncoder()

    func encode(_ changes: ChangeBatch, _ number: Int64) throws -> [UInt8] {
      try encoder.encode(.batch(Batch(number: number, changes: changes)))
    }
  }
}
