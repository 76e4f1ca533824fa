/// The page and time of visits that were met lately, by row: a link to one of them needs no look-up.
struct RecentVisits {
  private static let count = 1 << 14
  private var rows = [Int64](repeating: .min, count: RecentVisits.count)
  private var places = [(page: Int64, time: Int64)](repeating: (0, 0), count: RecentVisits.count)

  /// Remembers a visit and forgets an old one.
  mutating func insert(row: Int64, page: Int64, time: Int64) {
    let slot = Int(truncatingIfNeeded: row) & (RecentVisits.count - 1)
    rows[slot] = row
    places[slot] = (page, time)
  }

  /// The visit in that row, if it was met lately.
  func find(row: Int64) -> (page: Int64, time: Int64)? {
    let slot = Int(truncatingIfNeeded: row) & (RecentVisits.count - 1)
    return rows[slot] == row ? places[slot] : nil
  }
}
