internal import BrowsingData
internal import Crypto

extension RecordID {
  /// The id of what the identity describes.
  init(hashing identity: RecordIdentity) {
    let words = identity.bytes.withUnsafeBytes { Hash.blake2b128($0) }
    self.init(high: words.high, low: words.low)
  }
}
