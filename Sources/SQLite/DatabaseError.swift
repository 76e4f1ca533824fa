internal import CSQLite
internal import Glibc

/// A call that SQLite refused. Holds our own SQL and SQLite's words, never a bound value.
package struct DatabaseError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The primary result code.
  package var code: ResultCode
  /// SQLite's extended result code, which says more.
  package var extendedCode: Int32
  /// SQLite's words.
  package var message: String
  /// The statement, where one was involved.
  package var sql: String?

  /// From its parts; the extended code defaults to the primary one.
  package init(code: ResultCode, extendedCode: Int32? = nil, message: String, sql: String? = nil) {
    self.code = code
    self.extendedCode = extendedCode ?? code.rawValue
    self.message = message
    self.sql = sql
  }

  /// From what a connection last answered.
  init(_ handle: OpaquePointer?, result: Int32, sql: String? = nil) {
    let extended = handle.map { sqlite3_extended_errcode($0) } ?? result
    self.extendedCode = extended & 0xff == result & 0xff ? extended : result
    self.code = ResultCode(rawValue: result)
    // A full disk shows as a failed write where SQLite writes beside the database itself: its index of the log, say.
    if code == .ioError, handle.map({ sqlite3_system_errno($0) }).map({ [ENOSPC, EDQUOT].contains($0) }) ?? false {
      code = .full
    }
    // SQLITE_IOERR_SHMSIZE, a macro that Swift does not see: the index could not grow.
    if extendedCode == SQLITE_IOERR | (19 << 8) { code = .full }
    if let handle, let text = sqlite3_errmsg(handle) {
      self.message = String(cString: text)
    } else {
      self.message = sqlite3_errstr(result).map { String(cString: $0) } ?? "unknown error"
    }
    self.sql = sql
  }

  /// The code and SQLite's words.
  package var description: String { "SQLite \(extendedCode): \(message)" }
}
