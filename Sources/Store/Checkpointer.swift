internal import Dispatch
internal import SQLite
internal import Synchronization

/// Carries a store's write-ahead log over into its file on a thread of its own, while the store goes on writing: waiting
/// for the disk would else be half of a transfer's time.
final class Checkpointer: @unchecked Sendable {
  // Reasons for @unchecked: 1. `database` is used on `queue` only; 2. `isBusy` is atomic; 3. the rest is immutable.

  /// From so many pages in the log on it is carried over (16 MiB).
  private static let enough = 1_000
  /// At so many the writer waits until it is, and the log begins anew (48 MiB). Each time it waits for the disk; but a
  /// longer log has to be allocated, and deleting it in the end waits for the disk as well.
  private static let tooMany = 3_000

  private let path: String
  private let queue = DispatchQueue(label: "wherry.checkpoint")
  private let isBusy = Atomic<Bool>(false)
  private var database: Database?

  init(path: String) { self.path = path }

  /// The log of the store holds so many pages. Called after each commit on the writer's thread.
  func note(pages: Int) {
    if pages >= Checkpointer.tooMany {
      // Nobody writes meanwhile: all is carried over, and the next write begins the log anew.
      queue.sync { checkpoint() }
    } else if pages >= Checkpointer.enough, !isBusy.exchange(true, ordering: .acquiringAndReleasing) {
      queue.async { [self] in
        checkpoint()
        isBusy.store(false, ordering: .releasing)
      }
    }
  }

  /// Ends it: nothing is under way any more.
  func finish() { queue.sync { database = nil } }

  /// A failure costs nothing but a longer log: the next commit tries again, and closing the store does.
  private func checkpoint() {
    do {
      let database = try database ?? Database(path: path, mode: .readWrite)
      self.database = database
      try database.execute("PRAGMA synchronous = NORMAL; PRAGMA wal_checkpoint(PASSIVE)")
    } catch {
      database = nil
    }
  }
}
