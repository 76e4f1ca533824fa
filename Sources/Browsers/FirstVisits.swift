internal import BrowsingData

/// The few visits of a history that are handed over before all its pages, so that whoever waits has something at once.
///
/// They are among the oldest, on the pages whose addresses come first: in a store's indices they stand at the start, and
/// all that follows in order is appended. A few in the middle would make every later row be searched its place, which takes
/// a store half as much time again. Only visits that came from no other and that no other one equals in page and time
/// are taken, so that their occurrence is 0 whatever else there is.
struct FirstVisits {
  /// Their rows, the oldest first.
  private(set) var rows: [Int64] = []
  private var known: Set<Int64> = []
  /// The greatest of their rows: one comparison tells most others apart.
  private var greatestRow = Int64.min
  /// The pages that they name, in ascending order.
  private(set) var pages: [Int64] = []

  /// How many visits come first.
  private static let count = 64
  /// Among how many of the oldest ones they are chosen; with fewer, everything comes soon enough.
  private static let candidateCount = 2_000

  private struct Place: Hashable {
    var page: Int64
    var time: Int64
  }

  /// Looks them up by the history's index of times.
  init(_ database: ProfileDatabase, _ layout: HistoryLayout) throws(ProfileError) {
    let visits = try database.rows(
      "SELECT \(layout.row), \(layout.page), \(layout.time), from_visit FROM \(layout.visits) "
        + "ORDER BY \(layout.time) LIMIT \(FirstVisits.candidateCount)")
    var found: [(row: Int64, place: Place, from: Int64)] = []
    while try visits.next() {
      found.append((visits.int64(0), Place(page: visits.int64(1), time: visits.int64(2)), visits.int64(3)))
    }
    guard found.count == FirstVisits.candidateCount, let newest = found.last?.place.time else { return }
    var counts: [Place: Int] = [:]
    for visit in found { counts[visit.place, default: 0] += 1 }
    // Others with the time of the newest one may have been cut off.
    found.removeAll { $0.place.time == newest || $0.from > 0 || counts[$0.place] != 1 }
    let taken = Set(try FirstVisits.firstPages(of: Set(found.map(\.place.page)), database, layout))
    for visit in found where taken.contains(visit.place.page) && rows.count < FirstVisits.count {
      rows.append(visit.row)
      known.insert(visit.row)
      greatestRow = max(greatestRow, visit.row)
    }
    pages = taken.sorted()
  }

  /// Those of some pages whose addresses come first.
  private static func firstPages(
    of pages: Set<Int64>, _ database: ProfileDatabase, _ layout: HistoryLayout
  ) throws(ProfileError) -> [Int64] {
    let page = try database.rows(layout.oneAddress)
    var addresses: [(page: Int64, url: [UInt8])] = []
    for number in pages.sorted() {
      try page.restart(with: number)
      if try page.next(), let url = page.withText(0, { $0.map { Array($0) } }) { addresses.append((number, url)) }
    }
    addresses.sort { $0.url.lexicographicallyPrecedes($1.url) }
    return addresses.prefix(count).map(\.page)
  }

  /// Whether the visit of a row is one of them.
  @inline(__always)
  func contains(_ row: Int64) -> Bool { row <= greatestRow && known.contains(row) }
}
