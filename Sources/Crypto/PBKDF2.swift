internal import COpenSSL

/// A key from a password (RFC 8018).
package enum PBKDF2 {
  /// The hash inside.
  package enum Algorithm: Sendable {
    /// HMAC-SHA1: Chromium.
    case sha1
    /// HMAC-SHA256: Firefox.
    case sha256
  }

  /// `length` bytes. Throws `invalidInput` for counts no sane file has (iterations 1 to 10,000,000, length 1 to 1,024).
  package static func derive(
    _ algorithm: Algorithm, password: [UInt8], salt: [UInt8], iterations: Int, length: Int
  ) throws(CryptoError) -> [UInt8] {
    guard (1...10_000_000).contains(iterations), (1...1_024).contains(length),
      let passwordCount = Int32(exactly: password.count), let saltCount = Int32(exactly: salt.count)
    else { throw .invalidInput("PBKDF2 parameters") }
    let hash =
      switch algorithm {
      case .sha1: EVP_sha1()
      case .sha256: EVP_sha256()
      }
    var result = [UInt8](repeating: 0, count: length)
    let done = password.withUnsafeBytes { bytes in
      PKCS5_PBKDF2_HMAC(
        bytes.bindMemory(to: CChar.self).baseAddress, passwordCount, salt, saltCount, Int32(iterations), hash,
        Int32(length), &result)
    }
    guard done == 1 else { throw .takeStack(after: "PBKDF2") }
    return result
  }
}
