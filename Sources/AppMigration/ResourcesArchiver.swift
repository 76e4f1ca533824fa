public import Foundation
internal import BrowsingData
internal import Resources
internal import Synchronization

/// Takes an export's files, one after another, and streams them to the importer. There is never a second copy of a file on
/// the disk; so an appended file must stay as it is until `exportResources` returns. One that changes while it is read is
/// read again.
public final class ResourcesArchiver: Sendable {
  private let list: ResourceList
  private let heartbeat: Heartbeat

  /// So many bytes may be appended ahead of what has been read.
  private static let ahead: Int64 = 8 << 20

  init(_ list: ResourceList, _ heartbeat: Heartbeat) {
    self.list = list
    self.heartbeat = heartbeat
  }

  /// Appends a file, a link, or a folder with all that it holds. Returns when there is room for more: a slow importer makes
  /// the extension wait.
  ///
  /// - Parameters:
  ///   - url: the file. Links are sent as links, when they lead to a place within the archive; else they are left out.
  ///   - pathInArchive: where it goes, relative to the archive's root; nil: the last part of `url`.
  /// - Throws: `CancellationError` when the migration has ended: do not catch it. ``MigrationError`` with `badItem` when there
  ///   is no such file, or the path leads outside of the archive.
  public func appendItem(at url: URL, pathInArchive: String? = nil) async throws {
    try Task.checkCancellation()
    let path = pathInArchive ?? url.lastPathComponent
    do throws(ResourcePath.Fault) {
      _ = try ResourcePath(path)
    } catch {
      throw MigrationError(.badItem, "An item cannot be appended: \(error.rawValue).")
    }
    guard ResourceTree.entry(at: url.path, path: path) != nil else {
      throw MigrationError(.badItem, "An item is no file, folder or link, or is not there.")
    }
    try ResourceTree.append(url.path, as: path, to: list)
    heartbeat.beat()
    try await waitForRoom()
  }

  private func waitForRoom() async throws {
    while !list.hasRead(list.end - ResourcesArchiver.ahead) {
      try Task.checkCancellation()
      try await Task.sleep(for: .milliseconds(2))
      // It waits for the importer: that is no fault of the extension's.
      heartbeat.beat()
    }
  }
}

/// When an extension was last seen to go on.
final class Heartbeat: Sendable {
  private let last = Mutex(ContinuousClock.now)
  func beat() { last.withLock { $0 = .now } }
  var silence: Duration { last.withLock { $0.duration(to: .now) } }

  /// Waits until nothing was heard for so long, then returns; or until the task is cancelled.
  func wait(for patience: Duration) async throws {
    while true {
      let left = patience - silence
      if left <= .zero { return }
      try await Task.sleep(for: left)
    }
  }
}
