import Store
import Synchronization
import Wire
import BrowsingData

/// Batches that came and are not taken yet. While one is written, the next is made ready on another thread: looking up and
/// hashing its rows is a fifth of the work.
final class WaitingBatches: Sendable {
  private let batches = Mutex<[ChangeBatch]>([])
  /// What became of the oldest one, if it could be made ready.
  private let ready = Mutex<PreparedBatch?>(nil)
  private let preparing: any WorkQueue

  init(preparing: any WorkQueue) { self.preparing = preparing }

  /// Puts one in, from any thread.
  func add(_ batch: ChangeBatch) { batches.withLock { $0.append(batch) } }

  /// Takes the oldest one out. From here on, on the thread that applies them.
  func take() -> (batch: ChangeBatch, prepared: PreparedBatch?)? {
    preparing.finish()
    let prepared = ready.withLock { ready in
      defer { ready = nil }
      return ready
    }
    return batches.withLock { $0.isEmpty ? nil : ($0.removeFirst(), prepared) }
  }

  var isEmpty: Bool { batches.withLock { $0.isEmpty } }

  /// Begins to make the oldest one ready, while `current` is applied. Pages change what visits are looked up in.
  func prepare(beside current: ChangeBatch, for run: ImportRun) {
    guard current.log != .pages, let next = batches.withLock({ $0.first }), let work = run.preparation(of: next) else {
      return
    }
    preparing.run { [self] in
      let made = work()
      ready.withLock { $0 = made }
    }
  }
}
