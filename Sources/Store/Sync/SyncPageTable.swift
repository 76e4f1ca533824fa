internal import SQLite

/// A peer's pages in memory as the table `incoming_sync_page`.
final class SyncPageTable: RowTable {
  static let name = "incoming_sync_page"
  static let columns = ["id", "url", "title", "title_t", "no"]

  /// A page and the peer's number of it.
  struct Row {
    var page: PageRow
    var number: Int64
  }

  private var rows = UnsafeBufferPointer<Row>(start: nil, count: 0)
  private var text = UnsafeRawBufferPointer(start: nil, count: 0)

  var rowCount: Int { rows.count }

  /// Shows these rows while `body` runs.
  func showing<R>(_ rows: [Row], _ text: UnsafeRawBufferPointer, _ body: () throws -> R) rethrows -> R {
    try rows.withUnsafeBufferPointer { buffer in
      self.rows = buffer
      self.text = text
      defer {
        self.rows = UnsafeBufferPointer(start: nil, count: 0)
        self.text = UnsafeRawBufferPointer(start: nil, count: 0)
      }
      return try body()
    }
  }

  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    let page = rows[row].page
    switch column {
    case 0: result.set(page.id)
    case 1: result.set(text: PageRow.bytes(page.url, of: text))
    case 2: if let title = page.title { result.set(text: PageRow.bytes(title, of: text)) }
    case 3: result.set(page.titleTime)
    default: result.set(rows[row].number)
    }
  }
}
