/// What this version knows about places.sqlite: which versions, tables and columns.
enum PlacesSchema {
  /// The database's name.
  static let file = "places.sqlite"
  /// `user_version` of Firefox 38 up to well above 153's 86. Mozilla keeps the columns below when it raises it;
  /// whether they are there is looked at, too.
  static let versions: ClosedRange<Int64> = 26...120

  /// The tables that may be read.
  static let tables: Set<String> = [
    "moz_places", "moz_historyvisits", "moz_bookmarks", "moz_keywords", "moz_annos", "moz_anno_attributes",
    "moz_items_annos",
  ]

  private static let needed: [(table: String, columns: [String])] = [
    ("moz_places", ["id", "url", "title", "visit_count", "hidden", "last_visit_date"]),
    ("moz_historyvisits", ["id", "from_visit", "place_id", "visit_date", "visit_type"]),
    (
      "moz_bookmarks",
      ["id", "type", "fk", "parent", "position", "title", "dateAdded", "lastModified", "guid"]
    ),
  ]

  /// Opens a profile's places.sqlite and refuses a layout that is not known.
  static func open(in profile: ProfileFolder) throws(ProfileError) -> ProfileDatabase {
    let database = try ProfileDatabase(file, in: profile, tables: tables)
    try database.refuseEmpty()
    let version = try database.number("PRAGMA user_version")
    guard versions.contains(version) else {
      throw .unsupportedSchema(file: file, version: version, reason: "versions \(versions) are known")
    }
    for (table, columns) in needed where !database.has(table, columns) {
      throw .unsupportedSchema(file: file, version: version, reason: "\(table) lacks a column")
    }
    return database
  }
}
