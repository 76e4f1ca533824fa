import Foundation
package import Store

/// A home for one transfer in another program: nothing of it is left when the last reference goes.
package final class GuestHome: Sendable {
  /// The home.
  package let home: Home
  private let root: String

  /// Makes it below `folder`, or below the system's folder for temporary things.
  package init(below folder: String?) throws(TransferError) {
    let parent = folder ?? FileManager.default.temporaryDirectory.path
    root = parent + "/wherry-" + UUID().uuidString.lowercased()
    do {
      home = try Home.open(root, asGuest: true)
    } catch {
      try? FileManager.default.removeItem(atPath: root)
      throw TransferError(cause: error)
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }
}
