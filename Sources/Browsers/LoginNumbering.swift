internal import BrowsingData

/// Gives logins their ids, in the source's order: the second of one origin, realm and user is another one.
struct LoginNumbering {
  private struct Key: Hashable {
    var origin: String
    var realm: String?
    var username: String
  }
  private var counts: [Key: Int] = [:]

  /// The login with its occurrence and its id.
  mutating func numbered(_ login: Login) -> Login {
    var login = login
    let key = Key(origin: login.origin, realm: login.httpRealm, username: login.username)
    login.occurrence = counts[key, default: 0]
    counts[key, default: 0] += 1
    login.id = RecordID(
      hashing: .login(
        origin: key.origin, httpRealm: key.realm, username: key.username, occurrence: login.occurrence))
    return login
  }
}
