import Foundation
import Store
import Transfer

/// Looks after the attached profiles while a sync stays: one that changed is looked through, at most once a minute, and one
/// that can be written gets what came into the store, from wherever. Profiles that are attached or detached meanwhile are
/// followed. On a thread of its own.
final class ProfileKeeper: @unchecked Sendable {
  // Reason for @unchecked: `news`, `isOver` and `storeWatch` are used under the lock of `condition`, `watches` on the thread.
  private let condition = NSCondition()
  private var news = News(profile: true, store: true)
  private var isOver = false
  private var storeWatch: FileWatch?
  private var watches: [String: FileWatch] = [:]
  private let context: Context
  private let force: Bool

  /// What may have changed since the last look.
  private struct News {
    var profile = false
    var store = false
  }

  /// The shortest time between two looks, in seconds.
  private static let pause = 60.0

  init(_ context: Context, force: Bool) {
    self.context = context
    self.force = force
  }

  /// From now on.
  func begin() throws {
    let watch = try FileWatch(folder: context.openHome().data, names: "store.sqlite") { [self] in
      tell { $0.store = true }
    }
    condition.withLock { storeWatch = watch }
    Thread.detachNewThread { [self] in run() }
  }

  func end() {
    condition.withLock {
      storeWatch?.close()
      isOver = true
      condition.broadcast()
    }
  }

  private func tell(_ change: (inout News) -> Void) {
    condition.withLock {
      change(&news)
      condition.broadcast()
    }
  }

  private func run() {
    guard let store = try? context.openStore() else { return }
    let profiles = AttachedProfiles(context, force: force)
    var mark: ChangeMark?
    while let heard = nextNews() {
      let attached = (try? store.attachments()) ?? []
      let isFollowed = follow(attached.map(\.path))
      var hasChanged = true
      if var known = mark { hasChanged = (try? store.hasChanged(since: &known)) ?? true }
      guard !attached.isEmpty, heard.profile || isFollowed || hasChanged else { continue }
      profiles.scanAll(store)
      profiles.deliverAll(store)
      // What this look has written is no news.
      mark = try? store.changeMark()
      rest()
    }
    for watch in watches.values { watch.close() }
  }

  /// Waits for some; nil when it is over.
  private func nextNews() -> News? {
    condition.withLock {
      while !news.profile, !news.store, !isOver { condition.wait() }
      defer { news = News() }
      return isOver ? nil : news
    }
  }

  private func rest() {
    condition.withLock {
      let end = Date(timeIntervalSinceNow: ProfileKeeper.pause)
      while !isOver, condition.wait(until: end) {}
    }
  }

  /// Watches these folders and no others; whether one of them is new.
  private func follow(_ folders: [String]) -> Bool {
    for (folder, watch) in watches where !folders.contains(folder) {
      watch.close()
      watches[folder] = nil
    }
    var isNew = false
    for folder in folders where watches[folder] == nil {
      // One that is not there now is tried again at the next change of the store.
      watches[folder] = try? FileWatch(folder: folder, names: "") { [self] in tell { $0.profile = true } }
      if watches[folder] != nil { isNew = true }
    }
    return isNew
  }
}
