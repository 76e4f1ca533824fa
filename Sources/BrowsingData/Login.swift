/// A user name and a password for a site. Holds secrets: never printed whole.
public struct Login: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var id: RecordID
  public var title: String?
  /// The exact string of the source.
  public var url: String
  public var username: String
  public var password: String
  public var notes: String?
  /// A one-time-password address, kept byte for byte.
  public var otpauth: String?
  /// Further addresses.
  public var urls: [String] = []
  public var httpRealm: String?
  /// Where the form is sent; nil when unknown or for HTTP authentication, "" for anywhere.
  public var formAction: String?
  public var dateCreated: Timestamp?
  public var dateLastUsed: Timestamp?
  public var datePasswordChanged: Timestamp?
  public var timesUsed: Int?
  /// Counts, in the source's order, logins with the same origin, realm and user.
  public var occurrence: Int = 0
  /// The source's own id of it, where it has one.
  public var guid: String?
  public var profile: String?
  public var application: Application?
  public var unknown = UnknownFields()

  public init(id: RecordID, url: String, username: String, password: String) {
    self.id = id
    self.url = url
    self.username = username
    self.password = password
  }

  /// The origin of its address: scheme, host and port; the whole string where there is none.
  public var origin: String { Origin.of(url) }

  public var description: String { "Login(\(id), •••)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
