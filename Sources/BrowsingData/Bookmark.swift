/// A bookmark, a folder or a separator.
public struct Bookmark: Hashable, Sendable {
  /// What it is. The raw value is the wire's number.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    case bookmark = 1
    case folder = 2
    case separator = 3

    /// The word of `--json`.
    public var name: String {
      switch self {
      case .bookmark: "bookmark"
      case .folder: "folder"
      case .separator: "separator"
      }
    }
  }

  public var id: RecordID
  public var kind: Kind
  /// A folder's id or one of the four roots.
  public var parent: RecordID
  /// Rank among its siblings, from 0.
  public var position: Int
  /// Empty for a separator and where the source has none.
  public var title: String
  /// The exact string of the source; nil for folders and separators.
  public var url: String?
  public var dateAdded: Timestamp?
  public var dateModified: Timestamp?
  /// In the source's order; empty when there are none.
  public var tags: [String] = []
  public var keyword: String?
  public var postData: String?
  public var description: String?
  public var charset: String?
  /// The icon as a `data:` URL, at most 128 KiB.
  public var icon: String?
  public var iconURI: String?
  public var lastVisitedAt: Timestamp?
  /// The source's own id of it, where it has one.
  public var guid: String?
  /// Attributes of a richer format, kept to be given back (Netscape HTML).
  public var attributes: [NamedValue] = []
  public var profile: String?
  public var application: Application?
  public var unknown = UnknownFields()

  public init(
    id: RecordID, kind: Kind, parent: RecordID, position: Int, title: String, url: String? = nil,
    dateAdded: Timestamp? = nil, dateModified: Timestamp? = nil
  ) {
    self.id = id
    self.kind = kind
    self.parent = parent
    self.position = position
    self.title = title
    self.url = url
    self.dateAdded = dateAdded
    self.dateModified = dateModified
  }
}

/// A name and its value, in the order of the source.
public struct NamedValue: Hashable, Sendable {
  public var name: String
  public var value: String
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// The program that a record came from (BrowserKit's source application).
public struct Application: Hashable, Sendable {
  public var id: String
  public var name: String
  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}
