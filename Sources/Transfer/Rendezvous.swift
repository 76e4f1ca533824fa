import Channel
import Wire

/// One authenticated connection to the device at the other end, ready for the session's messages.
struct Contact {
  let link: MessageLink
  /// Who it is, by its key.
  let peer: PeerID
  /// How it is shown.
  let device: TransferDevice
  /// The transfer that both ends mean.
  let token: TransferToken
  /// Whether it was known before by its key, so that no code was needed.
  let isResumed: Bool
  /// The difference of the two clocks in seconds, positive when the peer's is ahead.
  let clockSkew: Int64
}

/// How a session gets its connections: one side dials, the other waits. Used by the session's thread.
protocol Rendezvous: AnyObject {
  /// The next connection. Blocks until there is one, `deadline` has passed (`interrupted`), or the person stops it (`stopped`).
  func next(until deadline: Deadline) throws(TransferError) -> Contact
  /// Milliseconds before it tries again by itself; 0 when the other side must connect.
  func delay() -> Int
  /// The connection stood.
  func stood()
  /// A newer connection of the same peer waits.
  var hasNewerConnection: Bool { get }
  /// Sends that newer connection away: the older one lives.
  func refuseNewer()
  /// Nothing more is awaited.
  func close()
}

/// Who this end is and whom it lets in: what every opening of a connection needs.
struct Introduction: Sendable {
  let identity: DeviceIdentity
  /// Shown on the other side, after authentication.
  let name: String
  /// "wherry" and its version.
  let software: String
  /// What it is in its connections.
  let role: Role
  /// The port on which it listens for devices that it knows; nil when it does not, or in a transfer.
  var port: UInt16?
}

extension Role {
  /// What the other end must be.
  var counterpart: Role {
    switch self {
    case .export: .import
    case .import: .export
    case .sync: .sync
    }
  }
}
