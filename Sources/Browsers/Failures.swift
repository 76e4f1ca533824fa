/// What servers answered for visits that did not give their pages, told in the order of rows: they are few, and a scan
/// beside that of the visits costs less than to look up each.
struct Failures {
  private let rows: ProfileRows?
  private var next: (row: Int64, answer: Int64)?

  /// Over an open database.
  init(_ database: ProfileDatabase, _ layout: HistoryLayout) throws(ProfileError) {
    rows = if let failures = layout.failures { try database.rows(failures) } else { nil }
    try move()
  }

  /// The answer for a visit, 0 when its page was given; rows must ascend.
  @inline(__always)
  mutating func answer(of row: Int64) throws(ProfileError) -> Int64 {
    while let next, next.row < row { try move() }
    return next?.row == row ? next?.answer ?? 0 : 0
  }

  private mutating func move() throws(ProfileError) {
    next = if let rows, try rows.next() { (rows.int64(0), rows.int64(1)) } else { nil }
  }
}
