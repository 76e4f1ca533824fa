internal import COpenSSL

/// An Ed25519 key pair: who a device is.
///
/// Sendable because the key is never changed after `init` and OpenSSL counts its references atomically.
package final class PrivateKey: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(owning pointer: OpaquePointer) { self.pointer = pointer }

  /// A new key.
  package static func generate() throws(CryptoError) -> PrivateKey {
    let seed = SecureBytes.random(count: 32)
    let key = seed.withPointer { EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nil, $0, 32) }
    guard let key else { throw .takeStack(after: "EVP_PKEY_new_raw_private_key") }
    return PrivateKey(owning: key)
  }

  /// From a PKCS#8 PEM file's bytes. Throws `invalidInput` for another kind of key or an encrypted one.
  package convenience init(pem: SecureBytes) throws(CryptoError) {
    let bio = MemoryBIO()
    pem.withBytes { bytes in
      if let count = Int32(exactly: bytes.count) { BIO_write(bio.pointer, bytes.baseAddress, count) }
    }
    // The callback keeps OpenSSL from asking for a passphrase on the terminal.
    guard let key = PEM_read_bio_PrivateKey(bio.pointer, nil, { _, _, _, _ in -1 }, nil) else {
      ERR_clear_error()
      throw .invalidInput("private key file")
    }
    guard EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else {
      EVP_PKEY_free(key)
      throw .invalidInput("private key is not Ed25519")
    }
    self.init(owning: key)
  }

  deinit { EVP_PKEY_free(pointer) }

  /// PKCS#8 PEM, not encrypted: to be written to a file of mode 0600 and nowhere else.
  package func pem() throws(CryptoError) -> SecureBytes {
    let bio = MemoryBIO()
    guard PEM_write_bio_PrivateKey(bio.pointer, pointer, nil, nil, 0, nil, nil) == 1 else {
      throw .takeStack(after: "PEM_write_bio_PrivateKey")
    }
    return SecureBytes(count: wherry_bio_pending(bio.pointer)) { buffer in
      var taken = 0
      _ = BIO_read_ex(bio.pointer, buffer.baseAddress, buffer.count, &taken)
    }
  }

  /// SHA-256 of the public half's SubjectPublicKeyInfo, 32 bytes.
  package var publicKeyHash: [UInt8] { PublicKeyHash.of(pointer) }
}

/// SHA-256 of a SubjectPublicKeyInfo: what a pin is.
enum PublicKeyHash {
  static func of(_ key: OpaquePointer?) -> [UInt8] {
    let bio = MemoryBIO()
    guard i2d_PUBKEY_bio(bio.pointer, key) == 1 else {
      ERR_clear_error()
      return []
    }
    return Hash.sha256(bio.take())
  }

  /// Of a certificate's key; nil when it is not Ed25519.
  static func of(certificate: OpaquePointer?) -> [UInt8]? {
    guard let certificate, let key = X509_get0_pubkey(certificate), EVP_PKEY_get_id(key) == EVP_PKEY_ED25519 else {
      return nil
    }
    let hash = of(key)
    return hash.count == 32 ? hash : nil
  }
}
