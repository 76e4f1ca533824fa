internal import Crypto

/// CPACE-RISTR255-SHA512 of draft-irtf-cfrg-cpace: from a short shared secret to a strong key that only a peer with the same
/// secret on the same channel has. A middleman may try one secret a run and learns nothing else.
enum CPace {
  private static let domain = Array("CPaceRistretto255".utf8)

  /// A piece with its length in front (LEB128): no two lists of pieces give the same bytes.
  static func withLength(_ piece: [UInt8]) -> [UInt8] {
    var prefix: [UInt8] = []
    var count = piece.count
    while count >= 128 {
      prefix.append(UInt8(count & 127) | 128)
      count >>= 7
    }
    prefix.append(UInt8(count))
    return prefix + piece
  }

  /// The draft's `lv_cat`.
  static func concatenate(_ pieces: [UInt8]...) -> [UInt8] { pieces.flatMap(withLength) }

  /// What is hashed to the generator: the secret fills a block of SHA-512 of its own.
  static func generatorString(secret: [UInt8], channel: [UInt8], session: [UInt8]) -> [UInt8] {
    let padding = max(0, 128 - 1 - withLength(secret).count - withLength(domain).count)
    return concatenate(domain, secret, [UInt8](repeating: 0, count: padding), channel, session)
  }

  /// The point that both sides start from: only who knows the secret knows it.
  static func generator(secret: [UInt8], channel: [UInt8], session: [UInt8]) -> [UInt8] {
    Ristretto255.point(fromHash: Hash.sha512(generatorString(secret: secret, channel: channel, session: session)))
  }

  /// The public share of a scalar; nil never happens with a scalar other than zero.
  static func share(_ scalar: SecureBytes, generator: [UInt8]) -> [UInt8]? {
    Ristretto255.multiply(scalar, generator)?.unprotectedCopy
  }

  /// The draft's intermediate session key, 64 bytes; nil when the peer's share is no valid point or the neutral element.
  /// `first` is the connector's share and associated data, `second` the listener's.
  static func sessionKey(
    scalar: SecureBytes, peerShare: [UInt8], session: [UInt8], first: (share: [UInt8], associated: [UInt8]),
    second: (share: [UInt8], associated: [UInt8])
  ) -> [UInt8]? {
    guard let common = Ristretto255.multiply(scalar, peerShare) else { return nil }
    let label = domain + Array("_ISK".utf8)
    return Hash.sha512(
      concatenate(label, session, common.unprotectedCopy) + concatenate(first.share, first.associated)
        + concatenate(second.share, second.associated))
  }

  /// What proves to the peer that this side has the same key: over this side's own share.
  static func confirmation(sessionKey: [UInt8], session: [UInt8], share: [UInt8], associated: [UInt8]) -> [UInt8] {
    let key = Hash.sha512(Array("CPaceMac".utf8) + session + sessionKey)
    return HMAC.sha512(key: key, concatenate(share, associated))
  }
}
