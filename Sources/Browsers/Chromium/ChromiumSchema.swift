/// What this version knows about Chromium's databases.
enum ChromiumSchema {
  /// A database and the highest `last_compatible_version` it may ask for.
  struct File {
    var name: String
    var compatible: Int64
    var tables: Set<String>
    var needed: [(table: String, columns: [String])]
  }

  /// Visits and their pages. Chromium 156 writes version 70, to be read from 16 on.
  static let history = File(
    name: "History", compatible: 70, tables: ["meta", "urls", "visits", "context_annotations"],
    needed: [
      ("urls", ["id", "url", "title", "last_visit_time"]),
      ("visits", ["id", "url", "visit_time", "from_visit", "transition"]),
    ])

  /// Logins; those of an account stand in a second file of the same layout. Chromium 156 writes version 43.
  static func logins(_ name: String) -> File {
    File(
      name: name, compatible: 43, tables: ["meta", "logins", "password_notes"],
      needed: [
        (
          "logins",
          [
            "id", "origin_url", "action_url", "username_value", "password_value", "signon_realm", "date_created",
            "blacklisted_by_user", "scheme",
          ]
        )
      ])
  }

  /// Cards. Chromium 156 writes version 158.
  static let webData = File(
    name: "Web Data", compatible: 200, tables: ["meta", "credit_cards"],
    needed: [
      (
        "credit_cards",
        ["guid", "name_on_card", "expiration_month", "expiration_year", "card_number_encrypted", "use_date"]
      )
    ])

  /// Opens one of them and refuses a layout that is not known; nil when the profile has no such file.
  static func open(_ file: File, in profile: ProfileFolder) throws(ProfileError) -> ProfileDatabase? {
    guard ProfileFile.stamp(profile.path + "/" + file.name) != nil else { return nil }
    let database = try ProfileDatabase(file.name, in: profile, tables: file.tables)
    try database.refuseEmpty()
    guard database.has("meta", ["key", "value"]) else {
      throw .unsupportedSchema(file: file.name, version: 0, reason: "it has no table of versions")
    }
    let compatible = try database.number(
      "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_compatible_version'")
    guard compatible <= file.compatible else {
      throw .unsupportedSchema(file: file.name, version: compatible, reason: "up to \(file.compatible) is known")
    }
    for (table, columns) in file.needed where !database.has(table, columns) {
      throw .unsupportedSchema(file: file.name, version: compatible, reason: "\(table) lacks a column")
    }
    return database
  }
}
