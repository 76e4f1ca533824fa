internal import BrowsingData
internal import SQLite

/// One of a profile's databases, opened for writing as one that may be hostile, in one transaction: nothing shows
/// before `commit`.
final class EditedDatabase {
  /// The file's name below the profile's folder.
  let name: String
  /// The open transaction.
  let database: Database
  private let files: EditedFiles
  /// Whether anything was written; whoever writes says so.
  var hasChanged = false

  /// Opens a file of the profile, which must be there, and begins the transaction. `tables` must be ordinary ones.
  init(_ name: String, in files: EditedFiles, tables: Set<String>) throws(ProfileError) {
    self.name = name
    self.files = files
    do {
      database = try Database.foreignForWriting(path: files.path(name), tables: tables)
      database.setBusyTimeout(milliseconds: 2_000)
      try database.execute("PRAGMA cache_size = -65536")
      // A log would make the file's copy less than the whole.
      if (ProfileFile.stamp(files.path(name) + "-wal")?.size ?? 0) > 0 {
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
      }
      try database.execute("BEGIN IMMEDIATE")
    } catch {
      throw ProfileError(error, file: name)
    }
  }

  /// Copies the file as it is. To be called before anything is written into it: the transaction holds others off and has
  /// brought back what a crash left.
  func prepare() throws(ProfileError) { try files.keep(name) }

  /// Does something with the database; its faults are the profile's.
  func run<T>(_ body: (Database) throws -> T) throws -> T {
    do { return try body(database) } catch let error as DatabaseError { throw ProfileError(error, file: name) }
  }

  /// Refuses a file that was made and never filled.
  func refuseEmpty() throws { try ProfileDatabase(name, over: database).refuseEmpty() }

  /// Whether a table has a column.
  func has(_ table: String, _ column: String) -> Bool {
    (try? database.prepare("SELECT \(column) FROM \(table)")) != nil
  }

  /// Makes the changes durable. Where there are none the file is left as it was.
  func commit() throws {
    guard database.isInTransaction else { return }
    guard hasChanged else { return abandon() }
    try files.beforeStep("commit \(name)")
    try run { try $0.execute("COMMIT") }
  }

  /// Leaves the file as it was.
  func abandon() {
    if database.isInTransaction { try? database.execute("ROLLBACK") }
    files.forget(name)
  }
}

/// Inserts into a table whose columns differ from version to version: those that are not there are left out.
struct RowInsertion {
  private let statement: Statement
  private let names: [String]

  /// Into a table, with these columns. Throws when it needs one that is not among them.
  init(into table: String, _ columns: [String], of edited: EditedDatabase) throws {
    let database = edited.database
    let info = try database.prepare("SELECT name, \"notnull\", dflt_value, pk FROM pragma_table_info('\(table)')")
    var known: [String] = []
    while try info.step() {
      let name = info.text(0) ?? ""
      if columns.contains(name) {
        known.append(name)
      } else if info.int64(1) != 0, info.isNull(2), info.int64(3) == 0 {
        throw ProfileError.unsupportedSchema(file: edited.name, version: 0, reason: "\(table) has a new column")
      }
    }
    names = known
    let marks = known.map { _ in "?" }.joined(separator: ", ")
    statement = try database.prepare("INSERT INTO \(table)(\(known.joined(separator: ", "))) VALUES (\(marks))")
  }

  /// A value of one column.
  enum Value {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])
  }

  /// Inserts one row; a column without a value is NULL.
  func insert(_ values: [String: Value]) throws {
    for (index, name) in names.enumerated() {
      let place = Int32(index + 1)
      switch values[name] ?? .null {
      case .null: try statement.bindNull(place)
      case .number(let value): try statement.bind(place, value)
      case .text(let value): try statement.bind(place, value)
      case .bytes(let value): try statement.bind(place, value)
      }
    }
    try statement.run()
  }
}
