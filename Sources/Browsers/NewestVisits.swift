internal import BrowsingData

/// The newest visits of a history, found by its index of times: what is handed over first. Only visits that no other one
/// equals in page and time are taken, so that their occurrence is 0 whatever else there is.
struct NewestVisits {
  /// Their rows, the oldest first.
  private(set) var rows: [Int64] = []
  private var known: Set<Int64> = []
  /// The least of their rows: one comparison tells most others apart.
  private var leastRow = Int64.max
  /// The pages that they name, their own and those of the visits that they came from, in ascending order.
  private(set) var pages: [Int64] = []

  private struct Place: Hashable {
    var page: Int64
    var time: Int64
  }

  /// Looks them up.
  init(_ database: ProfileDatabase, _ layout: HistoryLayout) throws(ProfileError) {
    let visits = try database.rows(
      "SELECT \(layout.row), \(layout.page), \(layout.time), from_visit FROM \(layout.visits) "
        + "ORDER BY \(layout.time) DESC LIMIT \(HistoryScan.newestCount)")
    var found: [(row: Int64, place: Place, from: Int64)] = []
    while try visits.next() {
      found.append((visits.int64(0), Place(page: visits.int64(1), time: visits.int64(2)), visits.int64(3)))
    }
    // So few come soon enough anyway.
    guard found.count == HistoryScan.newestCount, let oldest = found.last?.place.time else { return }
    // Others with the time of the oldest one may have been cut off.
    found.removeAll { $0.place.time == oldest }
    var counts: [Place: Int] = [:]
    for visit in found { counts[visit.place, default: 0] += 1 }
    found.removeAll { counts[$0.place] != 1 }
    let source = try database.rows("SELECT \(layout.page) FROM \(layout.visits) WHERE \(layout.row) = ?1")
    var named: Set<Int64> = []
    for visit in found.reversed() {
      rows.append(visit.row)
      known.insert(visit.row)
      leastRow = min(leastRow, visit.row)
      named.insert(visit.place.page)
      guard visit.from > 0 else { continue }
      try source.restart(with: visit.from)
      if try source.next() { named.insert(source.int64(0)) }
    }
    pages = named.sorted()
  }

  /// Whether the visit of a row is one of them.
  @inline(__always)
  func contains(_ row: Int64) -> Bool { row >= leastRow && known.contains(row) }
}
