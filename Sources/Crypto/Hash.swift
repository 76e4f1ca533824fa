internal import COpenSSL
internal import CSodium

/// Hashes of bytes that are at hand whole.
package enum Hash {
  /// BLAKE2b without a key; `length` is 1 to 64 bytes.
  package static func blake2b(_ bytes: [UInt8], length: Int) -> [UInt8] {
    bytes.withUnsafeBytes { blake2b($0, length: length) }
  }

  /// BLAKE2b without a key; `length` is 1 to 64 bytes.
  package static func blake2b(_ bytes: UnsafeRawBufferPointer, length: Int) -> [UInt8] {
    precondition((1...64).contains(length), "BLAKE2b gives 1 to 64 bytes")
    Sodium.start()
    var result = [UInt8](repeating: 0, count: length)
    crypto_generichash_blake2b(&result, length, start(of: bytes), UInt64(bytes.count), nil, 0)
    return result
  }

  /// BLAKE2b to 16 bytes as two big-endian words: no array is made. The halves are those of a record's id.
  package static func blake2b128(_ bytes: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
    Sodium.start()
    var words: (UInt64, UInt64) = (0, 0)
    withUnsafeMutablePointer(to: &words) { pointer in
      let result = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: UInt8.self)
      _ = crypto_generichash_blake2b(result, 16, start(of: bytes), UInt64(bytes.count), nil, 0)
    }
    return (UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
  }

  /// SipHash-2-4 with 16 bytes of result; the key has 16 bytes.
  package static func sipHash128(_ bytes: [UInt8], key: [UInt8]) -> [UInt8] {
    precondition(key.count == 16, "SipHash takes a key of 16 bytes")
    var result = [UInt8](repeating: 0, count: 16)
    crypto_shorthash_siphashx24(&result, bytes, UInt64(bytes.count), key)
    return result
  }

  /// SipHash-2-4 with 16 bytes of result as two big-endian words: no array is made.
  package static func sipHash128(
    _ bytes: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer
  ) -> (high: UInt64, low: UInt64) {
    precondition(key.count == 16, "SipHash takes a key of 16 bytes")
    var words: (high: UInt64, low: UInt64) = (0, 0)
    guard let keyStart = start(of: key) else { return words }
    withUnsafeMutablePointer(to: &words) { pointer in
      let result = UnsafeMutableRawPointer(pointer).assumingMemoryBound(to: UInt8.self)
      // An empty input may have no address; the function reads none of it but wants one.
      _ = crypto_shorthash_siphashx24(result, start(of: bytes) ?? keyStart, UInt64(bytes.count), keyStart)
    }
    return (UInt64(bigEndian: words.0), UInt64(bigEndian: words.1))
  }

  /// MD5, 16 bytes: only for formats that name it.
  package static func md5(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_md5(), 16) }
  /// SHA-1, 20 bytes: only for formats that name it.
  package static func sha1(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_sha1(), 20) }
  /// SHA-256, 32 bytes.
  package static func sha256(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_sha256(), 32) }
  /// SHA-384, 48 bytes.
  package static func sha384(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_sha384(), 48) }
  /// SHA-512, 64 bytes.
  package static func sha512(_ bytes: [UInt8]) -> [UInt8] { digest(bytes, EVP_sha512(), 64) }

  private static func digest(_ bytes: [UInt8], _ algorithm: OpaquePointer?, _ length: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: length)
    let done = EVP_Digest(bytes, bytes.count, &result, nil, algorithm, nil)
    precondition(done == 1, "this OpenSSL lacks a hash that Wherry needs")
    return result
  }

  private static func start(of bytes: UnsafeRawBufferPointer) -> UnsafePointer<UInt8>? {
    bytes.bindMemory(to: UInt8.self).baseAddress
  }
}
