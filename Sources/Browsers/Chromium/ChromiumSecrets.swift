internal import Crypto

/// Opens what Chromium on Linux encrypts: `v10` under a fixed secret, `v11` under one that the desktop's keyring keeps.
struct ChromiumSecrets {
  private let fixedKey: [UInt8]?
  private let keyringKey: [UInt8]?
  /// Whether new secrets are locked with the keyring's, as the profile's own are. The fixed one never opens less.
  var sealsWithKeyring = false

  /// Why the keyring's secret is not known, where it was asked for.
  var absence: Keyring.Absence?

  /// With the keyring's secret, when it is known: its text is the password.
  init(keyringSecret: String?) {
    fixedKey = ChromiumSecrets.key("peanuts")
    keyringKey = keyringSecret.flatMap { ChromiumSecrets.key($0) }
  }

  private static func key(_ secret: String) -> [UInt8]? {
    try? PBKDF2.derive(
      .sha1, password: Array(secret.utf8), salt: Array("saltysalt".utf8), iterations: 1, length: 16)
  }

  /// Whether a field needs the keyring's secret.
  static func needsKeyring(_ sealed: [UInt8]) -> Bool { sealed.starts(with: Array("v11".utf8)) }

  /// The text of a field. An empty field is an empty text; one without a mark is from the time before encryption.
  func open(_ sealed: [UInt8]) throws(SecretFailure) -> String {
    guard let text = String(validating: try bytes(sealed), as: UTF8.self) else { throw .wrongKey }
    return text
  }

  /// A field for a text. An empty text is an empty field.
  func seal(_ text: String) throws(SecretFailure) -> [UInt8] {
    if text.isEmpty { return [] }
    guard let key = sealsWithKeyring ? keyringKey : fixedKey else { throw .keyMissing }
    do {
      let sealed = try BlockCipher.encrypt(.aes128CBC, key: key, iv: ChromiumSecrets.iv, Array(text.utf8))
      return Array((sealsWithKeyring ? "v11" : "v10").utf8) + sealed
    } catch {
      throw .malformed
    }
  }

  private static let iv = [UInt8](repeating: 32, count: 16)

  /// The bytes of a field.
  func bytes(_ sealed: [UInt8]) throws(SecretFailure) -> [UInt8] {
    let mark = String(decoding: sealed.prefix(3), as: UTF8.self)
    let key: [UInt8]?
    switch mark {
    case "v10": key = fixedKey
    case "v11": key = keyringKey
    case "v12": throw .unknownCipher
    default: return sealed
    }
    guard let key else { throw .keyMissing }
    do {
      return try BlockCipher.decrypt(.aes128CBC, key: key, iv: ChromiumSecrets.iv, Array(sealed.dropFirst(3)))
    } catch .authenticationFailed {
      throw .wrongKey
    } catch {
      throw .malformed
    }
  }

  /// Why a field stays shut, in the words that fit Chromium: a missing key is the keyring's.
  func reason(_ failure: SecretFailure) -> String {
    switch failure {
    case .keyMissing:
      "it is locked with a secret of the desktop's keyring" + (absence.map { ", " + $0.reason } ?? "")
    case .malformed, .unknownCipher, .wrongKey: failure.reason
    }
  }
}
