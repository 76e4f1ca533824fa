import Foundation
import Store
import Transfer

/// Looks after the attached profiles while a sync stays: a profile that changed is looked through, at most once a minute,
/// and one that can be written gets what came. On a thread of its own.
final class ProfileKeeper: @unchecked Sendable {
  // Reason for @unchecked: every mutable property is used under the lock of `condition` only.
  private let condition = NSCondition()
  private var isStale = true
  private var isOver = false
  private var watches: [FileWatch] = []
  private let context: Context
  private let force: Bool

  /// The shortest time between two looks, in seconds.
  private static let pause = 60.0

  init(_ context: Context, force: Bool) {
    self.context = context
    self.force = force
  }

  /// From now on.
  func begin() throws {
    let folders = try context.openStore().attachments().map(\.path)
    guard !folders.isEmpty else { return }
    watches = try folders.map { try FileWatch(folder: $0, names: "") { [self] in look() } }
    Thread.detachNewThread { [self] in run() }
  }

  /// Something changed, in a profile or in the store.
  func look() {
    condition.withLock {
      isStale = true
      condition.broadcast()
    }
  }

  func end() {
    for watch in watches { watch.close() }
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }

  private func run() {
    guard let store = try? context.openStore() else { return }
    let profiles = AttachedProfiles(context, force: force)
    while true {
      let goesOn = condition.withLock {
        while !isStale, !isOver { condition.wait() }
        isStale = false
        return !isOver
      }
      guard goesOn else { return }
      profiles.scanAll(store)
      profiles.deliverAll(store)
      condition.withLock {
        let end = Date(timeIntervalSinceNow: ProfileKeeper.pause)
        while !isOver, condition.wait(until: end) {}
      }
    }
  }
}
