internal import COpenSSL

/// The modes that browsers' old secret stores use: CBC with PKCS#7 padding and no authentication. Nothing new is made with them.
package enum BlockCipher {
  /// A cipher in CBC mode.
  package enum Cipher: Sendable {
    /// AES-128: key 16, iv 16.
    case aes128CBC
    /// AES-256: key 32, iv 16.
    case aes256CBC
    /// Triple DES: key 24, iv 8.
    case tripleDESCBC

    /// Bytes of a key.
    package var keyLength: Int {
      switch self {
      case .aes128CBC: 16
      case .aes256CBC: 32
      case .tripleDESCBC: 24
      }
    }

    /// Bytes of a block and of the initialisation vector.
    package var blockLength: Int {
      switch self {
      case .aes128CBC, .aes256CBC: 16
      case .tripleDESCBC: 8
      }
    }
  }

  /// The plaintext without its padding. Throws `authenticationFailed` when the padding is wrong: nearly always a wrong key.
  package static func decrypt(
    _ cipher: Cipher, key: [UInt8], iv: [UInt8], _ data: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    guard !data.isEmpty, data.count.isMultiple(of: cipher.blockLength) else {
      throw .invalidInput("ciphertext is not a multiple of the block length")
    }
    return try run(cipher, key: key, iv: iv, data, encrypts: 0)
  }

  /// Pads and encrypts.
  package static func encrypt(
    _ cipher: Cipher, key: [UInt8], iv: [UInt8], _ data: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    try run(cipher, key: key, iv: iv, data, encrypts: 1)
  }

  private static func run(
    _ cipher: Cipher, key: [UInt8], iv: [UInt8], _ data: [UInt8], encrypts: Int32
  ) throws(CryptoError) -> [UInt8] {
    guard key.count == cipher.keyLength else { throw .invalidInput("key length") }
    guard iv.count == cipher.blockLength else { throw .invalidInput("initialisation vector length") }
    guard let count = Int32(exactly: data.count) else { throw .invalidInput("more than 2 GiB") }
    let algorithm =
      switch cipher {
      case .aes128CBC: EVP_aes_128_cbc()
      case .aes256CBC: EVP_aes_256_cbc()
      case .tripleDESCBC: EVP_des_ede3_cbc()
      }
    let context = EVP_CIPHER_CTX_new()
    defer { EVP_CIPHER_CTX_free(context) }
    guard EVP_CipherInit_ex(context, algorithm, nil, key, iv, encrypts) == 1 else {
      throw .takeStack(after: "EVP_CipherInit_ex")
    }
    var result = [UInt8](repeating: 0, count: data.count + cipher.blockLength)
    var (first, last): (Int32, Int32) = (0, 0)
    let isDone = result.withUnsafeMutableBufferPointer { output -> Bool in
      guard let start = output.baseAddress, EVP_CipherUpdate(context, start, &first, data, count) == 1 else {
        return false
      }
      return EVP_CipherFinal_ex(context, start + Int(first), &last) == 1
    }
    guard isDone else {
      ERR_clear_error()
      throw .authenticationFailed
    }
    result.removeLast(result.count - Int(first + last))
    return result
  }
}
