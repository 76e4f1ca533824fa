internal import BrowsingData

/// Reads logins.json.
struct FirefoxLogins {
  static let file = "logins.json"
  /// Firefox's own entry for its account: it means nothing elsewhere.
  private static let accountOrigin = "chrome://FirefoxAccounts"

  let keys: FirefoxKeys
  let profile: String?
  let application: Application

  /// How many there are; nothing is decrypted.
  static func count(_ profile: String) throws(ProfileError) -> Int { try entries(profile).count }

  /// The user's own entries; what sync keeps of deleted ones has no fields.
  private static func entries(_ profile: String) throws(ProfileError) -> [JSONValue] {
    guard let document = try JSONValue.read(profile + "/" + file) else { return [] }
    guard case .array(let entries)? = document["logins"] else {
      throw .unsupportedSchema(file: file, version: 0, reason: "it has no list of logins")
    }
    return entries.filter(isLogin)
  }

  /// Whether an entry is one of the user's own.
  static func isLogin(_ entry: JSONValue) -> Bool {
    entry["deleted"]?.bool != true && entry["hostname"]?.string != accountOrigin
  }

  /// Hands over every login that opens, and a remark for each that does not.
  func read(_ folder: String, into consume: (RecordBatch) throws -> Void) throws {
    var logins: [Login] = []
    var remarks: [Remark] = []
    var numbering = LoginNumbering()
    for entry in try FirefoxLogins.entries(folder) {
      let guid = entry["guid"]?.nonEmptyString
      do {
        logins.append(numbering.numbered(try login(entry, guid: guid)))
      } catch {
        remarks.append(
          Remark(.skipped, type: .passwords, place: guid.map { .id($0) } ?? .none, reason: error.reason))
      }
    }
    if !logins.isEmpty { try consume(.logins(logins)) }
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
  }

  func login(_ entry: JSONValue, guid: String?) throws(SecretFailure) -> Login {
    guard let url = entry["hostname"]?.nonEmptyString, let username = entry["encryptedUsername"]?.string,
      let password = entry["encryptedPassword"]?.string
    else { throw .malformed }
    var login = Login(
      id: .other, url: url, username: try keys.openLoginField(username), password: try keys.openLoginField(password))
    login.httpRealm = entry["httpRealm"]?.string
    login.formAction = entry["formSubmitURL"]?.string
    login.dateCreated = entry["timeCreated"]?.time
    login.dateLastUsed = entry["timeLastUsed"]?.time
    login.datePasswordChanged = entry["timePasswordChanged"]?.time
    login.timesUsed = entry["timesUsed"]?.integer.flatMap { $0 >= 0 ? Int($0) : nil }
    login.guid = guid
    login.profile = profile
    login.application = application
    return login
  }
}
