internal import CSQLite

/// What a statement on a foreign database may touch.
final class ForeignAllowance {
  let tables: Set<String>?
  init(tables: Set<String>?) { self.tables = tables }

  /// Reading and nothing else; of the pragmas only those that tell about the file.
  func allows(_ action: Int32, _ first: String?, _ second: String?) -> Bool {
    switch action {
    case SQLITE_SELECT, SQLITE_RECURSIVE: true
    case SQLITE_READ: allowsReading(first)
    case SQLITE_FUNCTION: second != "load_extension"
    case SQLITE_PRAGMA: ForeignAllowance.pragmas.contains(first ?? "")
    case SQLITE_TRANSACTION: true
    default: false
    }
  }

  private func allowsReading(_ table: String?) -> Bool {
    guard let tables, let table, !table.isEmpty else { return true }
    return tables.contains(table) || table.hasPrefix("sqlite_") || table.hasPrefix("pragma_")
  }

  private static let pragmas: Set<String> = [
    "quick_check", "user_version", "table_info", "table_xinfo", "table_list", "index_list", "schema_version",
    "encoding", "page_size", "page_count", "data_version",
  ]
}

extension Database {
  /// Opens a database that another program made, for reading, as one that may be hostile: no writes, no schema code
  /// that runs functions, checked cells, no memory map, limits. With `tables` only those may be read, and each of
  /// them that is there must be an ordinary table, no view and no virtual table.
  /// With `isAtRest` nothing is locked and nothing appears beside the file (`Mode.atRest`); one that is in use is
  /// copied with `DatabaseSnapshot` first.
  package static func foreign(
    path: String, tables: Set<String>? = nil, isAtRest: Bool = false
  ) throws(DatabaseError) -> Database {
    let database = try Database(path: path, mode: isAtRest ? .atRest : .readOnly)
    try database.harden()
    if let tables { try database.requireTables(tables) }
    let allowance = ForeignAllowance(tables: tables)
    database.allowance = allowance
    let context = Unmanaged.passUnretained(allowance).toOpaque()
    sqlite3_set_authorizer(
      database.handle,
      { context, action, first, second, _, _ in
        guard let context else { return SQLITE_DENY }
        let allowance = Unmanaged<ForeignAllowance>.fromOpaque(context).takeUnretainedValue()
        let allowed = allowance.allows(
          action, first.map { String(cString: $0) }, second.map { String(cString: $0) })
        return allowed ? SQLITE_OK : SQLITE_DENY
      }, context)
    return database
  }

  /// Opens a database that another program made and that nobody has open, to be written: as hardened as for reading, but
  /// for the permission to write. Each of `tables` that is there must be an ordinary table.
  package static func foreignForWriting(
    path: String, tables: Set<String>
  ) throws(DatabaseError) -> Database {
    let database = try Database(path: path, mode: .readWrite)
    try database.harden()
    try database.requireTables(tables)
    return database
  }

  func harden() throws(DatabaseError) {
    _ = wherry_sqlite_configure(handle, SQLITE_DBCONFIG_DEFENSIVE, 1)
    _ = wherry_sqlite_configure(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    _ = wherry_sqlite_configure(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
    let limits: [(Int32, Int32)] = [
      (SQLITE_LIMIT_LENGTH, 64 << 20), (SQLITE_LIMIT_SQL_LENGTH, 100_000), (SQLITE_LIMIT_COLUMN, 200),
      (SQLITE_LIMIT_EXPR_DEPTH, 50), (SQLITE_LIMIT_COMPOUND_SELECT, 10), (SQLITE_LIMIT_VDBE_OP, 25_000),
      (SQLITE_LIMIT_FUNCTION_ARG, 16), (SQLITE_LIMIT_ATTACHED, 0), (SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
      (SQLITE_LIMIT_TRIGGER_DEPTH, 1), (SQLITE_LIMIT_WORKER_THREADS, 0),
    ]
    for (limit, value) in limits { sqlite3_limit(handle, limit, value) }
    try execute("PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0")
  }

  private func requireTables(_ tables: Set<String>) throws(DatabaseError) {
    let statement = try prepare("SELECT name, type = 'table' AND rootpage > 0 FROM sqlite_master")
    while try statement.step() {
      guard let name = statement.text(0), tables.contains(name), statement.int64(1) == 0 else { continue }
      throw DatabaseError(code: .corrupt, message: "\(name) is no ordinary table")
    }
  }
}
