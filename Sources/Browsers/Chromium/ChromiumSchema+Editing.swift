internal import SQLite

extension ChromiumSchema {
  /// What a writer of one of the databases needs beyond what a reader does.
  struct Editable {
    var file: File
    /// The oldest version whose tables are known.
    var oldest: Int64
    /// Tables that are written.
    var tables: Set<String>
  }

  /// Visits and their pages.
  static let editableHistory = Editable(
    file: history, oldest: 48,
    tables: [
      "visit_source", "segments", "keyword_search_terms", "visited_links", "content_annotations", "clusters_and_visits",
      "cluster_visit_duplicates",
    ])
  /// Logins of the device.
  static let editableLogins = Editable(file: logins("Login Data"), oldest: 28, tables: ["insecure_credentials"])
  /// Cards.
  static let editableWebData = Editable(file: webData, oldest: 80, tables: [])

  /// Opens one of them for writing and refuses, by name, a layout that is not known. The browser makes the file at its
  /// first start.
  static func edit(_ editable: Editable, in files: EditedFiles) throws -> EditedDatabase {
    let file = editable.file
    guard ProfileFile.stamp(files.path(file.name)) != nil else { throw ProfileError.neverStarted(file.name) }
    let edited = try EditedDatabase(file.name, in: files, tables: file.tables.union(editable.tables))
    do {
      try check(editable, edited)
    } catch {
      edited.abandon()
      throw error
    }
    return edited
  }

  private static func check(_ editable: Editable, _ edited: EditedDatabase) throws {
    let file = editable.file
    func refusal(_ version: Int64, _ reason: String) -> ProfileError {
      .unsupportedSchema(file: file.name, version: version, reason: reason)
    }
    try edited.refuseEmpty()
    guard edited.has("meta", "value") else { throw refusal(0, "it has no table of versions") }
    let version = try edited.run { try $0.int64("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'version'") ?? 0 }
    let compatible = try edited.run {
      try $0.int64("SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last_compatible_version'") ?? 0
    }
    guard compatible <= file.compatible else { throw refusal(compatible, "up to \(file.compatible) is known") }
    guard version >= editable.oldest else { throw refusal(version, "from \(editable.oldest) on is known") }
    for (table, columns) in file.needed {
      for column in columns where !edited.has(table, column) { throw refusal(version, "\(table) lacks a column") }
    }
  }
}
