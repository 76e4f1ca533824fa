internal import COpenSSL

/// Why a TLS connection ended other than by `close_notify`.
package enum TLSFailure: Error, Equatable, Sendable {
  /// This device's `accepts` said no to the peer's key, or the peer showed no Ed25519 certificate.
  case untrustedPeer
  /// The peer said no to this device's key.
  case refusedByPeer
  /// Nothing in common: another TLS version, no TLS at all on the other side, another application protocol.
  case incompatible(CryptoError)
  /// Anything else: changed bytes, a broken peer.
  case broken(CryptoError)

  /// Reads and clears this thread's error stack.
  static func take(from session: OpaquePointer?, after call: String) -> TLSFailure {
    let reason = ERR_GET_REASON(ERR_peek_last_error())
    let error = CryptoError.takeStack(after: call)
    if SSL_get_verify_result(session) == Int(X509_V_ERR_CERT_REJECTED) { return .untrustedPeer }
    switch reason {
    case SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE: return .untrustedPeer
    // Alerts about certificates: 42 bad … 49 access denied, 116 certificate required; OpenSSL adds 1000.
    case 1042...1046, 1048, 1049, 1116: return .refusedByPeer
    // 40 handshake failure, 70 protocol version, 120 no application protocol.
    case 1040, 1070, 1120, SSL_R_WRONG_VERSION_NUMBER, SSL_R_UNSUPPORTED_PROTOCOL, SSL_R_HTTP_REQUEST,
      SSL_R_NO_SUITABLE_SIGNATURE_ALGORITHM, SSL_R_NO_SHARED_CIPHER, SSL_R_NO_APPLICATION_PROTOCOL,
      SSL_R_UNKNOWN_PROTOCOL, SSL_R_PACKET_LENGTH_TOO_LONG, SSL_R_NO_SHARED_SIGNATURE_ALGORITHMS:
      return .incompatible(error)
    default: return .broken(error)
    }
  }
}
