internal import COpenSSL

/// One TLS connection as bytes in, bytes out: it does no I/O. One thread at a time.
package final class TLSSession {
  /// How far a handshake is.
  package enum Handshake: Equatable, Sendable {
    /// Needs bytes from the peer (and its output sent).
    case incomplete
    /// Done: the peer's key is known and accepted.
    case complete
    /// Ended; the output may still hold an alert for the peer.
    case failed(TLSFailure)
  }

  /// What reading gave.
  package enum Reading: Equatable, Sendable {
    /// So many plaintext bytes, at least one.
    case bytes(Int)
    /// Nothing before more bytes come from the peer.
    case incomplete
    /// The peer said `close_notify`: all that it sent has been read.
    case closed
    /// Ended; the output may still hold an alert for the peer.
    case failed(TLSFailure)
  }

  private let context: TLSContext
  private let pointer: OpaquePointer
  /// Owned by `pointer`.
  private let (input, output): (OpaquePointer?, OpaquePointer?)

  /// A connection that has not begun.
  package init(_ context: TLSContext) throws(CryptoError) {
    guard let session = SSL_new(context.pointer) else { throw .takeStack(after: "SSL_new") }
    self.context = context
    pointer = session
    (input, output) = (BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()))
    SSL_set_bio(session, input, output)
    switch context.role {
    case .connector: SSL_set_connect_state(session)
    case .listener: SSL_set_accept_state(session)
    }
  }

  deinit { SSL_free(pointer) }

  /// Goes on with the handshake as far as the bytes that were fed allow.
  package func handshake() -> Handshake {
    ERR_clear_error()
    let result = SSL_do_handshake(pointer)
    if result == 1 {
      return hasAgreedOnProtocol ? .complete : .failed(.incompatible(.openSSL(["no application protocol"])))
    }
    switch SSL_get_error(pointer, result) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .incomplete
    default: return .failed(.take(from: pointer, after: "SSL_do_handshake"))
    }
  }

  /// Takes ciphertext from the peer.
  package func feed(_ ciphertext: UnsafeRawBufferPointer) {
    var rest = ciphertext[...]
    while !rest.isEmpty {
      let piece = rest.prefix(1 << 30)
      BIO_write(input, UnsafeRawBufferPointer(rebasing: piece).baseAddress, Int32(piece.count))
      rest = rest.dropFirst(piece.count)
    }
  }

  /// Decrypts into the buffer, as many records as fit and are there.
  package func read(into buffer: UnsafeMutableRawBufferPointer) -> Reading {
    var count = 0
    while count < buffer.count, let start = buffer.baseAddress {
      ERR_clear_error()
      var got = 0
      if SSL_read_ex(pointer, start + count, buffer.count - count, &got) == 1 {
        count += got
        continue
      }
      // What came before the end is handed out first; the next call meets the end again.
      if count > 0 { break }
      switch SSL_get_error(pointer, 0) {
      case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .incomplete
      case SSL_ERROR_ZERO_RETURN: return .closed
      default: return .failed(.take(from: pointer, after: "SSL_read"))
      }
    }
    return .bytes(count)
  }

  /// Encrypts all of it into the output. Only after the handshake.
  package func write(_ plaintext: UnsafeRawBufferPointer) throws(TLSFailure) {
    if plaintext.isEmpty { return }
    ERR_clear_error()
    var written = 0
    guard SSL_write_ex(pointer, plaintext.baseAddress, plaintext.count, &written) == 1, written == plaintext.count
    else { throw .take(from: pointer, after: "SSL_write") }
  }

  /// How many bytes wait to be sent to the peer.
  package var outputCount: Int { wherry_bio_pending(output) }

  /// Moves output to the buffer; how many bytes.
  package func takeOutput(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    var count = 0
    guard buffer.count > 0, BIO_read_ex(output, buffer.baseAddress, buffer.count, &count) == 1 else { return 0 }
    return count
  }

  /// Puts `close_notify` into the output.
  package func close() {
    ERR_clear_error()
    _ = SSL_shutdown(pointer)
    ERR_clear_error()
  }

  /// SHA-256 of the peer's SubjectPublicKeyInfo; nil before the peer has shown its certificate.
  package var peerPublicKeyHash: [UInt8]? { PublicKeyHash.of(certificate: SSL_get0_peer_certificate(pointer)) }

  /// A secret that both ends of this very connection and nobody else know (RFC 8446 section 7.5, no context). Only after the handshake.
  package func exportKeyingMaterial(label: String, length: Int) throws(CryptoError) -> SecureBytes {
    precondition((1...255).contains(length), "1 to 255 bytes")
    ERR_clear_error()
    var isDone = false
    let name = Array(label.utf8).map { CChar(bitPattern: $0) }
    let secret = SecureBytes(count: length) { buffer in
      let start = buffer.bindMemory(to: UInt8.self).baseAddress
      isDone = SSL_export_keying_material(pointer, start, length, name, name.count, nil, 0, 0) == 1
    }
    guard isDone else { throw .takeStack(after: "SSL_export_keying_material") }
    return secret
  }

  private var hasAgreedOnProtocol: Bool {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    SSL_get0_alpn_selected(pointer, &name, &count)
    return UnsafeBufferPointer(start: name, count: Int(count)).elementsEqual(context.applicationProtocol.utf8)
  }
}
