internal import BrowsingData
internal import Crypto
internal import SQLite

/// Edits the logins of Chromium's Login Data. A login's foreign id is its row.
struct ChromiumLoginEditing {
  /// In words, for a second login of one address and user.
  static let doubled = "Chromium keeps one login for an address and a user"

  private let edited: EditedDatabase
  private let secrets: ChromiumSecrets
  private let now: Int64
  private var result = EditResult()

  /// In an open Login Data.
  init(_ edited: EditedDatabase, secrets: ChromiumSecrets, now: Timestamp) {
    self.edited = edited
    self.secrets = secrets
    self.now = now.webKit
  }

  private static let columns = [
    "origin_url", "action_url", "username_element", "username_value", "password_element", "password_value",
    "submit_element", "signon_realm", "date_created", "blacklisted_by_user", "scheme", "password_type", "times_used",
    "form_data", "display_name", "icon_url", "federation_url", "skip_zero_click", "generation_upload_status",
    "possible_username_pairs", "id", "date_last_used", "moving_blocked_for", "date_password_modified",
    "sharing_notification_displayed", "date_last_filled", "actor_login_approved",
  ]

  /// Carries out edits.
  mutating func apply(_ edits: ItemEdits<Login>) throws -> EditResult {
    result = EditResult()
    let edited = edited
    try edited.prepare()
    try edited.run { _ in
      if !edits.insertions.isEmpty {
        let insertion = try RowInsertion(into: "logins", ChromiumLoginEditing.columns, of: edited)
        for held in edits.insertions { try insert(held, insertion) }
      }
      for held in edits.updates { try update(held) }
      for id in edits.removals { try remove(id) }
    }
    return result
  }

  /// What the store's unique key is made of, and what it holds for one login.
  private static func place(_ login: Login) -> (origin: String, realm: String, scheme: Int64) {
    guard let realm = login.httpRealm else {
      let origin = Origin.of(login.url)
      return (login.url, origin == login.url && !origin.contains("://") ? origin : origin + "/", 0)
    }
    return (login.url, Origin.of(login.url) + "/" + realm, 1)
  }

  private mutating func insert(_ held: Held<Login>, _ insertion: RowInsertion) throws {
    let login = held.item
    let place = ChromiumLoginEditing.place(login)
    guard let row = Int64(held.foreignID), try !isThere(login, place.realm) else {
      result.refused[held.foreignID] = ChromiumLoginEditing.doubled
      return
    }
    let used = login.dateLastUsed?.webKit ?? 0
    try insertion.insert([
      "origin_url": .text(place.origin), "action_url": .text(login.formAction ?? ""), "username_element": .text(""),
      "username_value": .text(login.username), "password_element": .text(""),
      "password_value": .bytes(try sealed(login.password)), "submit_element": .text(""),
      "signon_realm": .text(place.realm), "date_created": .number(login.dateCreated?.webKit ?? 0),
      "blacklisted_by_user": .number(0), "scheme": .number(place.scheme),
      "password_type": .number(ChromiumLoginEditing.imported), "times_used": .number(Int64(login.timesUsed ?? 0)),
      "form_data": .bytes([]), "display_name": .text(""), "icon_url": .text(""), "federation_url": .text(""),
      "skip_zero_click": .number(0), "generation_upload_status": .number(0), "possible_username_pairs": .bytes([]),
      "id": .number(row), "date_last_used": .number(used), "moving_blocked_for": .bytes([]),
      "date_password_modified": .number(login.datePasswordChanged?.webKit ?? 0),
      "sharing_notification_displayed": .number(0), "date_last_filled": .number(0),
      "actor_login_approved": .number(0),
    ])
    edited.hasChanged = true
    try setNotes(login.notes, row)
  }

  /// Chromium's number for a login that came from elsewhere.
  private static let imported: Int64 = 4

  private func isThere(_ login: Login, _ realm: String) throws -> Bool {
    let statement = try edited.database.prepare(
      """
      SELECT 1 FROM logins WHERE origin_url = ?1 AND username_value = ?2 AND signon_realm = ?3
      AND username_element = '' AND password_element = ''
      """)
    for (index, text) in [login.url, login.username, realm].enumerated() { try statement.bind(Int32(index + 1), text) }
    return try statement.step()
  }

  private func sealed(_ text: String) throws -> [UInt8] {
    do { return try secrets.seal(text) } catch { throw ProfileError.secretsLocked(.keyring(secrets.reason(error))) }
  }

  private mutating func update(_ held: Held<Login>) throws {
    let login = held.item
    let old = try edited.database.prepare(
      "SELECT password_value, times_used, date_last_used, date_password_modified FROM logins WHERE id = ?1")
    guard let row = Int64(held.foreignID) else { return }
    try old.bind(1, row)
    guard try old.step() else {
      result.refused[held.foreignID] = "it is not there any more"
      return
    }
    let isNewPassword = (try? secrets.open(old.bytes(0) ?? [])) != login.password
    let times = (
      used: Int64(login.timesUsed ?? Int(clamping: old.int64(1))), last: login.dateLastUsed?.webKit ?? old.int64(2),
      changed: login.datePasswordChanged?.webKit ?? (isNewPassword ? now : old.int64(3))
    )
    let isNews = isNewPassword || times != (old.int64(1), old.int64(2), old.int64(3))
    let bytes = isNewPassword ? try sealed(login.password) : old.bytes(0) ?? []
    old.reset()
    if isNews {
      let statement = try edited.database.prepare(
        """
        UPDATE logins SET password_value = ?2, times_used = ?3, date_last_used = ?4, date_password_modified = ?5
        WHERE id = ?1
        """)
      try statement.bind(1, row)
      try statement.bind(2, bytes)
      try statement.bind(3, times.used)
      try statement.bind(4, times.last)
      try statement.bind(5, times.changed)
      try statement.run()
      edited.hasChanged = true
    }
    try setNotes(login.notes, row)
  }

  /// Chromium has several notes of a login and shows the one without a name.
  private mutating func setNotes(_ notes: String?, _ row: Int64) throws {
    guard edited.has("password_notes", "value") else {
      if notes?.isEmpty == false { result.losses[ChromiumEditor.loss("notes"), default: 0] += 1 }
      return
    }
    let old = try edited.database.prepare("SELECT value FROM password_notes WHERE parent_id = ?1 AND key = ''")
    try old.bind(1, row)
    let isThere = try old.step()
    let text = isThere ? try? secrets.open(old.bytes(0) ?? []) : ""
    old.reset()
    guard text != notes ?? "" else { return }
    edited.hasChanged = true
    let statement = try edited.database.prepare(
      isThere
        ? "UPDATE password_notes SET value = ?2, date_created = ?3 WHERE parent_id = ?1 AND key = ''"
        : "INSERT INTO password_notes(parent_id, key, value, date_created, confidential) VALUES (?1, '', ?2, ?3, 0)")
    try statement.bind(1, row)
    try statement.bind(2, try sealed(notes ?? ""))
    try statement.bind(3, now)
    try statement.run()
  }

  private mutating func remove(_ id: String) throws {
    guard let row = Int64(id) else { return }
    for (table, column) in [("password_notes", "parent_id"), ("insecure_credentials", "parent_id"), ("logins", "id")]
    where edited.has(table, column) {
      let statement = try edited.database.prepare("DELETE FROM \(table) WHERE \(column) = ?1")
      try statement.bind(1, row)
      try statement.run()
      if edited.database.changes > 0 { edited.hasChanged = true }
    }
  }
}
