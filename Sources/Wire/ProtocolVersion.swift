/// Versions of the messages. The framing's version is the ALPN name.
package struct ProtocolVersion: Hashable, Sendable {
  /// The oldest one spoken, at least 1.
  package var oldest: UInt16
  /// The newest one spoken.
  package var newest: UInt16

  /// With both ends of the range.
  package init(oldest: UInt16, newest: UInt16) {
    self.oldest = oldest
    self.newest = newest
  }

  /// What this program speaks.
  package static let supported = ProtocolVersion(oldest: 1, newest: 1)
  /// The ALPN name of the framing.
  package static let applicationProtocol = "wherry/1"

  /// The newest version that both speak. Throws `incompatible(.version)` when there is none, or when it is below
  /// `pinned`, the newest ever spoken with this peer: nobody in between can talk the two down.
  package func negotiate(with peer: ProtocolVersion, notBelow pinned: UInt16 = 0) throws(WireError) -> UInt16 {
    let chosen = min(newest, peer.newest)
    guard chosen >= max(oldest, peer.oldest), chosen >= pinned else { throw .incompatible(.version) }
    return chosen
  }
}
