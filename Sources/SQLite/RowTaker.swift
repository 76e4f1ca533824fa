internal import CSQLite

/// Takes rows inside SQLite, so that a step comes back once for many rows: half the time of a step for each, with a
/// call for each value.
///
/// The statement calls `wherry_take(?9, column, …)` in its condition and gives a row of anything whenever the taker has
/// enough. SQLite may test parts of a condition in any order: what decides whether a row is taken belongs into a
/// `CASE WHEN … THEN wherry_take(…) END`, and rows that are sorted are taken before they are.
package protocol RowTaker: AnyObject {
  /// Takes one row; true makes the step come back.
  func take(_ row: RowValues) -> Bool
}

/// The values of a row for a `RowTaker`, valid while it takes it. Columns count from 0; one that is not there is NULL.
package struct RowValues {
  private let values: UnsafeMutablePointer<OpaquePointer?>
  private let count: Int

  init(_ values: UnsafeMutablePointer<OpaquePointer?>, count: Int) {
    self.values = values
    self.count = count
  }

  /// A number, 0 for NULL.
  @inline(__always)
  package func int64(_ column: Int) -> Int64 { column < count ? sqlite3_value_int64(values[column]) : 0 }

  /// Whether it is NULL.
  package func isNull(_ column: Int) -> Bool {
    column < count ? sqlite3_value_type(values[column]) == SQLITE_NULL : true
  }

  /// UTF-8 without a copy, nil for NULL; valid only inside `body`.
  package func withText<R>(_ column: Int, _ body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
    guard !isNull(column), let start = sqlite3_value_text(values[column]) else { return try body(nil) }
    return try body(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(values[column]))))
  }
}

extension Database {
  /// Compiles one statement whose rows go to a taker, for as long as the statement lives.
  package func prepare(_ sql: String, giving taker: any RowTaker) throws(DatabaseError) -> Statement {
    try registerTaking()
    let statement = try prepare(sql)
    try statement.give(to: RowTakerReference(taker))
    return statement
  }

  private func registerTaking() throws(DatabaseError) {
    guard !hasTaking else { return }
    // No schema may call it, and without the pointer that we bind it does nothing.
    let result = sqlite3_create_function_v2(
      handle, "wherry_take", -1, SQLITE_UTF8 | SQLITE_DIRECTONLY, nil,
      { context, count, values in
        guard count > 0, let values, let taker = sqlite3_value_pointer(values[0], RowTakerReference.kind) else {
          return sqlite3_result_int(context, 0)
        }
        let isEnough = Unmanaged<RowTakerReference>.fromOpaque(taker)._withUnsafeGuaranteedRef {
          $0.taker.take(RowValues(values + 1, count: Int(count) - 1))
        }
        sqlite3_result_int(context, isEnough ? 1 : 0)
      }, nil, nil, nil)
    guard result == SQLITE_OK else { throw DatabaseError(handle, result: result) }
    hasTaking = true
  }
}

/// What SQLite carries from the parameter to the function.
final class RowTakerReference {
  let taker: any RowTaker
  init(_ taker: any RowTaker) { self.taker = taker }

  /// SQLite keeps the address of this name, and compares it: written once and never freed.
  nonisolated(unsafe) static let kind: UnsafePointer<CChar> = {
    let name = Array("wherry_take".utf8CString)
    let kept = UnsafeMutablePointer<CChar>.allocate(capacity: name.count)
    kept.initialize(from: name, count: name.count)
    return UnsafePointer(kept)
  }()
}
