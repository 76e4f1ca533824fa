package import BrowsingData
import Foundation
import Glibc
import Store

/// A transfer of another program that ended in the middle, as it lies in the home that it had (`GuestHome`).
package struct UnfinishedSession: Sendable {
  /// The transfer's UUID.
  package let token: TransferToken
  /// Whether it exports; else it imports.
  package let isExport: Bool
  /// What was agreed on; before that, what was offered.
  package let types: DataTypes
  /// Whether the exporter's person has agreed.
  package let isGranted: Bool
  /// Of an export: whether its source has been read to its end. Of an import: whether everything is here.
  package let isComplete: Bool
  /// Whether both devices know that it is complete: the app alone has not taken all of it.
  package let isConfirmed: Bool
  /// The other device; its name is a peer's text.
  package let device: TransferDevice
  /// When the two last heard of each other.
  package let lastContact: Timestamp
  /// The home's folder.
  let root: String

  /// The one that can be gone on with in a home; nil when there is none. Throws when that cannot be found out now.
  init?(in home: Home, root: String) throws {
    let sessions = try RecordStore.open(home: home).sessions()
    guard let row = sessions.first(where: { $0.isResumable || $0.isReceived }),
      let token = TransferToken(bytes: row.token)
    else { return nil }
    let details = SessionDetails(row)
    self.token = token
    self.root = root
    isExport = row.role == .exporter
    isGranted = details.isGranted
    types = details.isGranted ? row.types : DataTypes(details.totalsByType.keys)
    isComplete = isExport ? details.isCaptured : row.state != .open
    isConfirmed = row.state == .done
    device = TransferDevice(
      id: hexadecimal(row.peerKey ?? []), name: details.peerName, software: details.peerSoftware ?? "")
    lastContact = row.lastContact
  }

  /// Those below a folder that no living program has, and that can be gone on with. The others are removed.
  package static func all(below folder: String) -> [UnfinishedSession] {
    GuestHome.abandoned(below: folder).compactMap { root in
      guard let lock = GuestHome.take(root) else { return nil }
      defer { close(lock) }
      do {
        let home = try Home.open(root, asGuest: true)
        if let session = try UnfinishedSession(in: home, root: root) { return session }
      } catch {
        // A disk that is full for the moment, for example, takes nothing away.
        return nil
      }
      try? FileManager.default.removeItem(atPath: root)
      return nil
    }
  }

  /// Gives it up: the other side is not told, and forgets it after its time.
  package func remove() {
    guard let lock = GuestHome.take(root) else { return }
    try? FileManager.default.removeItem(atPath: root)
    close(lock)
  }
}

extension Session {
  /// An import that is over for both devices; its home would be gone if the app had taken everything.
  fileprivate var isReceived: Bool {
    role == .importer && state == .done
      && WallClock.now.microseconds - lastContact.microseconds < Session.lifetime
  }
}

extension Meeting {
  /// Goes on with this transfer. `at`, `listen`: where, `HOST:PORT`, if not as before.
  package static func resuming(
    _ session: UnfinishedSession, at: [String], listen: [String]
  ) throws(TransferError) -> Meeting {
    guard case .resuming(_, let at, let listen) = try resuming(at: at, listen: listen) else {
      return .resuming(session.token.description, at: [], listen: [])
    }
    return .resuming(session.token.description, at: at, listen: listen)
  }
}
