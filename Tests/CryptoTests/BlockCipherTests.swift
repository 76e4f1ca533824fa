import Crypto
import Testing

@Suite struct BlockCipherTests {
  @Test func `AES-128-CBC equals RFC 3602 case 1, followed by a block of padding`() throws {
    let key = hex("06a9214036b8a15b512e03d534120006")
    let iv = hex("3dafba429d9eb430b422da802c9fac41")
    let message = Array("Single block msg".utf8)
    let sealed = try BlockCipher.encrypt(.aes128CBC, key: key, iv: iv, message)
    #expect(sealed == hex("e353779c1079aeb82708942dbe77181ab97c825e1c785146542d396941bce55d"))
    #expect(try BlockCipher.decrypt(.aes128CBC, key: key, iv: iv, sealed) == message)
  }

  @Test func `AES-256-CBC equals the first block of SP 800-38A F.2.5`() throws {
    let key = hex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    let iv = hex("000102030405060708090a0b0c0d0e0f")
    let sealed = try BlockCipher.encrypt(.aes256CBC, key: key, iv: iv, hex("6bc1bee22e409f96e93d7e117393172a"))
    #expect(sealed.prefix(16) == hex("f58c4c04d6e5f1ba779eabfb5f7bfbd6")[...])
    #expect(try BlockCipher.decrypt(.aes256CBC, key: key, iv: iv, sealed).count == 16)
  }

  @Test func `triple DES equals the first block of SP 800-67 B.1`() throws {
    let key = hex("0123456789abcdef23456789abcdef01456789abcdef0123")
    let iv = [UInt8](repeating: 0, count: 8)
    let message = Array("The qufck brown fox jump".utf8)
    let sealed = try BlockCipher.encrypt(.tripleDESCBC, key: key, iv: iv, message)
    #expect(sealed.prefix(8) == hex("a826fd8ce53b855f")[...])
    #expect(try BlockCipher.decrypt(.tripleDESCBC, key: key, iv: iv, sealed) == message)
  }

  @Test func `wrong lengths are refused before anything is computed`() {
    let key = [UInt8](repeating: 1, count: 16)
    #expect(throws: CryptoError.invalidInput("key length")) {
      try BlockCipher.decrypt(.aes256CBC, key: key, iv: key, key)
    }
    #expect(throws: CryptoError.invalidInput("initialisation vector length")) {
      try BlockCipher.decrypt(.aes128CBC, key: key, iv: [1, 2], key)
    }
    for data in [[], [UInt8](repeating: 0, count: 15)] {
      #expect(throws: CryptoError.invalidInput("ciphertext is not a multiple of the block length")) {
        try BlockCipher.decrypt(.aes128CBC, key: key, iv: key, data)
      }
    }
  }

  @Test func `a padding that is wrong is an authentication failure`() throws {
    let key = hex("06a9214036b8a15b512e03d534120006")
    let sealed = try BlockCipher.encrypt(.aes128CBC, key: key, iv: key, Array("sixteen bytes !!".utf8))
    #expect(throws: CryptoError.authenticationFailed) {
      try BlockCipher.decrypt(.aes128CBC, key: key, iv: key, Array(sealed.prefix(16)))
    }
  }
}

@Suite struct AESGCMTests {
  private let key = hex("feffe9928665731c6d6a8f9467308308")
  private let nonce = hex("cafebabefacedbaddecaf888")
  private let associated = hex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
  private let plaintext = hex(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
      + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
  private let sealed = hex(
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
      + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47")

  @Test func `test case 4 of the GCM specification`() throws {
    #expect(try AESGCM.seal(key: key, nonce: nonce, plaintext, associated: associated) == sealed)
    #expect(try AESGCM.open(key: key, nonce: nonce, sealed, associated: associated) == plaintext)
  }

  @Test func `a flipped bit anywhere, or other associated bytes, is refused`() {
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 0x10
      #expect(throws: CryptoError.authenticationFailed) {
        try AESGCM.open(key: key, nonce: nonce, changed, associated: associated)
      }
    }
    #expect(throws: CryptoError.authenticationFailed) { try AESGCM.open(key: key, nonce: nonce, sealed) }
  }

  @Test func `an empty plaintext with a key of 32 bytes is only a tag`() throws {
    let key = [UInt8](repeating: 0, count: 32)
    let nonce = [UInt8](repeating: 0, count: 12)
    let sealed = try AESGCM.seal(key: key, nonce: nonce, [])
    #expect(sealed == hex("530f8afbc74536b9a963b4f1c4cb738b"))
    #expect(try AESGCM.open(key: key, nonce: nonce, sealed).isEmpty)
    #expect(throws: CryptoError.invalidInput("shorter than a tag")) {
      try AESGCM.open(key: key, nonce: nonce, [1])
    }
  }
}
