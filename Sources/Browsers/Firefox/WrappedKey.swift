internal import Crypto

/// The ciphers and key derivations that NSS names by object identifiers.
enum ObjectIdentifiers {
  /// PBES2 of PKCS #5.
  static let pbes2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]
  /// PBKDF2 of PKCS #5.
  static let pbkdf2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C]
  /// NSS's way before Firefox 73: SHA-1 and triple DES of PKCS #12.
  static let sha1TripleDES: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x05, 0x01, 0x03]
  /// PBMAC1 of PKCS #5.
  static let pbmac1: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0E]
  /// HMAC with SHA-256.
  static let hmacSHA256: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02, 0x09]
  private static let aes256CBC: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x2A]
  private static let tripleDESCBC: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x03, 0x07]

  /// The cipher of that name, nil when it is not known.
  static func cipher(_ object: [UInt8]) -> BlockCipher.Cipher? {
    switch object {
    case aes256CBC: .aes256CBC
    case tripleDESCBC: .tripleDESCBC
    default: nil
    }
  }

  /// The name of a cipher that Firefox uses.
  static func name(_ cipher: BlockCipher.Cipher) -> [UInt8] {
    cipher == .tripleDESCBC ? tripleDESCBC : aes256CBC
  }
}

/// Something that NSS keeps encrypted under the primary password: { { algorithm, parameters }, ciphertext }.
struct WrappedKey {
  private let bytes: [UInt8]

  /// Over the encoding.
  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// A key wrapped as today's NSS does it: PBES2 with PBKDF2-HMAC-SHA256 and AES-256.
  static func seal(_ key: [UInt8], _ wrapping: FirefoxKeys.Wrapping) throws(CryptoError) -> [UInt8] {
    let salt = Random.bytes(32)
    let iv = Random.bytes(14)
    let wrappingKey = try PBKDF2.derive(
      .sha256, password: wrapping.seed, salt: salt, iterations: wrapping.iterations, length: 32)
    let sealed = try BlockCipher.encrypt(.aes256CBC, key: wrappingKey, iv: [0x04, UInt8(iv.count)] + iv, key)
    let encryption = DERWriter.sequence(
      DERWriter.object(ObjectIdentifiers.name(.aes256CBC)), DERWriter.octets(iv))
    return DERWriter.sequence(
      DERWriter.sequence(
        DERWriter.object(ObjectIdentifiers.pbes2),
        DERWriter.sequence(derivation(salt, wrapping.iterations), encryption)), DERWriter.octets(sealed))
  }

  /// The signature that NSS keeps of a key's value: a HMAC of object 0, the attribute's number and the key.
  static func sign(_ key: [UInt8], _ wrapping: FirefoxKeys.Wrapping) throws(CryptoError) -> [UInt8] {
    let salt = Random.bytes(32)
    let signingKey = try PBKDF2.derive(
      .sha256, password: wrapping.seed, salt: salt, iterations: wrapping.iterations, length: 32)
    let hash = DERWriter.sequence(DERWriter.object(ObjectIdentifiers.hmacSHA256))
    let valueAttribute: [UInt8] = [0, 0, 0, 0x11]
    return DERWriter.sequence(
      DERWriter.sequence(
        DERWriter.object(ObjectIdentifiers.pbmac1),
        DERWriter.sequence(derivation(salt, wrapping.iterations), hash)),
      DERWriter.octets(HMAC.sha256(key: signingKey, [0, 0, 0, 0] + valueAttribute + key)))
  }

  private static func derivation(_ salt: [UInt8], _ iterations: Int) -> [UInt8] {
    DERWriter.sequence(
      DERWriter.object(ObjectIdentifiers.pbkdf2),
      DERWriter.sequence(
        DERWriter.octets(salt), DERWriter.integer(iterations), DERWriter.integer(32),
        DERWriter.sequence(DERWriter.object(ObjectIdentifiers.hmacSHA256))))
  }

  /// How often the password is hashed; nil for the old way.
  var iterations: Int? {
    var outer = DERReader(bytes)
    guard var body = outer.sequence(), var algorithm = body.sequence(), algorithm.read(.object) != nil,
      var parameters = algorithm.sequence(), var derivation = parameters.sequence(), derivation.read(.object) != nil,
      var settings = derivation.sequence(), settings.read(.octets) != nil
    else { return nil }
    return settings.integer()
  }

  /// The plaintext. `seed` is the hash of the database's salt and the password.
  func open(seed: [UInt8], salt: [UInt8]) throws(SecretFailure) -> [UInt8] {
    var outer = DERReader(bytes)
    guard var body = outer.sequence(), var algorithm = body.sequence(), let object = algorithm.read(.object),
      var parameters = algorithm.sequence(), let sealed = body.read(.octets)
    else { throw .malformed }
    switch object {
    case ObjectIdentifiers.pbes2: return try openPBES2(&parameters, sealed, seed: seed)
    case ObjectIdentifiers.sha1TripleDES: return try openTripleDES(&parameters, sealed, seed: seed)
    default: throw .unknownCipher
    }
  }

  private func openPBES2(
    _ parameters: inout DERReader, _ sealed: [UInt8], seed: [UInt8]
  ) throws(SecretFailure) -> [UInt8] {
    guard var derivation = parameters.sequence(), derivation.read(.object) == ObjectIdentifiers.pbkdf2,
      var settings = derivation.sequence(), let salt = settings.read(.octets), let iterations = settings.integer(),
      let length = settings.integer(), var encryption = parameters.sequence(), let object = encryption.read(.object),
      let iv = encryption.read(.octets)
    else { throw .malformed }
    guard let cipher = ObjectIdentifiers.cipher(object), cipher.keyLength == length else { throw .unknownCipher }
    // The vector is the whole encoding of the octet string: two bytes of head and the fourteen given.
    let vector = iv.count + 2 == cipher.blockLength ? [0x04, UInt8(iv.count)] + iv : iv
    do {
      let key = try PBKDF2.derive(.sha256, password: seed, salt: salt, iterations: iterations, length: length)
      return try BlockCipher.decrypt(cipher, key: key, iv: vector, sealed)
    } catch .authenticationFailed {
      throw .wrongKey
    } catch {
      throw .malformed
    }
  }

  /// The derivation of PKCS #12 as NSS has it: three HMAC-SHA1 of the salt, padded to 20 bytes.
  private func openTripleDES(
    _ parameters: inout DERReader, _ sealed: [UInt8], seed: [UInt8]
  ) throws(SecretFailure) -> [UInt8] {
    guard let salt = parameters.read(.octets), parameters.integer() != nil, salt.count <= 64 else { throw .malformed }
    let padded = salt + [UInt8](repeating: 0, count: max(0, 20 - salt.count))
    let key = Hash.sha1(seed + salt)
    let first = HMAC.sha1(key: key, padded + salt)
    let second = HMAC.sha1(key: key, HMAC.sha1(key: key, padded) + salt)
    let material = first + second
    do {
      return try BlockCipher.decrypt(
        .tripleDESCBC, key: Array(material.prefix(24)), iv: Array(material.suffix(8)), sealed)
    } catch .authenticationFailed {
      throw .wrongKey
    } catch {
      throw .malformed
    }
  }
}
