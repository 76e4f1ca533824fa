internal import BrowsingData
internal import SQLite

/// Addresses and titles as SQLite reads them into the temporary table.
final class ChromiumPageRows: RowTable {
  static let name = "wherry_pages"
  static let columns = ["id", "url", "title"]

  private var rows: [(id: Int64, start: Int, urlEnd: Int, titleEnd: Int)] = []
  private var text: [UInt8] = []

  var rowCount: Int { rows.count }

  /// Adds a page.
  func append(row: Int64, url: UnsafeRawBufferPointer, title: UnsafeRawBufferPointer?) {
    let start = text.count
    text.append(contentsOf: url)
    let urlEnd = text.count
    if let title { text.append(contentsOf: title) }
    rows.append((row, start, urlEnd, text.count))
  }

  /// Forgets all.
  func removeAll() {
    rows.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
  }

  /// The arena does not move while a statement reads: it changes only between statements.
  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    let row = rows[row]
    switch column {
    case 0: result.set(row.id)
    case 1: text.withUnsafeBytes { result.set(text: UnsafeRawBufferPointer(rebasing: $0[row.start..<row.urlEnd])) }
    default: text.withUnsafeBytes { result.set(text: UnsafeRawBufferPointer(rebasing: $0[row.urlEnd..<row.titleEnd])) }
    }
  }
}

/// What the new visits of pages came to, as SQLite reads it.
final class ChromiumPageNews: RowTable {
  static let name = "wherry_page_news"
  static let columns = ["id", "visits", "typed", "last", "unlisted"]

  private var states: [ChromiumPages.State] = []

  var rowCount: Int { states.count }

  /// Has these now.
  func begin(_ states: [ChromiumPages.State]) { self.states = states }

  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    let state = states[row]
    switch column {
    case 0: result.set(state.row)
    case 1: result.set(state.visits)
    case 2: result.set(state.typed)
    case 3: result.set(state.newest &+ Timestamp.webKitOffset)
    default: result.set(state.isListed ? 0 : 1)
    }
  }
}
