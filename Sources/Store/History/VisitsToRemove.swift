internal import SQLite

/// Which visits go by rules, and of which only the link.
struct VisitsToRemove {
  /// What `look` reads of a row.
  static let columns = "seq, t, url, occ, profile, ref, t - ref_dt"

  struct Visit {
    var sequence: Int64
    var time: Int64
    var page: Int64
    var profile: Int64
    var occurrence: Int32
  }

  private let rules: PageRules
  private(set) var gone: [Visit] = []
  private(set) var unlinked: [Int64] = []
  /// The pages that are named by one place less.
  private(set) var touched: Set<Int64> = []

  init(_ rules: PageRules) { self.rules = rules }

  mutating func look(at row: Statement) throws {
    let link = row.int64(5)
    if try rules.matches(row.int64(2), row.int64(1)) {
      gone.append(
        Visit(
          sequence: row.int64(0), time: row.int64(1), page: row.int64(2), profile: row.int64(4),
          occurrence: Int32(truncatingIfNeeded: row.int64(3))))
      touched.insert(row.int64(2))
      if link != 0 { touched.insert(link) }
    } else if try rules.matches(link, row.int64(6)) {
      unlinked.append(row.int64(0))
      touched.insert(link)
    }
  }
}
