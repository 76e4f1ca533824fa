/// A user name and a password for a site. Holds secrets: never printed whole.
public struct Login: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// Its id, given once.
  public var id: RecordID
  /// Its title.
  public var title: String?
  /// The exact string of the source.
  public var url: String
  /// The user name; may be empty.
  public var username: String
  /// The password, a secret.
  public var password: String
  /// Free text.
  public var notes: String?
  /// A one-time-password address, kept byte for byte.
  public var otpauth: String?
  /// Further addresses.
  public var urls: [String] = []
  /// The realm of HTTP authentication.
  public var httpRealm: String?
  /// Where the form is sent; nil when unknown or for HTTP authentication, "" for anywhere.
  public var formAction: String?
  /// When it was saved; nil when unknown.
  public var dateCreated: Timestamp?
  /// When it was last filled in; nil when unknown.
  public var dateLastUsed: Timestamp?
  /// When the password was last changed; nil when unknown.
  public var datePasswordChanged: Timestamp?
  /// How often it was filled in; nil when unknown.
  public var timesUsed: Int?
  /// Counts, in the source's order, logins with the same origin, realm and user.
  public var occurrence: Int = 0
  /// The source's own id of it, where it has one.
  public var guid: String?
  /// The source's profile; nil for its default one.
  public var profile: String?
  /// The program it came from.
  public var application: Application?
  /// Fields of a newer version, kept and given back.
  public var unknown = UnknownFields()

  /// With what cannot be absent; the rest is set afterwards.
  @inlinable public init(id: RecordID, url: String, username: String, password: String) {
    self.id = id
    self.url = url
    self.username = username
    self.password = password
  }

  /// The origin of its address: scheme, host and port; the whole string where there is none.
  public var origin: String { Origin.of(url) }

  /// A longer text about it.
  public var description: String { "Login(\(id), •••)" }
  /// The same, without secrets.
  public var debugDescription: String { description }
  /// Only the id: a dump shows no secret.
  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
