import Foundation

/// A folder that goes when the test does.
package final class TemporaryDirectory {
  /// Where it is.
  package let path: String

  /// Makes it, readable by this user alone.
  package init() {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("wherry-test-\(UUID().uuidString)")
    try? FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    path = folder.path
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// The path of something in it.
  package func file(_ name: String) -> String { path + "/" + name }
}
