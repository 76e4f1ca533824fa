import Foundation
import Glibc
package import Store

/// A home for one transfer in another program, below a folder of that program's. It is gone when the transfer is over; a
/// program that ends in the middle leaves it, and the next one goes on there.
package final class GuestHome: Sendable {
  /// The home.
  package let home: Home
  private let root: String
  /// The folder itself, open and locked: no other program takes it while this one lives.
  private let lock: Int32

  private static let prefix = "wherry-"

  /// Makes one below `folder`. Whatever dead transfers there were are removed.
  package convenience init(below folder: String) throws(TransferError) {
    _ = UnfinishedSession.all(below: folder)
    let made = folder + "/." + UUID().uuidString.lowercased()
    try? FileManager.default.createDirectory(
      atPath: made, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    guard let lock = GuestHome.take(made) else {
      throw TransferError(.failed, "The folder for what is on its way cannot be made.")
    }
    // Taken before it has the name by which others look for it.
    let root = folder + "/" + GuestHome.prefix + UUID().uuidString.lowercased()
    guard rename(made, root) == 0 else {
      close(lock)
      try? FileManager.default.removeItem(atPath: made)
      throw TransferError(.failed, "The folder for what is on its way cannot be made.")
    }
    do throws(StoreError) {
      try self.init(root, lock)
    } catch {
      try? FileManager.default.removeItem(atPath: root)
      throw TransferError(cause: error)
    }
  }

  /// Takes one that a former program has left; throws `notFound` when it is gone or another program has it.
  package convenience init(of session: UnfinishedSession) throws(TransferError) {
    guard let lock = GuestHome.take(session.root) else {
      throw TransferError(.notFound, "That transfer is over, or going on already.")
    }
    do throws(StoreError) { try self.init(session.root, lock) } catch { throw TransferError(cause: error) }
  }

  private init(_ root: String, _ lock: Int32) throws(StoreError) {
    self.root = root
    self.lock = lock
    do throws(StoreError) {
      home = try Home.open(root, asGuest: true)
    } catch {
      close(lock)
      throw error
    }
  }

  deinit { close(lock) }

  /// Those below a folder that no living program has.
  static func abandoned(below folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasPrefix(prefix) }.sorted().map { folder + "/" + $0 }
  }

  /// Opens and locks a folder; nil when it is not there or somebody has it.
  static func take(_ path: String) -> Int32? {
    let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW)
    guard folder >= 0 else { return nil }
    if flock(folder, LOCK_EX | LOCK_NB) == 0 { return folder }
    close(folder)
    return nil
  }

  /// The transfer is over.
  package func remove() { try? FileManager.default.removeItem(atPath: root) }

  /// This program has no more to do with it: it stays when it can be gone on with, else it is removed.
  package func leave() {
    do {
      if try UnfinishedSession(in: home, root: root) == nil { remove() }
    } catch {
      // What cannot be looked at now is kept.
      return
    }
  }
}
