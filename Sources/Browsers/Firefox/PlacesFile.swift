internal import BrowsingData
internal import Crypto
internal import SQLite

/// places.sqlite while it is edited: one connection, one transaction. Does for every page what Firefox's own triggers,
/// which are not in the file, would have done.
final class PlacesFile {
  /// Versions that are written: from the one that has `recalc_frecency` up to well above 153's 86; whether the columns
  /// are there is looked at, too.
  static let versions: ClosedRange<Int64> = 77...PlacesSchema.versions.upperBound
  private static let tables = PlacesSchema.tables.union([
    "moz_origins", "moz_inputhistory", "moz_bookmarks_deleted",
  ])
  private static let needed: [(table: String, columns: String)] = [
    (
      "moz_places",
      """
      id, url, title, rev_host, visit_count, hidden, typed, frecency, last_visit_date, guid, foreign_count, url_hash,
      origin_id, recalc_frecency
      """
    ),
    ("moz_historyvisits", "id, from_visit, place_id, visit_date, visit_type, session, source"),
    (
      "moz_bookmarks",
      """
      id, type, fk, parent, position, title, dateAdded, lastModified, guid, syncStatus, syncChangeCounter
      """
    ),
    ("moz_bookmarks_deleted", "guid, dateRemoved"), ("moz_keywords", "id, keyword, place_id, post_data"),
    ("moz_origins", "id, prefix, host, frecency, recalc_frecency"), ("moz_annos", "place_id"),
    ("moz_inputhistory", "place_id"),
  ]

  /// Larger databases are not checked whole; a damaged page is then met on the way, and nothing is written.
  private static let checkedSize = 16 << 20

  /// The connection, once what runs behind has ended.
  var database: Database {
    background.wait()
    return connection
  }
  private let connection: Database
  private let background = BackgroundStatement()
  /// Whether pages and origins have a second mark for recalculation.
  let hasAlternative: Bool
  /// When this is: microseconds since 1970, whole milliseconds as bookmarks have it.
  let now: Int64
  private var statements: [String: Statement] = [:]

  /// Opens the file at a path, brings its log in and checks that its layout is known. The browser must not have it open.
  init(path: String, now: Int64) throws(ProfileError) {
    self.now = now / 1_000 * 1_000
    do {
      connection = try Database.foreignForWriting(path: path, tables: PlacesFile.tables)
      try PlacesFile.check(connection)
      hasAlternative = (try? connection.prepare("SELECT recalc_alt_frecency FROM moz_places, moz_origins")) != nil
      let size = ProfileFile.stamp(path)?.size ?? 0
      if size <= PlacesFile.checkedSize, try database.text("PRAGMA quick_check(1)") != "ok" {
        throw DatabaseError(code: .corrupt, message: "the database is damaged")
      }
      try settle()
      try database.execute("PRAGMA synchronous = FULL")
    } catch let error as ProfileError {
      throw error
    } catch {
      throw PlacesFile.failure(error)
    }
  }

  private static func check(_ database: Database) throws {
    try ProfileDatabase(PlacesSchema.file, over: database).refuseEmpty()
    let version = try database.int64("PRAGMA user_version") ?? 0
    guard versions.contains(version) else {
      throw ProfileError.unsupportedSchema(
        file: PlacesSchema.file, version: version, reason: "versions \(versions) can be written")
    }
    for (table, columns) in needed {
      guard (try? database.prepare("SELECT \(columns) FROM \(table)")) != nil else {
        throw ProfileError.unsupportedSchema(
          file: PlacesSchema.file, version: version, reason: "\(table) lacks a column")
      }
    }
    let roots = try database.int64(
      """
      SELECT count(*) FROM moz_bookmarks WHERE type = 2 AND
        guid IN ('root________', 'menu________', 'toolbar_____', 'tags________', 'unfiled_____', 'mobile______')
      """)
    guard roots == 6 else { throw ProfileError.neverStarted("a root of the bookmarks") }
  }

  /// Takes the log into the file, so that the file alone is the database.
  func settle() throws {
    guard !database.isInTransaction else { return }
    let row = try database.prepare("PRAGMA wal_checkpoint(TRUNCATE)")
    guard try row.step(), row.int64(0) == 0 else {
      throw DatabaseError(code: .busy, message: "another program reads the database")
    }
    row.reset()
  }

  /// Begins the transaction unless it is open.
  func begin() throws {
    guard !database.isInTransaction else { return }
    try database.execute("PRAGMA cache_size = -262144; BEGIN IMMEDIATE")
  }

  /// Makes everything durable.
  func commit() throws {
    // First of all, since an error may have ended the transaction.
    try resetAll()
    guard database.isInTransaction else { return }
    try database.execute("COMMIT")
    try settle()
  }

  /// Leaves the file as it was.
  func rollBack() {
    try? resetAll()
    if database.isInTransaction { try? database.execute("ROLLBACK") }
  }

  private func resetAll() throws {
    defer { for statement in statements.values { statement.reset() } }
    try background.finish()
  }

  /// What an error of the database means; others as they are.
  static func failure(_ error: any Error) -> ProfileError {
    switch error {
    case let error as ProfileError: error
    case let error as DatabaseError: ProfileError(error, file: PlacesSchema.file)
    default: .unreadable(file: PlacesSchema.file, reason: "it could not be opened")
    }
  }

  // MARK: - Statements

  /// A compiled statement, kept for the next time; reset. Waits for what runs behind, and throws its error.
  func statement(_ sql: String) throws(DatabaseError) -> Statement {
    try background.finish()
    if let known = statements[sql] {
      known.reset()
      return known
    }
    let made = try database.prepare(sql)
    statements[sql] = made
    return made
  }

  /// Runs a statement without parameters on another thread, while the caller goes on. `prepare` is called first, while no
  /// other runs, and makes ready what it reads; that must stay as it is until the next statement is asked for.
  func runBehind(_ sql: String, prepare: () -> Void) throws(DatabaseError) {
    let statement = try statement(sql)
    prepare()
    try background.start(statement)
  }

  /// Runs a statement with these parameters.
  func run(_ sql: String, _ values: Value...) throws(DatabaseError) {
    let statement = try statement(sql)
    try bind(values, to: statement)
    try statement.run()
  }

  /// The first column of the first row; nil when there is none or it is NULL.
  func number(_ sql: String, _ values: Value...) throws(DatabaseError) -> Int64? {
    let statement = try statement(sql)
    try bind(values, to: statement)
    defer { statement.reset() }
    return try statement.step() ? statement.optionalInt64(0) : nil
  }

  /// A parameter.
  enum Value {
    case number(Int64?)
    case text(String?)
  }

  func bind(_ values: [Value], to statement: Statement) throws(DatabaseError) {
    for (index, value) in values.enumerated() {
      switch value {
      case .number(let number): try statement.bind(Int32(index + 1), number)
      case .text(let text): try statement.bind(Int32(index + 1), text)
      }
    }
  }

  // MARK: - Pages

  /// The row of a page by its normal address; nil when it is not there.
  func find(_ url: String) throws(DatabaseError) -> Int64? {
    try number(
      "SELECT id FROM moz_places WHERE url_hash = ?1 AND url = ?2", .number(PlacesAddress.hash(url)), .text(url))
  }

  /// The row of a page by its normal address; made when it is not there.
  func page(_ url: String) throws(DatabaseError) -> Int64 {
    if let known = try find(url) { return known }
    var text = url
    var reversed: [UInt8] = []
    let (prefix, host) = text.withUTF8 { bytes in
      let raw = UnsafeRawBufferPointer(bytes)
      let parts = PlacesAddress.Parts(raw)
      PlacesAddress.appendReversedHost(raw, parts, to: &reversed)
      return (String(decoding: raw[parts.prefix], as: UTF8.self), String(decoding: raw[parts.host], as: UTF8.self))
    }
    let isQuery = PlacesFile.isQuery(url)
    let origin = try origin(prefix: prefix, host: host)
    let extra = hasAlternative ? (", recalc_alt_frecency", ", ?8") : ("", "")
    try run(
      """
      INSERT INTO moz_places(url, rev_host, visit_count, hidden, typed, frecency, guid, foreign_count, url_hash,
        origin_id, recalc_frecency\(extra.0))
      VALUES (?1, ?2, 0, ?3, 0, ?4, ?5, 0, ?6, ?7, ?8\(extra.1))
      """, .text(url), .text(String(decoding: reversed, as: UTF8.self)), .number(isQuery ? 1 : 0),
      .number(isQuery ? 0 : -1), .text(PlacesFile.newGUID()), .number(PlacesAddress.hash(url)), .number(origin),
      .number(isQuery ? 0 : 1))
    return database.lastInsertedRow
  }

  /// The row of an origin; made when it is not there. It is marked for recalculation.
  func origin(prefix: String, host: String) throws(DatabaseError) -> Int64 {
    let known = try number(
      "SELECT id FROM moz_origins WHERE prefix = ?1 AND host = ?2", .text(prefix), .text(host))
    if let known {
      try markOrigin(known)
      return known
    }
    try insertOrigin(nil, prefix: prefix, host: host)
    return database.lastInsertedRow
  }

  /// Writes a new origin, marked for recalculation; `row` nil takes the next.
  func insertOrigin(_ row: Int64?, prefix: String, host: String) throws(DatabaseError) {
    let extra = hasAlternative ? (", recalc_alt_frecency", ", 1") : ("", "")
    try run(
      """
      INSERT INTO moz_origins(id, prefix, host, frecency, recalc_frecency\(extra.0)) VALUES (?1, ?2, ?3, ?4, 1\(extra.1))
      """, .number(row), .text(prefix), .text(host), .number(PlacesFile.isQuery(prefix) ? 0 : -1))
  }

  /// Marks an origin for recalculation.
  func markOrigin(_ row: Int64) throws(DatabaseError) {
    try run("UPDATE moz_origins SET recalc_frecency = 1 WHERE id = ?1", .number(row))
  }

  /// Something (a bookmark, a tag, a keyword) holds a page now, or no longer does.
  func hold(_ page: Int64, by change: Int64) throws(DatabaseError) {
    let alternative = hasAlternative ? ", recalc_alt_frecency = url NOT LIKE 'place:%'" : ""
    try run(
      """
      UPDATE moz_places SET foreign_count = max(0, foreign_count + ?2),
        frecency = CASE WHEN frecency = -1 AND ?2 > 0 THEN 1 ELSE frecency END,
        hidden = CASE WHEN ?2 > 0 THEN url LIKE 'place:%' ELSE hidden END,
        recalc_frecency = url NOT LIKE 'place:%'\(alternative)
      WHERE id = ?1
      """, .number(page), .number(change))
  }

  /// Deletes a page, and then its origin, when nothing holds it any more.
  func removeIfFree(_ page: Int64) throws(DatabaseError) {
    let origin = try number("SELECT origin_id FROM moz_places WHERE id = ?1", .number(page))
    try run(
      """
      DELETE FROM moz_places WHERE id = ?1 AND foreign_count = 0
        AND NOT EXISTS (SELECT 1 FROM moz_historyvisits WHERE place_id = ?1)
        AND NOT EXISTS (SELECT 1 FROM moz_bookmarks WHERE fk = ?1)
        AND NOT EXISTS (SELECT 1 FROM moz_keywords WHERE place_id = ?1)
        AND NOT EXISTS (SELECT 1 FROM moz_annos WHERE place_id = ?1)
      """, .number(page))
    guard database.changes > 0 else { return }
    try run("DELETE FROM moz_inputhistory WHERE place_id = ?1", .number(page))
    try run(
      """
      DELETE FROM moz_origins WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM moz_places WHERE origin_id = ?1)
      """, .number(origin))
  }

  /// Whether it is one of Firefox's own queries, which is never ranked or listed.
  static func isQuery(_ url: String) -> Bool { url.hasPrefix("place:") }

  // MARK: - GUIDs

  /// 12 characters of base64url: nine random bytes.
  static func newGUID() -> String { guid(Random.bytes(9)) }

  /// 12 characters from nine bytes.
  static func guid(_ bytes: [UInt8]) -> String {
    var result: [UInt8] = []
    appendGUID(bytes[...], to: &result)
    return String(decoding: result, as: UTF8.self)
  }

  /// Adds 12 characters from nine bytes.
  static func appendGUID(_ bytes: ArraySlice<UInt8>, to result: inout [UInt8]) {
    var bits = 0
    var count = 0
    for byte in bytes {
      bits = bits << 8 | Int(byte)
      count += 8
      while count >= 6 {
        count -= 6
        result.append(alphabet[bits >> count & 63])
      }
      bits &= (1 << count) - 1
    }
  }

  /// Whether Firefox takes it as a GUID.
  static func isGUID(_ text: String) -> Bool {
    text.utf8.count == 12
      && text.utf8.allSatisfy {
        switch $0 {
        case 48...57, 65...90, 97...122, 45, 95: true
        default: false
        }
      }
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
