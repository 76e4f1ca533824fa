/// A bookmark, a folder or a separator.
public struct Bookmark: Hashable, Sendable {
  /// What it is. The raw value is the wire's number.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// It has an address.
    case bookmark = 1
    /// It holds others.
    case folder = 2
    /// A line between others.
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

  /// Its id, given once.
  public var id: RecordID
  /// What it is.
  public var kind: Kind
  /// A folder's id or one of the four roots.
  public var parent: RecordID
  /// Rank among its siblings, from 0.
  public var position: Int
  /// Empty for a separator and where the source has none.
  public var title: String
  /// The exact string of the source; nil for folders and separators.
  public var url: String?
  /// When it was added; nil when unknown.
  public var dateAdded: Timestamp?
  /// When it was last changed; nil when unknown.
  public var dateModified: Timestamp?
  /// In the source's order; empty when there are none.
  public var tags: [String] = []
  /// The word that opens it from the address bar.
  public var keyword: String?
  /// What is sent with the keyword.
  public var postData: String?
  /// A longer text about it.
  public var description: String?
  /// The character set the page was last shown in.
  public var charset: String?
  /// The icon as a `data:` URL, at most 128 KiB.
  public var icon: String?
  /// Where the icon came from.
  public var iconURI: String?
  /// When it was last visited; nil when unknown.
  public var lastVisitedAt: Timestamp?
  /// The source's own id of it, where it has one.
  public var guid: String?
  /// Attributes of a richer format, kept to be given back (Netscape HTML).
  public var attributes: [NamedValue] = []
  /// The source's profile; nil for its default one.
  public var profile: String?
  /// The program it came from.
  public var application: Application?
  /// Fields of a newer version, kept and given back.
  public var unknown = UnknownFields()

  /// With what cannot be absent; the rest is set afterwards.
  @inlinable public init(
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
  /// Its name.
  public var name: String
  /// Its value.
  public var value: String
  /// With what cannot be absent; the rest is set afterwards.
  public init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// The program that a record came from (BrowserKit's source application).
public struct Application: Hashable, Sendable {
  /// Its id, given once.
  public var id: String
  /// Its name.
  public var name: String
  /// With what cannot be absent; the rest is set afterwards.
  public init(id: String, name: String) {
    self.id = id
    self.name = name
  }
}
