package import Crypto

/// What a pairing QR code holds: `wherry:1?a=HOST:PORT,…&k=KEY&s=SECRET&e=EXPIRY`. Where to connect, whose key to expect,
/// a secret of 128 bits for the same key exchange as the digits, and when it ends. Never the digits.
package struct PairingURI: Equatable, Sendable {
  /// The longest text that is made: fits a QR code of version 10 with medium error correction.
  package static let longest = 213
  private static let prefix = "wherry:1?"

  /// Where the listener can be reached, best first.
  package var addresses: [Endpoint]
  /// The listener's key.
  package var peerID: PeerID
  /// 16 random bytes: what the key exchange calls PRS.
  package var secret: SecureBytes
  /// Seconds since 1970 after which the listener takes it no more. A hint: the clocks may differ.
  package var expiry: Int64

  /// From its parts; the secret has 16 bytes.
  package init(addresses: [Endpoint], peerID: PeerID, secret: SecureBytes, expiry: Int64) {
    self.addresses = addresses
    self.peerID = peerID
    self.secret = secret
    self.expiry = expiry
  }

  /// The text for the QR code, at most `longest` bytes: addresses that do not fit are dropped from the end.
  package var text: String {
    let rest =
      "&k=" + Base64URL.encode(peerID.bytes) + "&s=" + Base64URL.encode(secret.unprotectedCopy) + "&e=\(expiry)"
    let room = PairingURI.longest - PairingURI.prefix.utf8.count - 2 - rest.utf8.count
    var list = ""
    for address in addresses {
      let next = list.isEmpty ? address.description : list + "," + address.description
      if next.utf8.count > room { break }
      list = next
    }
    return PairingURI.prefix + "a=" + list + rest
  }

  /// Whether a text means to be one.
  package static func isLike(_ text: String) -> Bool { text.lowercased().hasPrefix("wherry:") }

  /// From the text; unknown keys are ignored. nil when anything is missing, doubled or malformed.
  package init?(_ text: String) {
    guard text.hasPrefix(PairingURI.prefix), text.utf8.count <= 2_000 else { return nil }
    var values: [Substring: Substring] = [:]
    for pair in text.dropFirst(PairingURI.prefix.count).split(separator: "&", omittingEmptySubsequences: false) {
      guard let equals = pair.firstIndex(of: "="), values[pair[..<equals]] == nil else { return nil }
      values[pair[..<equals]] = pair[pair.index(after: equals)...]
    }
    guard let list = values["a"], let key = values["k"].flatMap({ Base64URL.decode($0) }), let id = PeerID(bytes: key),
      let secret = values["s"].flatMap({ Base64URL.decode($0) }), secret.count == 16,
      let digits = values["e"], digits.utf8.count <= 12, let expiry = Int64(digits), expiry >= 0
    else { return nil }
    var addresses: [Endpoint] = []
    for part in list.split(separator: ",", omittingEmptySubsequences: false) where !list.isEmpty {
      guard let address = Endpoint(String(part)), address.port != 0, !address.host.isEmpty else { return nil }
      addresses.append(address)
    }
    self.init(addresses: addresses, peerID: id, secret: SecureBytes(secret), expiry: expiry)
  }
}

extension PairingURI: CustomStringConvertible {
  /// Never the secret.
  package var description: String { "wherry:•••" }
}

/// Base 64 with the alphabet for addresses and without padding (RFC 4648 section 5).
enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for byte in bytes {
      (bits, count) = (bits << 8 | UInt32(byte), count + 8)
      while count >= 6 {
        count -= 6
        text.append(alphabet[Int(bits >> UInt32(count) & 63)])
      }
    }
    if count > 0 { text.append(alphabet[Int(bits << UInt32(6 - count) & 63)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// nil for a character outside the alphabet and for an encoding that `encode` would not give.
  static func decode(_ text: Substring) -> [UInt8]? {
    var bytes: [UInt8] = []
    var (bits, count): (UInt32, Int) = (0, 0)
    for character in text.utf8 {
      guard let value = alphabet.firstIndex(of: character) else { return nil }
      (bits, count) = ((bits << 6 | UInt32(value)) & 0xffff, count + 6)
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
      }
    }
    return count < 6 && bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
  }
}
