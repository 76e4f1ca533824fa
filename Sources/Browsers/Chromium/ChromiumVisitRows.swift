internal import BrowsingData
internal import SQLite

/// Visits that wait to be written, as SQLite reads them.
final class ChromiumVisitRows: RowTable {
  static let name = "wherry_visits"
  static let columns = ["id", "url", "visit_time", "from_visit", "transition", "answer"]

  struct Row {
    var url: Int64
    var time: Int64
    var from: Int64
    /// A transition as an unsigned number of 32 bits.
    var bits: Int64
    /// The server's when the page did not load, else 0.
    var answer: Int64
  }

  private var values: [Row] = []
  /// The row of the first one; the others follow without a gap.
  private(set) var first: Int64 = 0
  /// Whether any did not load.
  private(set) var hasFailures = false
  /// Of the times.
  private(set) var newest = Int64.min

  var rowCount: Int { values.count }

  /// Adds a visit with the row that follows.
  func append(_ value: Row, row: Int64) {
    if values.isEmpty { first = row }
    values.append(value)
    if value.answer != 0 { hasFailures = true }
    newest = max(newest, value.time)
  }

  /// Takes bits off a visit that waits; those that it had. nil when it does not wait.
  func remove(_ bits: Int64, of row: Int64) -> Int64? {
    guard row >= first, row - first < values.count else { return nil }
    let before = values[Int(row - first)].bits
    values[Int(row - first)].bits = before & ~bits
    return before
  }

  /// Forgets all.
  func removeAll() {
    values.removeAll(keepingCapacity: true)
    hasFailures = false
    newest = .min
  }

  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    let value = values[row]
    switch column {
    case 0: result.set(first + Int64(row))
    case 1: result.set(value.url)
    case 2: result.set(value.time &+ Timestamp.webKitOffset)
    case 3: result.set(value.from)
    case 4: result.set(ChromiumTransition.signed(value.bits))
    default: result.set(value.answer)
    }
  }
}
