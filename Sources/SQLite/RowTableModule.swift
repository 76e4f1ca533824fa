internal import CSQLite

/// The callbacks through which SQLite reads a `RowTable`. SQLite owns the two structures below and calls nothing
/// after it has given them back.
enum RowTableModule {
  struct Table {
    var base = sqlite3_vtab()
    var registration: Unmanaged<RowTableRegistration>
  }

  struct Cursor {
    var base = sqlite3_vtab_cursor()
    var registration: Unmanaged<RowTableRegistration>
    var row = 0
    var end = 0
  }

  /// Written once, before SQLite sees it, and never freed: every connection shares it.
  nonisolated(unsafe) static let module: UnsafeMutablePointer<sqlite3_module> = {
    let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
    module.initialize(to: sqlite3_module())
    module.pointee.xConnect = connect
    module.pointee.xDisconnect = disconnect
    module.pointee.xBestIndex = bestIndex
    module.pointee.xOpen = open
    module.pointee.xClose = close
    module.pointee.xFilter = filter
    module.pointee.xNext = next
    module.pointee.xEof = eof
    module.pointee.xColumn = column
    module.pointee.xRowid = rowid
    return module
  }()

  private typealias Connect =
    @convention(c) (
      OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<UnsafePointer<CChar>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab>?>?,
      UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
    ) -> Int32

  private static let connect: Connect = { database, context, _, _, table, _ in
    guard let database, let context, let table else { return SQLITE_MISUSE }
    let registration = Unmanaged<RowTableRegistration>.fromOpaque(context)
    let columns = registration.takeUnretainedValue().columns
    let result = sqlite3_declare_vtab(database, "CREATE TABLE x(\(columns.joined(separator: ",")))")
    guard result == SQLITE_OK else { return result }
    let made = UnsafeMutablePointer<Table>.allocate(capacity: 1)
    made.initialize(to: Table(registration: registration))
    table.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab.self)
    return SQLITE_OK
  }

  private static let disconnect: @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?) -> Int32 = { table in
    guard let table else { return SQLITE_MISUSE }
    UnsafeMutableRawPointer(table).assumingMemoryBound(to: Table.self).deallocate()
    return SQLITE_OK
  }

  /// Always a scan of all rows; its price makes SQLite put this table outermost in a join.
  private static let bestIndex:
    @convention(c) (UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<sqlite3_index_info>?) -> Int32 = {
      _, info in
      info?.pointee.estimatedCost = 1_000
      info?.pointee.estimatedRows = 1_000
      return SQLITE_OK
    }

  private typealias Open =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vtab>?, UnsafeMutablePointer<UnsafeMutablePointer<sqlite3_vtab_cursor>?>?
    ) -> Int32

  private static let open: Open = { table, cursor in
    guard let table, let cursor else { return SQLITE_MISUSE }
    let registration = UnsafeMutableRawPointer(table).assumingMemoryBound(to: Table.self).pointee.registration
    let made = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
    made.initialize(to: Cursor(registration: registration))
    cursor.pointee = UnsafeMutableRawPointer(made).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
    return SQLITE_OK
  }

  private static let close: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 = { cursor in
    guard let cursor else { return SQLITE_MISUSE }
    UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self).deallocate()
    return SQLITE_OK
  }

  private typealias Filter =
    @convention(c) (
      UnsafeMutablePointer<sqlite3_vtab_cursor>?, Int32, UnsafePointer<CChar>?, Int32,
      UnsafeMutablePointer<OpaquePointer?>?
    ) -> Int32

  private static let filter: Filter = { cursor, _, _, _, _ in
    guard let cursor else { return SQLITE_MISUSE }
    let ours = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
    ours.pointee.row = 0
    ours.pointee.end = ours.pointee.registration.takeUnretainedValue().rows.rowCount
    return SQLITE_OK
  }

  private static let next: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 = { cursor in
    guard let cursor else { return SQLITE_MISUSE }
    UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self).pointee.row += 1
    return SQLITE_OK
  }

  private static let eof: @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> Int32 = { cursor in
    guard let cursor else { return 1 }
    let ours = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
    return ours.pointee.row < ours.pointee.end ? 0 : 1
  }

  private static let column:
    @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?, OpaquePointer?, Int32) -> Int32 = {
      cursor, context, column in
      guard let cursor, let context else { return SQLITE_MISUSE }
      let ours = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
      ours.pointee.registration._withUnsafeGuaranteedRef {
        $0.rows.value(Int(column), of: ours.pointee.row, to: ColumnResult(context: context))
      }
      return SQLITE_OK
    }

  private static let rowid:
    @convention(c) (UnsafeMutablePointer<sqlite3_vtab_cursor>?, UnsafeMutablePointer<Int64>?) -> Int32 = {
      cursor, row in
      guard let cursor, let row else { return SQLITE_MISUSE }
      row.pointee = Int64(UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: Cursor.self).pointee.row)
      return SQLITE_OK
    }
}
