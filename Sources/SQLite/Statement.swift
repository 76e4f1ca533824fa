internal import CSQLite

/// A compiled statement; finalised when the last reference goes. Columns count from 0, parameters from 1.
package final class Statement {
  private let handle: OpaquePointer
  private let database: Database
  /// Who takes its rows; it must live as long as the statement.
  private var taker: RowTakerReference?

  init(_ database: Database, _ sql: String) throws(DatabaseError) {
    var handle: OpaquePointer?
    let result = sqlite3_prepare_v3(database.handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
    guard result == SQLITE_OK else { throw DatabaseError(database.handle, result: result, sql: sql) }
    guard let handle else {
      throw DatabaseError(code: .error, message: "there is no statement in this text", sql: sql)
    }
    self.handle = handle
    self.database = database
  }

  deinit { sqlite3_finalize(handle) }

  /// Sets a parameter to a number; nil is NULL.
  package func bind(_ index: Int32, _ value: Int64?) throws(DatabaseError) {
    guard let value else { return try bindNull(index) }
    try check(sqlite3_bind_int64(handle, index, value))
  }

  /// Sets a parameter to a text; nil is NULL.
  package func bind(_ index: Int32, _ text: String?) throws(DatabaseError) {
    guard var text else { return try bindNull(index) }
    let result = text.withUTF8 { bytes in
      // An empty text may have no address, and no address means NULL to SQLite.
      guard let start = bytes.baseAddress, !bytes.isEmpty else {
        return sqlite3_bind_text64(handle, index, "", 0, wherry_sqlite_transient(), UInt8(SQLITE_UTF8))
      }
      return start.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text64(
          handle, index, $0, UInt64(bytes.count), wherry_sqlite_transient(), UInt8(SQLITE_UTF8))
      }
    }
    try check(result)
  }

  /// Sets a parameter to bytes; nil is NULL, no bytes are an empty blob.
  package func bind(_ index: Int32, _ bytes: [UInt8]?) throws(DatabaseError) {
    guard let bytes else { return try bindNull(index) }
    guard !bytes.isEmpty else { return try check(sqlite3_bind_zeroblob(handle, index, 0)) }
    let result = bytes.withUnsafeBytes {
      sqlite3_bind_blob64(handle, index, $0.baseAddress, UInt64($0.count), wherry_sqlite_transient())
    }
    try check(result)
  }

  /// Sets a parameter to NULL.
  package func bindNull(_ index: Int32) throws(DatabaseError) {
    try check(sqlite3_bind_null(handle, index))
  }

  /// Sets a parameter to UTF-8 that is copied; it need not be valid.
  package func bind(_ index: Int32, utf8 bytes: UnsafeRawBufferPointer) throws(DatabaseError) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return try bind(index, "") }
    let text = start.assumingMemoryBound(to: CChar.self)
    try check(
      sqlite3_bind_text64(
        handle, index, text, UInt64(bytes.count), wherry_sqlite_transient(), UInt8(SQLITE_UTF8)))
  }

  /// Moves to the next row; false when there is none, and then the statement is reset.
  package func step() throws(DatabaseError) -> Bool {
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW { return true }
    if result == SQLITE_DONE {
      sqlite3_reset(handle)
      return false
    }
    let error = DatabaseError(
      database.handle, result: result, sql: sqlite3_sql(handle).map { String(cString: $0) })
    sqlite3_reset(handle)
    throw error
  }

  /// Runs the statement to its end, ignoring rows.
  package func run() throws(DatabaseError) {
    while try step() {}
  }

  /// Makes it ready to run again; parameters stay.
  package func reset() { sqlite3_reset(handle) }

  /// Forgets the parameters.
  package func clear() { sqlite3_clear_bindings(handle) }

  /// How many columns a row has.
  package var columnCount: Int32 { sqlite3_column_count(handle) }

  /// A column as a number; 0 for NULL.
  package func int64(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

  /// A column as a floating-point number; 0 for NULL.
  package func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  /// A column as a number, nil for NULL.
  package func optionalInt64(_ column: Int32) -> Int64? { isNull(column) ? nil : int64(column) }

  /// Whether a column is NULL.
  package func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

  /// What kind of value a column holds.
  package func kind(_ column: Int32) -> ValueKind {
    ValueKind(sqlite3_column_type(handle, column))
  }

  /// A column as text, nil for NULL. What is no UTF-8 is repaired.
  package func text(_ column: Int32) -> String? {
    withText(column) { $0.map { String(decoding: $0, as: UTF8.self) } }
  }

  /// A column as bytes, nil for NULL.
  package func bytes(_ column: Int32) -> [UInt8]? {
    withBytes(column) { $0.map { [UInt8]($0) } }
  }

  /// A column's UTF-8 without a copy, nil for NULL; valid only inside `body`.
  package func withText<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    guard !isNull(column), let start = sqlite3_column_text(handle, column) else { return try body(nil) }
    let count = Int(sqlite3_column_bytes(handle, column))
    return try body(UnsafeRawBufferPointer(start: start, count: count))
  }

  /// A column's bytes without a copy, nil for NULL; valid only inside `body`.
  package func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    guard !isNull(column) else { return try body(nil) }
    let start = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return try body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
  }

  /// Binds who takes its rows.
  func give(to taker: RowTakerReference) throws(DatabaseError) {
    self.taker = taker
    let pointer = Unmanaged.passUnretained(taker).toOpaque()
    try check(sqlite3_bind_pointer(handle, 9, pointer, RowTakerReference.kind, nil))
  }

  private func check(_ result: Int32) throws(DatabaseError) {
    guard result == SQLITE_OK else { throw DatabaseError(database.handle, result: result) }
  }
}

/// What kind of value a column holds.
package enum ValueKind: Sendable, Hashable {
  /// A whole number of 64 bits.
  case integer
  /// A number with a fraction.
  case real
  /// UTF-8.
  case text
  /// Bytes.
  case blob
  /// Nothing.
  case null

  fileprivate init(_ type: Int32) {
    switch type {
    case SQLITE_INTEGER: self = .integer
    case SQLITE_FLOAT: self = .real
    case SQLITE_TEXT: self = .text
    case SQLITE_BLOB: self = .blob
    default: self = .null
    }
  }
}
