internal import SQLite

/// One of a profile's databases, open for reading only, as one that may be hostile. Nothing is written beside it.
///
/// A database whose browser is closed and whose log is empty is read where it is, without locks and without a copy;
/// `verify` then tells whether it stayed as it was. Any other is copied first, with its log.
final class ProfileDatabase {
  /// The file's name, for errors.
  let name: String
  private let database: Database
  private let path: String
  private let folder: TemporaryFolder?
  private let stamps: [ProfileFile.Stamp?]
  private let tables: Set<String>
  /// How large the file was when it was opened, without its log.
  let size: Int

  /// Larger databases are not checked whole before they are read in place; a damaged page is then met on the way.
  private static let checkedSize = 16 << 20

  /// Opens `name` in a profile's folder. Only `tables` can be read.
  init(_ name: String, in profile: ProfileFolder, tables: Set<String>) throws(ProfileError) {
    self.name = name
    path = profile.path + "/" + name
    guard let size = ProfileFile.stamp(path)?.size else { throw .notFound(name) }
    self.size = size
    self.tables = tables
    stamps = ProfileDatabase.stamps(of: path)
    let isAtRest = !profile.isOpen && stamps.dropFirst().allSatisfy { ($0?.size ?? 0) == 0 }
    do {
      if isAtRest {
        folder = nil
        database = try Database.foreign(path: path, tables: tables, isAtRest: true)
        if size <= ProfileDatabase.checkedSize, try database.text("PRAGMA quick_check(1)") != "ok" {
          throw DatabaseError(code: .corrupt, message: "the database is damaged")
        }
      } else {
        let folder = try TemporaryFolder(in: profile.temporary)
        self.folder = folder
        database = try Database.foreign(path: DatabaseSnapshot.copy(of: path, into: folder.path), tables: tables)
      }
    } catch let error as DatabaseError {
      throw ProfileError(error, file: name)
    } catch let error as ProfileError {
      throw error
    } catch {
      throw .unreadable(file: name, reason: "it could not be opened")
    }
  }

  /// Over a connection that its owner writes with: what is read is what that connection sees.
  init(_ name: String, over database: Database) {
    self.name = name
    self.database = database
    path = database.path
    folder = nil
    stamps = []
    tables = []
    size = 0
  }

  private init(besides first: ProfileDatabase) throws(ProfileError) {
    name = first.name
    path = first.path
    folder = first.folder
    stamps = first.stamps
    tables = first.tables
    size = first.size
    do throws(DatabaseError) {
      database = try Database.foreign(path: first.database.path, tables: tables, isAtRest: folder == nil)
    } catch {
      throw ProfileError(error, file: name)
    }
  }

  /// Another connection to the same file or copy, for another thread; nil when the owner of the first one writes.
  func second() throws(ProfileError) -> ProfileDatabase? {
    stamps.isEmpty ? nil : try ProfileDatabase(besides: self)
  }

  private static func stamps(of path: String) -> [ProfileFile.Stamp?] {
    ["", "-wal", "-journal"].map { ProfileFile.stamp(path + $0) }
  }

  /// Throws `inUse` when a database that was read in place has changed since it was opened: call it after reading.
  func verify() throws(ProfileError) {
    guard folder == nil, !stamps.isEmpty else { return }
    guard ProfileDatabase.stamps(of: path) == stamps else { throw .inUse(name) }
  }

  /// Whether it is a copy, and of what the file and its log hold now.
  var isCurrentCopy: Bool { folder != nil && ProfileDatabase.stamps(of: path) == stamps }

  /// The rows of a query.
  func rows(_ sql: String) throws(ProfileError) -> ProfileRows {
    do { return ProfileRows(try database.prepare(sql), file: name) } catch { throw ProfileError(error, file: name) }
  }

  /// The rows of a query that go to a taker.
  func rows(_ sql: String, giving taker: any RowTaker) throws(ProfileError) -> ProfileRows {
    do { return ProfileRows(try database.prepare(sql, giving: taker), file: name) } catch {
      throw ProfileError(error, file: name)
    }
  }

  /// The first column of the first row; 0 when there is none.
  func number(_ sql: String) throws(ProfileError) -> Int64 {
    let rows = try rows(sql)
    return try rows.next() ? rows.int64(0) : 0
  }

  /// Refuses a file that was made and never filled: the browser itself would make it anew.
  func refuseEmpty() throws(ProfileError) {
    guard try number("SELECT count(*) FROM sqlite_master") > 0 else { throw .neverStarted("every table of \(name)") }
  }

  /// Whether a table has these columns.
  func has(_ table: String, _ columns: [String]) -> Bool {
    (try? database.prepare("SELECT \(columns.joined(separator: ", ")) FROM \(table)")) != nil
  }
}

/// A query's rows. Columns count from 0.
struct ProfileRows {
  private let statement: Statement
  private let file: String

  init(_ statement: Statement, file: String) {
    self.statement = statement
    self.file = file
  }

  /// Starts again with these parameters.
  func restart(with values: Int64...) throws(ProfileError) {
    statement.reset()
    do {
      for (index, value) in values.enumerated() { try statement.bind(Int32(index + 1), value) }
    } catch {
      throw ProfileError(error, file: file)
    }
  }

  /// Moves to the next row; false when there is none.
  func next() throws(ProfileError) -> Bool {
    do { return try statement.step() } catch { throw ProfileError(error, file: file) }
  }

  /// A number, 0 for NULL.
  func int64(_ column: Int32) -> Int64 { statement.int64(column) }
  /// A number, nil for NULL.
  func optionalInt64(_ column: Int32) -> Int64? { statement.optionalInt64(column) }
  /// A text, nil for NULL; what is no UTF-8 is repaired.
  func text(_ column: Int32) -> String? { statement.withText(column) { $0.map { RepairedText.string($0) } } }
  /// Bytes, nil for NULL.
  func bytes(_ column: Int32) -> [UInt8]? { statement.bytes(column) }
  /// A text's bytes, valid inside `body`.
  func withText<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    try statement.withText(column, body)
  }
  /// Whether it is NULL.
  func isNull(_ column: Int32) -> Bool { statement.isNull(column) }
}
