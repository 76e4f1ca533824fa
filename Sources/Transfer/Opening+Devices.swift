import Channel
import Crypto
import Wire

/// One authenticated connection between two paired devices.
struct DeviceContact {
  let link: MessageLink
  /// Who it is, by its key.
  let peer: PeerID
  /// What it calls itself; a peer's text.
  let name: String
  /// The port on which it listens; nil when it does not.
  let port: UInt16?
  /// The difference of the two clocks in seconds, positive when the peer's is ahead.
  let clockSkew: Int64
  /// Whether this end dialed.
  let isDialed: Bool
}

// Connections in role sync: two devices become known to each other, or are.
extension Opening {
  /// Listener: pairs with a visitor who knows the code.
  func acceptPairing(
    _ offer: CodeOffer, authenticated: () -> Void, pin: (PeerID) throws -> Void
  ) throws(OpeningFailure) -> DeviceContact {
    try handshake()
    let (own, theirs, peer) = try exchangeHellos(token: nil)
    try pair(
      listening: offer, own: own, theirs: theirs, peer: peer, paired: Paired(mode: .persistent), pin: pin)
    authenticated()
    return try contact(peer, isDialed: false)
  }

  /// Connector: pairs by the code that was typed or scanned.
  func connectPairing(
    _ secret: (bytes: SecureBytes, means: PairingMeans), pin: (PeerID) throws -> Void
  ) throws(OpeningFailure) -> DeviceContact {
    try handshake()
    let (own, theirs, peer) = try exchangeHellos(token: nil)
    _ = try pair(connecting: secret, mode: .persistent, own: own, theirs: theirs, peer: peer) { try pin(peer) }
    return try contact(peer, isDialed: true)
  }

  /// Either end, of two that know each other: the handshake has seen to that.
  func recognize(isDialed: Bool, authenticated: () -> Void = {}) throws(OpeningFailure) -> DeviceContact {
    try handshake()
    let (_, _, peer) = try exchangeHellos(token: nil)
    authenticated()
    return try contact(peer, isDialed: isDialed)
  }

  private func contact(_ peer: PeerID, isDialed: Bool) throws(OpeningFailure) -> DeviceContact {
    let (info, clockSkew) = try introduce()
    return DeviceContact(
      link: link, peer: peer, name: info.name, port: info.port, clockSkew: clockSkew, isDialed: isDialed)
  }
}
