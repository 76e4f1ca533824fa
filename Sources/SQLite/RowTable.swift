internal import CSQLite

/// Rows in memory that SQLite reads as a table: `INSERT … SELECT … FROM name` needs no call for each value.
package protocol RowTable: AnyObject {
  /// How many rows there are now.
  var rowCount: Int { get }
  /// Gives the value of one column of one row; giving nothing is NULL.
  /// Text and bytes are not copied: they must stay where they are until the statement has moved on.
  func value(_ column: Int, of row: Int, to result: ColumnResult)
}

/// Where a value of a `RowTable` goes.
package struct ColumnResult {
  let context: OpaquePointer

  /// A number.
  @inline(__always)
  package func set(_ value: Int64) { sqlite3_result_int64(context, value) }

  /// UTF-8 that stays where it is.
  @inline(__always)
  package func set(text bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_result_text(context, "", 0, nil) }
    sqlite3_result_text64(
      context, start.assumingMemoryBound(to: CChar.self), UInt64(bytes.count), nil, UInt8(SQLITE_UTF8))
  }

  /// Bytes that stay where they are.
  @inline(__always)
  package func set(bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.baseAddress, !bytes.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
    sqlite3_result_blob64(context, start, UInt64(bytes.count), nil)
  }
}

extension Database {
  /// Makes `rows` readable as the table `name`, for as long as the connection lives. The rows may change between
  /// statements. A row's `rowid` is its index. Scans run in index order.
  package func register(_ rows: any RowTable, as name: String, columns: [String]) throws(DatabaseError) {
    let registration = Unmanaged.passRetained(RowTableRegistration(rows: rows, columns: columns))
    let result = sqlite3_create_module_v2(
      handle, name, RowTableModule.module, registration.toOpaque(),
      { pointer in
        guard let pointer else { return }
        Unmanaged<RowTableRegistration>.fromOpaque(pointer).release()
      })
    guard result == SQLITE_OK else { throw DatabaseError(handle, result: result) }
  }
}

final class RowTableRegistration {
  let rows: any RowTable
  let columns: [String]
  init(rows: any RowTable, columns: [String]) {
    self.rows = rows
    self.columns = columns
  }
}
