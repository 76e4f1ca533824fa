internal import BrowsingData
internal import Crypto
internal import Merge

/// Hashes by which equal records find each other. Never stored.
enum ContentHash {
  /// Kind, title and address of a bookmark; title of a folder; nothing of a separator.
  static func of(_ kind: Bookmark.Kind, title: some Collection<UInt8>, url: (some Collection<UInt8>)?) -> ContentKey {
    var bytes: [UInt8] = [kind.rawValue]
    if kind != .separator {
      bytes += FieldList.bigEndian(UInt64(title.count))
      bytes += title
    }
    if kind == .bookmark, let url {
      bytes.append(1)
      bytes += url
    }
    return key(bytes)
  }

  static func of(_ bookmark: Bookmark) -> ContentKey {
    of(bookmark.kind, title: bookmark.title.utf8, url: bookmark.url?.utf8)
  }

  /// Texts, each told from its neighbours, an absent one from an empty one.
  static func of(_ texts: [String?]) -> ContentKey {
    var bytes: [UInt8] = []
    for text in texts {
      guard let text else {
        bytes.append(0)
        continue
      }
      bytes.append(1)
      bytes += FieldList.bigEndian(UInt64(text.utf8.count))
      bytes += text.utf8
    }
    return key(bytes)
  }

  /// Origin, realm and user.
  static func of(_ login: Login) -> ContentKey { of([login.origin, login.httpRealm, login.username]) }

  /// The id that stands for `id` where that is taken; the same every time.
  static func another(_ id: RecordID, _ number: Int, context: RecordID? = nil) -> RecordID {
    let bytes =
      Array("wherry-other-id-1".utf8) + id.bytes + FieldList.bigEndian(UInt64(number)) + (context?.bytes ?? [])
    let hash = bytes.withUnsafeBytes { Hash.blake2b128($0) }
    return RecordID(high: hash.high, low: hash.low)
  }

  /// What a record adds to its log's digest.
  static func digest(_ id: RecordID) -> (high: UInt64, low: UInt64) {
    id.bytes.withUnsafeBytes { Hash.blake2b128($0) }
  }

  private static func key(_ bytes: [UInt8]) -> ContentKey {
    let hash = bytes.withUnsafeBytes { Hash.blake2b128($0) }
    return ContentKey(high: hash.high, low: hash.low)
  }
}
