internal import Crypto
internal import SQLite

/// New pages as SQLite reads them into the temporary table.
final class NewPageRows: RowTable {
  static let name = "wherry_new_pages"
  static let columns = ["id", "url", "title", "rev_host", "url_hash", "origin_id"]

  /// Rows and their texts, in memory.
  struct Rows {
    struct Row {
      var id: Int64
      var hash: Int64
      var origin: Int64
      var start: Int
      var urlEnd: Int
      var hostEnd: Int
      /// -1 when there is no title.
      var titleEnd: Int
    }
    fileprivate var rows: [Row] = []
    fileprivate var text: [UInt8] = []

    var isEmpty: Bool { rows.isEmpty }

    mutating func append(
      row: Int64, url: UnsafeRawBufferPointer, title: UnsafeRawBufferPointer?, parts: PlacesAddress.Parts,
      hash: Int64, origin: Int64
    ) {
      let start = text.count
      text.append(contentsOf: url)
      let urlEnd = text.count
      PlacesAddress.appendReversedHost(url, parts, to: &text)
      let hostEnd = text.count
      var titleEnd = -1
      if let title, !title.isEmpty {
        if title.count > 4_096 {
          text.append(contentsOf: PlacesAddress.cut(title: String(decoding: title, as: UTF8.self)).utf8)
        } else {
          text.append(contentsOf: title)
        }
        titleEnd = text.count
      }
      rows.append(
        Row(
          id: row, hash: hash, origin: origin, start: start, urlEnd: urlEnd, hostEnd: hostEnd, titleEnd: titleEnd))
    }

    fileprivate mutating func removeAll() {
      rows.removeAll(keepingCapacity: true)
      text.removeAll(keepingCapacity: true)
    }
  }
  private var now = Rows()

  var rowCount: Int { now.rows.count }

  /// Has these rows now; gives room for the next. No statement may be reading.
  func exchange(_ next: inout Rows) {
    swap(&now, &next)
    next.removeAll()
  }

  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    let row = now.rows[row]
    switch column {
    case 0: result.set(row.id)
    case 1: set(row.start..<row.urlEnd, result)
    case 2: if row.titleEnd >= 0 { set(row.hostEnd..<row.titleEnd, result) }
    case 3: set(row.urlEnd..<row.hostEnd, result)
    case 4: result.set(row.hash)
    default: result.set(row.origin)
    }
  }

  /// The arena does not move while a statement reads: it changes only between statements.
  private func set(_ range: Range<Int>, _ result: ColumnResult) {
    now.text.withUnsafeBytes { result.set(text: UnsafeRawBufferPointer(rebasing: $0[range])) }
  }
}

/// What the visits of new pages came to, as SQLite reads it.
final class FinalPageRows: RowTable {
  static let name = "wherry_final_pages"
  static let columns = ["id", "visit_count", "hidden", "typed", "frecency", "last_visit_date", "guid"]

  private var rows: [(state: PlacesPages.State, frecency: Int64)] = []
  private var guids: [UInt8] = []

  var rowCount: Int { rows.count }

  /// Has these rows now.
  func begin(_ rows: [(state: PlacesPages.State, frecency: Int64)]) {
    self.rows = rows
    guids = []
    guids.reserveCapacity(rows.count * 12)
    let random = Random.bytes(rows.count * 9)
    for index in rows.indices { PlacesFile.appendGUID(random[(index * 9)..<(index * 9 + 9)], to: &guids) }
  }

  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    let (state, frecency) = rows[row]
    switch column {
    case 0: result.set(state.row)
    case 1: result.set(Int64(state.counted))
    case 2: result.set(state.visible > 0 ? 0 : 1)
    case 3: result.set(state.isTyped ? 1 : 0)
    case 4: result.set(frecency)
    case 5: result.set(state.last)
    default:
      guids.withUnsafeBytes {
        result.set(text: UnsafeRawBufferPointer(rebasing: $0[(row * 12)..<(row * 12 + 12)]))
      }
    }
  }
}
