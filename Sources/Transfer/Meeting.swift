package import Channel
package import Crypto

/// How the two ends of a transfer find each other.
package enum Meeting: Sendable {
  /// Show a code and listen; no endpoint: all addresses, any free port.
  case showing(listen: [Endpoint])
  /// Use a code that the other end shows.
  case answering(AnsweredCode)
  /// Go on with an open transfer: its token's first digits, or the newest. `at`, `listen`: where, if not as before.
  case resuming(String?, at: [Endpoint], listen: [Endpoint])
}

/// A code that was typed or scanned, and where to look for the device that shows it.
package struct AnsweredCode: Sendable {
  /// What the key exchange uses.
  package var secret: SecureBytes
  /// How it came.
  package var means: PairingMeans
  /// The listener's key, when a QR code named it.
  package var peer: PeerID?
  /// Where the device may be, best first; asked before each attempt.
  package var find: @Sendable () throws(TransferError) -> [Endpoint]

  /// With everything.
  package init(
    secret: SecureBytes, means: PairingMeans, peer: PeerID?,
    find: @escaping @Sendable () throws(TransferError) -> [Endpoint]
  ) {
    self.secret = secret
    self.means = means
    self.peer = peer
    self.find = find
  }
}
