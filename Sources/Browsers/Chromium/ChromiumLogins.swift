internal import BrowsingData

/// Reads the logins of Chromium's Login Data, and of the file beside it that holds an account's.
struct ChromiumLogins {
  static let files = ["Login Data", "Login Data For Account"]
  private static let wanted = "blacklisted_by_user = 0"

  let secrets: ChromiumSecrets
  let profile: String?
  let application: Application

  /// How many there are; nothing is decrypted.
  static func count(_ folder: ProfileFolder) throws(ProfileError) -> Int {
    var count = 0
    for name in files {
      guard let database = try ChromiumSchema.open(ChromiumSchema.logins(name), in: folder) else { continue }
      count += Int(try database.number("SELECT count(*) FROM logins WHERE \(wanted)"))
    }
    return count
  }

  /// One encrypted password, to try a key on; nil when there is none under the keyring's.
  static func sample(_ folder: ProfileFolder) throws(ProfileError) -> [UInt8]? {
    for name in files {
      guard let database = try ChromiumSchema.open(ChromiumSchema.logins(name), in: folder) else { continue }
      let rows = try database.rows("SELECT password_value FROM logins WHERE \(wanted)")
      while try rows.next() {
        if let sealed = rows.bytes(0), ChromiumSecrets.needsKeyring(sealed) { return sealed }
      }
    }
    return nil
  }

  /// Hands over every login that opens, and a remark for each that does not. What both files hold comes once.
  func read(_ folder: ProfileFolder, into consume: (RecordBatch) throws -> Void) throws {
    var remarks: [Remark] = []
    var given: Set<Login> = []
    var numbering = LoginNumbering()
    let logins = try entries(folder, &remarks).compactMap { entry in
      given.insert(ChromiumLogins.essence(entry.login)).inserted ? numbering.numbered(entry.login) : nil
    }
    if !logins.isEmpty { try consume(.logins(logins)) }
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
  }

  /// Every login that opens, with its row in the device's file; nil for one of the account's.
  func held(_ folder: ProfileFolder) throws -> [(row: Int64?, login: Login)] {
    var remarks: [Remark] = []
    var numbering = LoginNumbering()
    let entries = try entries(folder, &remarks)
    if remarks.contains(where: { $0.kind == .skipped && $0.reason == secrets.reason(.keyMissing) }) {
      throw ProfileError.secretsLocked(.keyring(secrets.reason(.keyMissing)))
    }
    return entries.map { ($0.name == ChromiumLogins.files[0] ? $0.row : nil, numbering.numbered($0.login)) }
  }

  private func entries(
    _ folder: ProfileFolder, _ remarks: inout [Remark]
  ) throws(ProfileError) -> [(name: String, row: Int64, login: Login)] {
    var entries: [(name: String, row: Int64, login: Login)] = []
    for name in ChromiumLogins.files {
      guard let database = try ChromiumSchema.open(ChromiumSchema.logins(name), in: folder) else { continue }
      let notes = try notes(database, &remarks)
      let rows = try rows(database)
      while try rows.next() {
        let row = rows.int64(0)
        do throws(SecretFailure) {
          entries.append((name, row, try login(rows, notes: notes[row])))
        } catch {
          remarks.append(
            Remark(.skipped, type: .passwords, place: .id("\(name) \(row)"), reason: secrets.reason(error)))
        }
      }
      try database.verify()
    }
    return entries
  }

  private func rows(_ database: ProfileDatabase) throws(ProfileError) -> ProfileRows {
    let optional = ["date_last_used", "date_password_modified", "times_used", "display_name"].map {
      database.has("logins", [$0]) ? $0 : "NULL"
    }
    return try database.rows(
      """
      SELECT id, origin_url, action_url, username_value, password_value, signon_realm, date_created, scheme,
        \(optional.joined(separator: ", ")) FROM logins WHERE \(ChromiumLogins.wanted) ORDER BY id
      """)
  }

  private func login(_ rows: ProfileRows, notes: String?) throws(SecretFailure) -> Login {
    guard let url = rows.text(1), !url.isEmpty else { throw .malformed }
    var login = Login(
      id: .other, url: url, username: rows.text(3) ?? "", password: try secrets.open(rows.bytes(4) ?? []))
    // 1 to 3 are ways of HTTP authentication, whose realm follows the origin; the others are forms.
    if (1...3).contains(rows.int64(7)) {
      login.httpRealm = ChromiumLogins.realm(rows.text(5) ?? "")
    } else {
      login.formAction = rows.text(2)
    }
    login.notes = notes
    login.dateCreated = ChromiumTime.time(rows.int64(6))
    login.dateLastUsed = ChromiumTime.time(rows.int64(8))
    login.datePasswordChanged = ChromiumTime.time(rows.int64(9))
    login.timesUsed = rows.optionalInt64(10).flatMap { $0 >= 0 ? Int($0) : nil }
    login.title = rows.text(11).flatMap { $0.isEmpty ? nil : $0 }
    login.profile = profile
    login.application = application
    return login
  }

  /// `https://host/Realm`: what follows the origin.
  private static func realm(_ signOn: String) -> String? {
    let parts = signOn.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count == 4 && parts[1].isEmpty ? String(parts[3]) : nil
  }

  private func notes(_ database: ProfileDatabase, _ remarks: inout [Remark]) throws(ProfileError) -> [Int64: String] {
    guard database.has("password_notes", ["parent_id", "value"]) else { return [:] }
    let rows = try database.rows("SELECT parent_id, value FROM password_notes ORDER BY id")
    var notes: [Int64: String] = [:]
    while try rows.next() {
      let parent = rows.int64(0)
      do {
        let note = try secrets.open(rows.bytes(1) ?? [])
        if !note.isEmpty { notes[parent] = notes[parent].map { $0 + "\n" + note } ?? note }
      } catch .keyMissing {
        // The login itself is a remark then.
        continue
      } catch {
        remarks.append(
          Remark(.warning, type: .passwords, place: .id("\(parent)"), reason: "its note: \(secrets.reason(error))"))
      }
    }
    return notes
  }

  /// What makes two logins one that is stored twice.
  private static func essence(_ login: Login) -> Login {
    var essence = Login(id: .other, url: login.origin, username: login.username, password: login.password)
    essence.httpRealm = login.httpRealm
    return essence
  }
}
