internal import COpenSSL

/// AES-GCM as Chromium and Firefox use it: 16 or 32 bytes of key, a nonce of usually 12 bytes, a tag of 16 bytes at the end.
package enum AESGCM {
  /// Ciphertext and tag.
  package static func seal(
    key: [UInt8], nonce: [UInt8], _ plaintext: [UInt8], associated: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    try start(context, key: key, nonce: nonce, associated: associated, encrypts: 1)
    var result = try update(context, plaintext[...], extra: 16)
    var tag = [UInt8](repeating: 0, count: 16)
    var none: Int32 = 0
    guard EVP_CipherFinal_ex(context, &tag, &none) == 1, wherry_gcm_get_tag(context, &tag) == 1 else {
      throw .takeStack(after: "AES-GCM seal")
    }
    result.append(contentsOf: tag)
    return result
  }

  /// The plaintext; `authenticationFailed` when key, nonce, bytes or associated bytes are not those of the sealing.
  package static func open(
    key: [UInt8], nonce: [UInt8], _ sealed: [UInt8], associated: [UInt8] = []
  ) throws(CryptoError) -> [UInt8] {
    guard sealed.count >= 16 else { throw .invalidInput("shorter than a tag") }
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    try start(context, key: key, nonce: nonce, associated: associated, encrypts: 0)
    let result = try update(context, sealed.dropLast(16), extra: 0)
    var (last, none): ([UInt8], Int32) = ([UInt8](repeating: 0, count: 16), 0)
    guard wherry_gcm_set_tag(context, Array(sealed.suffix(16))) == 1, EVP_CipherFinal_ex(context, &last, &none) == 1
    else {
      ERR_clear_error()
      throw .authenticationFailed
    }
    return result
  }

  private static func start(
    _ context: OpaquePointer?, key: [UInt8], nonce: [UInt8], associated: [UInt8], encrypts: Int32
  ) throws(CryptoError) {
    guard (1...64).contains(nonce.count) else { throw .invalidInput("nonce length") }
    guard let associatedCount = Int32(exactly: associated.count) else { throw .invalidInput("more than 2 GiB") }
    let cipher: OpaquePointer?
    switch key.count {
    case 16: cipher = EVP_aes_128_gcm()
    case 32: cipher = EVP_aes_256_gcm()
    default: throw .invalidInput("key length")
    }
    var count: Int32 = 0
    guard EVP_CipherInit_ex(context, cipher, nil, nil, nil, encrypts) == 1,
      wherry_gcm_nonce_length(context, Int32(nonce.count)) == 1,
      EVP_CipherInit_ex(context, nil, nil, key, nonce, encrypts) == 1,
      associated.isEmpty || EVP_CipherUpdate(context, nil, &count, associated, associatedCount) == 1
    else { throw .takeStack(after: "AES-GCM start") }
  }

  private static func update(
    _ context: OpaquePointer?, _ bytes: ArraySlice<UInt8>, extra: Int
  ) throws(CryptoError) -> [UInt8] {
    if bytes.isEmpty { return [] }
    guard let count = Int32(exactly: bytes.count) else { throw .invalidInput("more than 2 GiB") }
    var result = [UInt8](repeating: 0, count: bytes.count)
    result.reserveCapacity(bytes.count + extra)
    var written: Int32 = 0
    let done = bytes.withUnsafeBufferPointer { EVP_CipherUpdate(context, &result, &written, $0.baseAddress, count) }
    guard done == 1, Int(written) == bytes.count else { throw .takeStack(after: "AES-GCM update") }
    return result
  }
}
