internal import SQLite

/// What stands in a visit's row.
struct VisitRow {
  var row: Int64
  /// The row of the visit it came from; 0 or less when there is none.
  var from: Int64
  var page: Int64
  /// As the source has it, 0 for none.
  var time: Int64
  var hasTime: Bool
  /// How the page was reached, and what the server answered.
  var kind: Int64
  var answer: Int64
}

extension VisitRow {
  /// From a query of `HistoryLayout.visitsWithAnswers`.
  init(_ rows: ProfileRows) {
    let time = rows.int64(3)
    self.init(
      row: rows.int64(0), from: rows.int64(1), page: rows.int64(2), time: time,
      hasTime: time != 0 || !rows.isNull(3), kind: rows.int64(4), answer: rows.int64(5))
  }
}

/// Takes the rows of visits out of SQLite, some hundred at once.
final class TakenVisits: RowTaker {
  private static let capacity = 512
  private let buffer = UnsafeMutableBufferPointer<VisitRow>.allocate(capacity: TakenVisits.capacity)
  private var count = 0

  deinit { buffer.deallocate() }

  func take(_ row: RowValues) -> Bool {
    let time = row.int64(3)
    buffer.initializeElement(
      at: count,
      to: VisitRow(
        row: row.int64(0), from: row.int64(1), page: row.int64(2), time: time,
        hasTime: time != 0 || !row.isNull(3), kind: row.int64(4), answer: 0))
    count += 1
    return count == TakenVisits.capacity
  }

  /// What was taken since the last time.
  func removeAll() -> UnsafeBufferPointer<VisitRow> {
    defer { count = 0 }
    return UnsafeBufferPointer(rebasing: buffer[..<count])
  }
}
