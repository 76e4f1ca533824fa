internal import COpenSSL

/// What all TLS connections of one device in one role have in common: TLS 1.3 only, Ed25519 on both sides, one application
/// protocol, no tickets, no resumption, no early data; a peer is judged by its key alone, inside the handshake.
///
/// Sendable because it is never changed after `init`; OpenSSL allows many connections of one context at once.
package final class TLSContext: @unchecked Sendable {
  /// Who opens the TLS connection and who answers it.
  package enum Role: Sendable {
    /// The TLS client.
    case connector
    /// The TLS server.
    case listener
  }

  /// The role of this device.
  package let role: Role
  /// The application protocol (ALPN) that both sides must name.
  package let applicationProtocol: String
  /// SHA-256 of this device's SubjectPublicKeyInfo.
  package let publicKeyHash: [UInt8]
  let pointer: OpaquePointer
  private let judge: Judge

  /// `accepts` gets SHA-256 of the peer's SubjectPublicKeyInfo, on the thread that runs the handshake, before this device
  /// has shown its own certificate (connector) or taken a byte of the peer (listener).
  package init(
    _ role: Role, certificate: Certificate, key: PrivateKey, applicationProtocol: String,
    accepts: @escaping @Sendable ([UInt8]) -> Bool
  ) throws(CryptoError) {
    precondition((1...255).contains(applicationProtocol.utf8.count), "an application protocol has 1 to 255 bytes")
    guard let context = SSL_CTX_new(TLS_method()) else { throw .takeStack(after: "SSL_CTX_new") }
    self.role = role
    self.applicationProtocol = applicationProtocol
    publicKeyHash = certificate.publicKeyHash
    pointer = context
    let name = Array(applicationProtocol.utf8)
    judge = Judge(accepts: accepts, protocolName: name)
    let list = [UInt8(truncatingIfNeeded: name.count)] + name
    guard wherry_ctx_tls13_only(context) == 1,
      wherry_ctx_signature_algorithms(context, "ed25519") == 1,
      SSL_CTX_set_num_tickets(context, 0) == 1,
      SSL_CTX_use_certificate(context, certificate.pointer) == 1,
      SSL_CTX_use_PrivateKey(context, key.pointer) == 1,
      SSL_CTX_check_private_key(context) == 1,
      SSL_CTX_set_alpn_protos(context, list, UInt32(list.count)) == 0
    else { throw .takeStack(after: "TLS context") }
    wherry_ctx_no_sessions(context)
    wherry_ctx_moving_writes(context)
    wherry_ctx_max_certificate(context, 4_096)
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nil)
    let argument = Unmanaged.passUnretained(judge).toOpaque()
    SSL_CTX_set_cert_verify_callback(context, verifyCertificate, argument)
    if role == .listener { SSL_CTX_set_alpn_select_cb(context, selectProtocol, argument) }
  }

  deinit { SSL_CTX_free(pointer) }
}

/// What the two C callbacks below need; lives as long as the context.
private final class Judge: Sendable {
  let accepts: @Sendable ([UInt8]) -> Bool
  let protocolName: [UInt8]

  init(accepts: @escaping @Sendable ([UInt8]) -> Bool, protocolName: [UInt8]) {
    self.accepts = accepts
    self.protocolName = protocolName
  }
}

/// Takes the place of OpenSSL's chain building: only the key of the leaf counts.
private func verifyCertificate(_ store: OpaquePointer?, _ argument: UnsafeMutableRawPointer?) -> Int32 {
  guard let argument, let hash = PublicKeyHash.of(certificate: X509_STORE_CTX_get0_cert(store)) else {
    X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED)
    return 0
  }
  let judge = Unmanaged<Judge>.fromOpaque(argument).takeUnretainedValue()
  let isAccepted = judge.accepts(hash)
  X509_STORE_CTX_set_error(store, isAccepted ? X509_V_OK : X509_V_ERR_CERT_REJECTED)
  return isAccepted ? 1 : 0
}

/// Chooses our application protocol out of the client's list (each with its length before it) or ends the handshake.
private func selectProtocol(
  _: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
  _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?, _ offeredCount: UInt32,
  _ argument: UnsafeMutableRawPointer?
) -> Int32 {
  guard let argument, let offered, let chosen, let chosenCount else { return SSL_TLSEXT_ERR_ALERT_FATAL }
  let name = Unmanaged<Judge>.fromOpaque(argument).takeUnretainedValue().protocolName
  let list = UnsafeBufferPointer(start: offered, count: Int(offeredCount))
  var index = 0
  while index < list.count {
    let end = index + 1 + Int(list[index])
    if end > list.count { break }
    if list[(index + 1)..<end].elementsEqual(name) {
      chosen.pointee = offered + index + 1
      chosenCount.pointee = list[index]
      return SSL_TLSEXT_ERR_OK
    }
    index = end
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL
}
