internal import COpenSSL

/// A certificate, only as the envelope that TLS wants around a public key: its names, dates and issuer mean nothing here.
///
/// Sendable because it is never changed after `init` and OpenSSL counts its references atomically.
package final class Certificate: @unchecked Sendable {
  let pointer: OpaquePointer

  private init(owning pointer: OpaquePointer) { self.pointer = pointer }

  /// Signed by the key itself, valid from 1970 to 9999, with a random serial number and no name that tells anything.
  package static func selfSigned(_ key: PrivateKey) throws(CryptoError) -> Certificate {
    guard let certificate = X509_new() else { throw .takeStack(after: "X509_new") }
    let result = Certificate(owning: certificate)
    let serial = Random.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } >> 1 | 1
    let name = X509_NAME_new()
    defer { X509_NAME_free(name) }
    guard X509_set_version(certificate, 2) == 1,
      ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial) == 1,
      ASN1_TIME_set_string_X509(X509_getm_notBefore(certificate), "19700101000000Z") == 1,
      ASN1_TIME_set_string_X509(X509_getm_notAfter(certificate), "99991231235959Z") == 1,
      X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_FLAG | 1, "wherry", -1, -1, 0) == 1,
      X509_set_subject_name(certificate, name) == 1, X509_set_issuer_name(certificate, name) == 1,
      X509_set_pubkey(certificate, key.pointer) == 1, X509_sign(certificate, key.pointer, nil) > 0
    else { throw .takeStack(after: "self-signed certificate") }
    return result
  }

  /// From a PEM file's bytes; throws `invalidInput` when it is none or its key is not Ed25519.
  package convenience init(pem: [UInt8]) throws(CryptoError) {
    let bio = MemoryBIO(pem)
    guard let certificate = PEM_read_bio_X509(bio.pointer, nil, { _, _, _, _ in -1 }, nil) else {
      ERR_clear_error()
      throw .invalidInput("certificate file")
    }
    guard PublicKeyHash.of(certificate: certificate) != nil else {
      X509_free(certificate)
      throw .invalidInput("certificate's key is not Ed25519")
    }
    self.init(owning: certificate)
  }

  deinit { X509_free(pointer) }

  /// The PEM form.
  package func pem() throws(CryptoError) -> [UInt8] {
    let bio = MemoryBIO()
    guard PEM_write_bio_X509(bio.pointer, pointer) == 1 else { throw .takeStack(after: "PEM_write_bio_X509") }
    return bio.take()
  }

  /// SHA-256 of the SubjectPublicKeyInfo, 32 bytes.
  package var publicKeyHash: [UInt8] { PublicKeyHash.of(certificate: pointer) ?? [] }
}
