internal import Crypto

/// The keys of key4.db that open a Firefox profile's logins and cards. NSS is not used: Debian's cannot open what
/// today's Firefox writes.
struct FirefoxKeys {
  static let file = "key4.db"
  /// NSS's way to store an empty value.
  static let emptyValue: [UInt8] = [0xA5, 0x00, 0x5A]
  static let cardKeyLabel = Array("Firefox Encrypted Storage".utf8)

  private var keys: [KeyName: [UInt8]] = [:]
  private(set) var cardKey: [UInt8]?
  /// What new keys are wrapped under, as the others are; nil where there is no key4.db.
  let wrapping: Wrapping?

  /// The hash of salt and password, and how often it is hashed again.
  struct Wrapping {
    var seed: [UInt8]
    var iterations: Int
  }

  /// Profiles older than Firefox 144 have two keys under one id: one for triple DES, one for AES.
  private struct KeyName: Hashable {
    var id: [UInt8]
    var length: Int
  }

  /// None at all, for a profile that has no key4.db: whatever is sealed in it stays so.
  init() { wrapping = nil }

  /// Opens key4.db with the primary password, nil when none was given. Throws `secretsLocked` when one is needed,
  /// `wrongPassword` when another one was given.
  init(profile: ProfileFolder, password: String?) throws(ProfileError) {
    let database = try ProfileDatabase(
      FirefoxKeys.file, in: profile, tables: ["metaData", "nssPrivate"])
    guard database.has("metaData", ["id", "item1", "item2"]), database.has("nssPrivate", ["a0", "a3", "a11", "a102"])
    else { throw .unsupportedSchema(file: FirefoxKeys.file, version: 0, reason: "a table lacks a column") }
    let metadata = try database.rows("SELECT item1, item2 FROM metaData WHERE id = 'password'")
    guard try metadata.next(), let salt = metadata.bytes(0), let check = metadata.bytes(1) else {
      throw .corrupt(file: FirefoxKeys.file, reason: "it has no password record")
    }
    let seed = FirefoxKeys.seed(salt: salt, password: Array((password ?? "").utf8))
    let word: [UInt8]
    do {
      word = try WrappedKey(check).open(seed: seed, salt: salt)
    } catch .wrongKey {
      throw password == nil ? .secretsLocked(.primaryPassword) : .wrongPassword
    } catch {
      throw .corrupt(file: FirefoxKeys.file, reason: "its password record: \(error.reason)")
    }
    guard word == Array("password-check".utf8) else {
      throw password == nil ? .secretsLocked(.primaryPassword) : .wrongPassword
    }
    wrapping = Wrapping(seed: seed, iterations: WrappedKey(check).iterations ?? 1)
    try readKeys(database, seed: seed, salt: salt)
    try database.verify()
  }

  private mutating func readKeys(_ database: ProfileDatabase, seed: [UInt8], salt: [UInt8]) throws(ProfileError) {
    let rows = try database.rows("SELECT a11, a102, a3 FROM nssPrivate WHERE a0 = X'00000004'")
    while try rows.next() {
      // A key that does not open leaves what needs it as remarks.
      guard let wrapped = rows.bytes(0), let key = try? WrappedKey(wrapped).open(seed: seed, salt: salt) else {
        continue
      }
      if let id = rows.bytes(1), id != FirefoxKeys.emptyValue { keys[KeyName(id: id, length: key.count)] = key }
      if rows.bytes(2) == FirefoxKeys.cardKeyLabel { cardKey = key }
    }
  }

  /// The key that logins are sealed with and its id: the one for AES, else an old profile's for triple DES, which every
  /// version reads; nil in a profile that has no login yet.
  var loginKey: (id: [UInt8], key: [UInt8])? {
    let found =
      keys.filter { $0.key.length == 32 }.min { $0.key.id.lexicographicallyPrecedes($1.key.id) }
      ?? keys.filter { $0.key.length == 24 }.min { $0.key.id.lexicographicallyPrecedes($1.key.id) }
    return found.map { ($0.key.id, $0.value) }
  }

  /// Takes a key that is about to be written.
  mutating func add(_ made: FirefoxNewKey) {
    switch made.use {
    case .logins: keys[KeyName(id: FirefoxNewKey.loginKeyID, length: made.key.count)] = made.key
    case .cards: cardKey = made.key
    }
  }

  /// NSS chooses the hash by the salt's length: 20 bytes until a primary password is first set, 48 from then on.
  private static func seed(salt: [UInt8], password: [UInt8]) -> [UInt8] {
    switch salt.count {
    case 32: Hash.sha256(salt + password)
    case 48: Hash.sha384(salt + password)
    case 64: Hash.sha512(salt + password)
    default: Hash.sha1(salt + password)
    }
  }

  /// A user name or password of logins.json: Base64 of { key id, { cipher, iv }, ciphertext }.
  func openLoginField(_ text: String) throws(SecretFailure) -> String {
    guard let bytes = Base64.decode(text) else { throw .malformed }
    var outer = DERReader(bytes)
    guard var body = outer.sequence(), let id = body.read(.octets), var algorithm = body.sequence(),
      let object = algorithm.read(.object), let iv = algorithm.read(.octets), let sealed = body.read(.octets)
    else { throw .malformed }
    guard let cipher = ObjectIdentifiers.cipher(object) else { throw .unknownCipher }
    guard let key = keys[KeyName(id: id, length: cipher.keyLength)] else { throw .keyMissing }
    if sealed.isEmpty { return "" }
    return try FirefoxKeys.text { () throws(CryptoError) in try BlockCipher.decrypt(cipher, key: key, iv: iv, sealed) }
  }

  /// A card's number: Base64 of a nonce of 12 bytes, ciphertext and tag of AES-GCM.
  func openCardNumber(_ text: String) throws(SecretFailure) -> String {
    guard let bytes = Base64.decode(text), bytes.count >= 28 else { throw .malformed }
    guard let cardKey else { throw .keyMissing }
    return try FirefoxKeys.text { () throws(CryptoError) in
      try AESGCM.open(key: cardKey, nonce: Array(bytes.prefix(12)), Array(bytes.dropFirst(12)))
    }
  }

  /// A user name or password as logins.json holds it; nil when there is no key for it yet.
  func sealLoginField(_ text: String) throws(CryptoError) -> String? {
    guard let (id, key) = loginKey else { return nil }
    let cipher: BlockCipher.Cipher = key.count == 24 ? .tripleDESCBC : .aes256CBC
    let iv = Random.bytes(cipher.blockLength)
    let sealed = try BlockCipher.encrypt(cipher, key: key, iv: iv, Array(text.utf8))
    let algorithm = DERWriter.sequence(DERWriter.object(ObjectIdentifiers.name(cipher)), DERWriter.octets(iv))
    return Base64.encode(DERWriter.sequence(DERWriter.octets(id), algorithm, DERWriter.octets(sealed)))
  }

  /// A card's number as autofill-profiles.json holds it; nil when there is no key for it yet.
  func sealCardNumber(_ number: String) throws(CryptoError) -> String? {
    guard let cardKey else { return nil }
    let nonce = Random.bytes(12)
    return Base64.encode(nonce + (try AESGCM.seal(key: cardKey, nonce: nonce, Array(number.utf8))))
  }

  private static func text(_ open: () throws(CryptoError) -> [UInt8]) throws(SecretFailure) -> String {
    guard let bytes = try? open(), let text = String(validating: bytes, as: UTF8.self) else { throw .wrongKey }
    return text
  }
}
