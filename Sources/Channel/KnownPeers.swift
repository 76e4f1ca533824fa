internal import Crypto

/// Whose keys a handshake lets in.
package enum KnownPeers: Sendable, Equatable {
  /// Only these: anyone else is refused inside the handshake.
  case pinned(Set<PeerID>)
  /// Every key: only while a code is shown or was typed, and only for what proves the code.
  case anyone

  /// Whether a key may pass. Looks at every pin in constant time.
  package func accepts(_ publicKeyHash: [UInt8]) -> Bool {
    switch self {
    case .anyone: true
    case .pinned(let peers): peers.reduce(false) { ConstantTime.equal($1.bytes, publicKeyHash) || $0 }
    }
  }
}
