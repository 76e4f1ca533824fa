internal import SQLite

/// What stands in a visit's row.
struct VisitRow: Sendable {
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

/// Takes the rows of visits out of SQLite.
final class TakenVisits: RowTaker {
  private static let enough = 2_048
  private let rows = UnsafeMutablePointer<VisitRow>.allocate(capacity: TakenVisits.enough)
  /// Beside the object, not in it: each access to a variable of an object is checked.
  private let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)

  /// An empty one.
  init() { count.initialize(to: 0) }

  deinit {
    rows.deallocate()
    count.deallocate()
  }

  func take(_ row: RowValues) -> Bool {
    let time = row.int64(3)
    (rows + count.pointee).initialize(
      to: VisitRow(
        row: row.int64(0), from: row.int64(1), page: row.int64(2), time: time,
        hasTime: time != 0 || !row.isNull(3), kind: row.int64(4), answer: 0))
    count.pointee += 1
    return count.pointee == TakenVisits.enough
  }

  /// What was taken since the last time.
  func removeAll() -> [VisitRow] {
    defer { count.pointee = 0 }
    return Array(UnsafeBufferPointer(start: rows, count: count.pointee))
  }
}
