/// The bytes whose BLAKE2b-128 is a record's id (records.md): `wherry-rid-1`, the type, the identity,
/// each part with its length before it, an absent part told from an empty one.
/// Pure: whoever may import a hash turns the bytes into an id.
public struct RecordIdentity: Sendable {
  /// What is to be hashed with BLAKE2b to 16 bytes.
  public private(set) var bytes: [UInt8]

  private init(_ type: DataType) {
    bytes = []
    bytes.reserveCapacity(224)
    bytes.append(contentsOf: "wherry-rid-1".utf8)
    bytes.append(0)
    bytes.append(type.rawValue)
  }

  private mutating func add(_ text: String?) {
    guard let text else {
      bytes.append(0)
      return
    }
    bytes.append(1)
    add(UInt64(text.utf8.count))
    if text.utf8.withContiguousStorageIfAvailable({ bytes.append(contentsOf: $0) }) == nil {
      bytes.append(contentsOf: text.utf8)
    }
  }

  private mutating func add(_ number: UInt64) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// A number as its decimal text.
  private mutating func addDecimal(_ number: Int64?) {
    guard let number, number > 0 else { return add(number.map { String($0) }) }
    var (digits, divisor, rest): (UInt64, Int64, Int64) = (1, 1, number)
    while rest / divisor >= 10 {
      divisor *= 10
      digits += 1
    }
    bytes.append(1)
    add(digits)
    while divisor > 0 {
      bytes.append(48 + UInt8(truncatingIfNeeded: rest / divisor))
      rest %= divisor
      divisor /= 10
    }
  }

  /// A bookmark whose source gives it a GUID of its own. `namespace` names the kind of GUID ("firefox", "chromium"),
  /// so that two programs' GUIDs never meet by chance.
  public static func bookmark(guid: String, namespace: String) -> RecordIdentity {
    var identity = RecordIdentity(.bookmarks)
    identity.bytes.append(1)
    identity.add(namespace)
    identity.add(guid)
    return identity
  }

  /// A bookmark without a GUID: its content and place as they were at first capture. `occurrence` counts equal ones before it.
  public static func bookmark(
    kind: Bookmark.Kind, parent: RecordID, title: String, url: String?, dateAdded: Timestamp?, occurrence: Int
  ) -> RecordIdentity {
    var identity = RecordIdentity(.bookmarks)
    identity.bytes.append(2)
    identity.bytes.append(kind.rawValue)
    identity.add(parent.high)
    identity.add(parent.low)
    identity.add(title)
    identity.add(url)
    identity.addDecimal(dateAdded?.microseconds)
    identity.add(UInt64(occurrence))
    return identity
  }

  /// A visit: page, time, occurrence, profile.
  public static func visit(url: String, visitedAt: Timestamp, occurrence: Int, profile: String?) -> RecordIdentity {
    var identity = RecordIdentity(.history)
    identity.add(url)
    identity.add(UInt64(bitPattern: visitedAt.microseconds))
    identity.add(UInt64(occurrence))
    identity.add(profile)
    return identity
  }

  /// A reading-list item: address and profile.
  public static func readingListItem(url: String, profile: String?) -> RecordIdentity {
    var identity = RecordIdentity(.readingList)
    identity.add(url)
    identity.add(profile)
    return identity
  }

  /// An extension: identifier and profile.
  public static func browserExtension(identifier: String, profile: String?) -> RecordIdentity {
    var identity = RecordIdentity(.extensions)
    identity.add(identifier)
    identity.add(profile)
    return identity
  }

  /// A login: origin, realm, user, and a number for further ones of the same three.
  public static func login(origin: String, httpRealm: String?, username: String, occurrence: Int) -> RecordIdentity {
    var identity = RecordIdentity(.passwords)
    identity.add(origin)
    identity.add(httpRealm)
    identity.add(username)
    identity.add(UInt64(occurrence))
    return identity
  }
}
