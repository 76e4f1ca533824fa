package import BrowsingData
internal import Crypto

extension RecordID {
  /// The id of what the identity describes.
  package init(hashing identity: RecordIdentity) {
    let words = identity.bytes.withUnsafeBytes { Hash.blake2b128($0) }
    self.init(high: words.high, low: words.low)
  }

  /// The id of a login by its address; for long tables.
  static func login(url: String, httpRealm: String?, username: String, occurrence: Int) -> RecordID {
    RecordIdentity.withLogin(url: url, httpRealm: httpRealm, username: username, occurrence: occurrence) { bytes in
      let words = Hash.blake2b128(bytes)
      return RecordID(high: words.high, low: words.low)
    }
  }

  /// The id of a bookmark by its content and place.
  static func bookmark(_ bookmark: borrowing Bookmark, occurrence: Int) -> RecordID {
    RecordIdentity.withBookmark(bookmark, occurrence: occurrence) { bytes in
      let words = Hash.blake2b128(bytes)
      return RecordID(high: words.high, low: words.low)
    }
  }
}

extension RecordID {
  /// 16 bytes to make a GUID of: those of the id, and others at each further attempt, when that GUID is used already.
  func guidBytes(_ attempt: Int) -> [UInt8] {
    attempt == 0 ? bytes : RecordID(hashing: .bookmark(guid: "\(self) \(attempt)", namespace: "made")).bytes
  }
}
