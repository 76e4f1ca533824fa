internal import CSQLite

/// What SQLite answered. Open: a newer SQLite may answer with codes that have no name here.
package struct ResultCode: RawRepresentable, Hashable, Sendable {
  /// SQLite's primary result code.
  package let rawValue: Int32
  /// From a primary or extended result code.
  package init(rawValue: Int32) { self.rawValue = rawValue & 0xff }

  /// Any other error, a fault in SQL for one.
  package static let error = ResultCode(rawValue: SQLITE_ERROR)
  /// Another connection holds a lock.
  package static let busy = ResultCode(rawValue: SQLITE_BUSY)
  /// Another statement of this connection holds a lock.
  package static let locked = ResultCode(rawValue: SQLITE_LOCKED)
  /// The database or the folder cannot be written.
  package static let readOnly = ResultCode(rawValue: SQLITE_READONLY)
  /// The system could not read or write.
  package static let ioError = ResultCode(rawValue: SQLITE_IOERR)
  /// The file is damaged.
  package static let corrupt = ResultCode(rawValue: SQLITE_CORRUPT)
  /// The disk is full.
  package static let full = ResultCode(rawValue: SQLITE_FULL)
  /// The file could not be opened.
  package static let cantOpen = ResultCode(rawValue: SQLITE_CANTOPEN)
  /// A text or a blob is over the limit.
  package static let tooBig = ResultCode(rawValue: SQLITE_TOOBIG)
  /// A constraint of a table does not hold.
  package static let constraint = ResultCode(rawValue: SQLITE_CONSTRAINT)
  /// The authorizer refused the statement.
  package static let notAuthorized = ResultCode(rawValue: SQLITE_AUTH)
  /// The file is no database.
  package static let notADatabase = ResultCode(rawValue: SQLITE_NOTADB)
  /// The operation was interrupted.
  package static let interrupted = ResultCode(rawValue: SQLITE_INTERRUPT)
}
