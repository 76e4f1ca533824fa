/// A page kept to be read later.
public struct ReadingListItem: Hashable, Sendable {
  /// Its id, given once.
  public var id: RecordID
  /// Its title.
  public var title: String
  /// The exact string of the source.
  public var url: String
  /// When it was added; nil when unknown.
  public var dateAdded: Timestamp?
  /// When it was last visited; nil when unknown.
  public var lastVisitedAt: Timestamp?
  /// Whether it has been read; nil when unknown.
  public var read: Bool?
  /// The first words of the page.
  public var preview: String?
  /// The source's profile; nil for its default one.
  public var profile: String?
  /// The program it came from.
  public var application: Application?
  /// Fields of a newer version, kept and given back.
  public var unknown = UnknownFields()

  /// With what cannot be absent; the rest is set afterwards.
  public init(id: RecordID, title: String, url: String, dateAdded: Timestamp? = nil) {
    self.id = id
    self.title = title
    self.url = url
    self.dateAdded = dateAdded
  }
}
