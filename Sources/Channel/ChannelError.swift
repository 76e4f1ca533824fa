package import Crypto

/// What can go wrong between two devices, by whose fault. Holds no code, no key, no byte of content.
package enum ChannelError: Error, Equatable, Sendable {
  /// Nobody answers there; the system's reason.
  case unreachable(String)
  /// An address that cannot be listened on; the system's reason.
  case cannotListen(String)
  /// A deadline passed.
  case timedOut
  /// The peer or the network ended the connection.
  case closedByPeer
  /// Woken before it was done.
  case cancelled
  /// A pairing code that is wrong, mistyped, expired or used up.
  case wrongPairingCode
  /// The peer's key is not the one that is pinned: another device, or somebody between.
  case identityChanged
  /// The peer does not accept this device's key: never paired there, or forgotten.
  case refusedByPeer
  /// What answers there is no Wherry, or one that has nothing in common with this one.
  case incompatible
  /// TLS failed for another reason.
  case tls(CryptoError)
  /// This device's own key file.
  case identityFile(IdentityFault)
  /// A system call failed in a way that nothing above says.
  case system(String, errno: Int32)

  /// What is wrong with this device's key file.
  package enum IdentityFault: Equatable, Sendable {
    /// Group or others may read it, or it belongs to somebody else.
    case tooOpen
    /// It holds no Ed25519 key.
    case damaged
    /// It can be neither read nor made; the system's error number.
    case unusable(errno: Int32)
  }

  /// Runs what throws the other room's error and throws this room's.
  static func tls<T>(_ body: () throws(CryptoError) -> T) throws(ChannelError) -> T {
    do throws(CryptoError) { return try body() } catch { throw .tls(error) }
  }

  init(_ failure: TLSFailure) {
    switch failure {
    case .untrustedPeer: self = .identityChanged
    case .refusedByPeer: self = .refusedByPeer
    case .incompatible: self = .incompatible
    case .broken(let error): self = .tls(error)
    }
  }
}
