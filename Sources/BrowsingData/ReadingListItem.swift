/// A page kept to be read later.
public struct ReadingListItem: Hashable, Sendable {
  public var id: RecordID
  public var title: String
  /// The exact string of the source.
  public var url: String
  public var dateAdded: Timestamp?
  public var lastVisitedAt: Timestamp?
  public var read: Bool?
  public var preview: String?
  public var profile: String?
  public var application: Application?
  public var unknown = UnknownFields()

  public init(id: RecordID, title: String, url: String, dateAdded: Timestamp? = nil) {
    self.id = id
    self.title = title
    self.url = url
    self.dateAdded = dateAdded
  }
}
