import BrowsingData
import Channel
import Store

/// The row of a transfer in the main store: what a restart needs to know. Used by the session's thread.
final class OpenSession {
  private let store: RecordStore
  private(set) var row: Session
  private(set) var details: SessionDetails

  /// A transfer that begins; written for the first time when the peer is pinned.
  init(_ store: RecordStore, token: TransferToken, role: Session.Role, details: SessionDetails) {
    self.store = store
    self.details = details
    row = Session(token: token.bytes, role: role, peerKey: nil, types: [], started: WallClock.now)
  }

  /// A transfer that is known: the one whose token begins so, or the newest open one.
  init(_ store: RecordStore, resuming prefix: String?, role: Session.Role) throws(TransferError) {
    let rows: [Session]
    do { rows = try store.sessions() } catch { throw TransferError(cause: error) }
    let wanted = rows.first { row in
      guard row.role == role, let token = TransferToken(bytes: row.token) else { return false }
      if let prefix { return token.description.hasPrefix(prefix.lowercased()) }
      return row.isResumable
    }
    guard let wanted else {
      throw TransferError(
        .notFound, prefix == nil ? "There is no open transfer." : "There is no transfer with that number.",
        hint: "'wherry status' lists the open ones.")
    }
    guard wanted.isResumable else {
      throw TransferError(.notFound, "That transfer is over.", hint: "Start a new one.")
    }
    self.store = store
    row = wanted
    details = SessionDetails(wanted)
  }

  /// Its token.
  var token: TransferToken { TransferToken(bytes: row.token) ?? .random() }
  /// The peer that is pinned for it.
  var peer: PeerID? { row.peerKey.flatMap { PeerID(bytes: $0) } }

  /// Changes it and writes it durably. What cannot be written is not changed.
  func update(_ change: (inout Session, inout SessionDetails) -> Void) throws {
    var (changed, said) = (row, details)
    change(&changed, &said)
    changed.lastContact = WallClock.now
    changed.details = said.encoded
    try store.save(changed)
    (row, details) = (changed, said)
  }

  /// The row as it would be written now.
  var snapshot: Session {
    var copy = row
    copy.details = details.encoded
    return copy
  }

  /// The dialing side has met the listener, which named the transfer: from now on it can be resumed.
  func begin(_ token: TransferToken, with peer: PeerID) throws {
    row.token = token.bytes
    try met(peer)
  }

  /// The two have met: from now on it can be resumed.
  func met(_ peer: PeerID) throws { try update { row, _ in row.peerKey = peer.bytes } }

  /// Where this end listens.
  func remember(listening endpoints: [Endpoint]) {
    details.isListener = true
    details.listening = endpoints.map(\.description)
  }

  /// Where the other end answered.
  func remember(address: Endpoint) {
    let text = address.description
    details.addresses = [text] + details.addresses.filter { $0 != text }.prefix(7)
  }

  /// It is over: the pinned key goes, what was brought stays.
  func end(_ state: Session.State) throws {
    guard row.peerKey != nil || row.state != state else { return }
    try update { row, _ in
      row.state = state
      row.peerKey = nil
    }
  }
}

extension Session {
  /// How long a transfer lives after the last contact: 7 days (protocol.md 3).
  static let lifetime: Int64 = 7 * 86_400 * 1_000_000

  /// Whether `--resume` may go on with it.
  package var isResumable: Bool {
    guard peerKey != nil, WallClock.now.microseconds - lastContact.microseconds < Session.lifetime else { return false }
    switch state {
    case .open, .ending: return true
    case .done, .cancelled: return false
    }
  }
}
