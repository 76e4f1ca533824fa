internal import CSodium

/// How secrets rest in the store: XChaCha20-Poly1305 with a random nonce of 24 bytes in front and a tag of 16 at the end.
package enum AEAD {
  /// Bytes of a key.
  package static let keyLength = 32
  /// How many bytes sealing adds.
  package static let overhead = 40

  /// Nonce, ciphertext, tag. `associated` is bound, not kept: opening needs the same bytes.
  package static func seal(key: SecureBytes, _ plaintext: [UInt8], associated: [UInt8]) -> [UInt8] {
    precondition(key.count == keyLength, "the key has 32 bytes")
    Sodium.start()
    return [UInt8](unsafeUninitializedCapacity: plaintext.count + overhead) { result, initialized in
      guard let start = result.baseAddress else { return }
      randombytes_buf(start, 24)
      key.withPointer { keyBytes in
        _ = crypto_aead_xchacha20poly1305_ietf_encrypt(
          start + 24, nil, plaintext, UInt64(plaintext.count), associated, UInt64(associated.count), nil, start,
          keyBytes)
      }
      initialized = plaintext.count + overhead
    }
  }

  /// The plaintext. Throws `invalidInput` when too short, `authenticationFailed` when anything differs from the sealing.
  package static func open(
    key: SecureBytes, _ sealed: [UInt8], associated: [UInt8]
  ) throws(CryptoError) -> [UInt8] {
    precondition(key.count == keyLength, "the key has 32 bytes")
    guard sealed.count >= overhead else { throw .invalidInput("shorter than nonce and tag") }
    Sodium.start()
    let count = sealed.count - overhead
    var isGenuine = false
    let result = [UInt8](unsafeUninitializedCapacity: count + 1) { result, initialized in
      sealed.withUnsafeBufferPointer { bytes in
        guard let start = bytes.baseAddress else { return }
        key.withPointer { keyBytes in
          isGenuine =
            crypto_aead_xchacha20poly1305_ietf_decrypt(
              result.baseAddress, nil, nil, start + 24, UInt64(bytes.count - 24), associated,
              UInt64(associated.count), start, keyBytes) == 0
        }
      }
      initialized = isGenuine ? count : 0
    }
    guard isGenuine else { throw .authenticationFailed }
    return result
  }
}
