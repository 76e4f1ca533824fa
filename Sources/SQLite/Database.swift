internal import CSQLite

/// One connection to a database, used by one thread at a time; closed when the last reference goes.
package final class Database {
  /// How a database is opened.
  package enum Mode: Sendable {
    /// Made when it is not there.
    case create
    /// Refused when it is not there.
    case readWrite
    /// Never written.
    case readOnly
    /// Never written, by nobody: read without locks, log or shared memory, so that nothing appears beside it.
    /// Whoever opens a database so must see to it that it does not change meanwhile.
    case atRest

    fileprivate var flags: Int32 {
      switch self {
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readWrite: SQLITE_OPEN_READWRITE
      case .readOnly: SQLITE_OPEN_READONLY
      case .atRest: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    }
  }

  let handle: OpaquePointer
  /// Where it is, as it was given.
  package let path: String
  /// What the authorizer callback of a foreign database allows; it must live as long as the connection.
  var allowance: ForeignAllowance?
  /// What is told of commits (`observeCommits`); it must live as long as the connection.
  var commitObserver: CommitObserver?
  /// Whether SQLite knows the function of `RowTaker`.
  var hasTaking = false

  /// Opens a database of our own; ":memory:" is one in memory. Waits up to five seconds for a lock.
  package init(path: String, mode: Mode) throws(DatabaseError) {
    var handle: OpaquePointer?
    let name = mode == .atRest ? Database.immutableName(path) : path
    let result = sqlite3_open_v2(name, &handle, mode.flags | SQLITE_OPEN_NOMUTEX, nil)
    guard result == SQLITE_OK, let handle else {
      let error = DatabaseError(handle, result: result == SQLITE_OK ? SQLITE_NOMEM : result)
      sqlite3_close_v2(handle)
      throw error
    }
    self.handle = handle
    self.path = path
    sqlite3_extended_result_codes(handle, 1)
    sqlite3_busy_timeout(handle, 5_000)
  }

  deinit { sqlite3_close_v2(handle) }

  /// SQLite's address of a file that does not change; every byte that is no plain one is escaped.
  private static func immutableName(_ path: String) -> String {
    var name = "file:"
    for byte in path.utf8 {
      switch byte {
      case 48...57, 65...90, 97...122, UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
        name.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16)
        name += digits.count == 1 ? "%0" + digits : "%" + digits
      }
    }
    return name + "?immutable=1"
  }

  /// Whoever closes the database last does not carry its write-ahead log over: the next opening reads it from there.
  package func leaveLogOnClosing() { _ = wherry_sqlite_configure(handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1) }

  /// How long a call waits for another connection's lock.
  package func setBusyTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

  /// Runs one or several statements whose rows nobody wants.
  package func execute(_ sql: String) throws(DatabaseError) {
    let result = sqlite3_exec(handle, sql, nil, nil, nil)
    guard result == SQLITE_OK else { throw DatabaseError(handle, result: result, sql: sql) }
  }

  /// Compiles one statement; it may be kept and run many times.
  package func prepare(_ sql: String) throws(DatabaseError) -> Statement {
    try Statement(self, sql)
  }

  /// The first column of the first row as a number; nil when there is no row or it is NULL.
  package func int64(_ sql: String) throws(DatabaseError) -> Int64? {
    let statement = try prepare(sql)
    guard try statement.step(), !statement.isNull(0) else { return nil }
    return statement.int64(0)
  }

  /// The first column of the first row as text; nil when there is no row or it is NULL.
  package func text(_ sql: String) throws(DatabaseError) -> String? {
    let statement = try prepare(sql)
    guard try statement.step() else { return nil }
    return statement.text(0)
  }

  /// Rows that the last INSERT, UPDATE or DELETE touched.
  package var changes: Int64 { sqlite3_changes64(handle) }
  /// Rows that all INSERT, UPDATE and DELETE of this connection touched.
  package var totalChanges: Int64 { sqlite3_total_changes64(handle) }
  /// The rowid of the last INSERT.
  package var lastInsertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
  /// Makes the running call of another thread fail with `.interrupted`. The only call another thread may make.
  package func interrupt() { sqlite3_interrupt(handle) }
}
