internal import BrowsingData

/// Reads the history of places.sqlite in two scans without a join: pages, then visits that name them.
struct PlacesHistory {
  /// Visits that are handed over at once.
  static let batchSize = 10_000

  let database: ProfileDatabase
  /// nil for the default one.
  let profile: String?

  /// How many visits there are.
  static func count(_ database: ProfileDatabase) throws(ProfileError) -> Int {
    Int(try database.number("SELECT count(*) FROM moz_historyvisits"))
  }

  /// Hands over every page that was visited, then every visit in the order of time.
  func read(into consume: (RecordBatch) throws -> Void) throws {
    let pages = try readPages(into: consume)
    var visits = try PlacesVisits(database, pages: pages, profile: profile)
    try visits.read(into: consume)
  }

  /// The third condition is for pages whose own columns do not tell; SQLite answers it from an index.
  private func readPages(into consume: (RecordBatch) throws -> Void) throws -> PageSet {
    let rows = try database.rows(
      """
      SELECT id, url, title, hidden, last_visit_date FROM moz_places
      WHERE last_visit_date IS NOT NULL OR visit_count > 0 OR id IN (SELECT place_id FROM moz_historyvisits)
      """)
    var pages = PageSet()
    var chunk = PageChunk()
    var remarks: [Remark] = []
    while try rows.next() {
      let number = rows.int64(0)
      let isTaken = rows.withText(1) { url -> Bool in
        guard let url, !url.isEmpty, number != 0 else { return false }
        return rows.withText(2) {
          chunk.append(number: number, url: url, title: $0, titleTime: max(0, rows.int64(4)))
        }
      }
      guard isTaken else {
        remarks.append(
          Remark(.warning, type: .history, place: .id("\(number)"), reason: "a page without a readable address"))
        continue
      }
      pages.insert(number, isHidden: rows.int64(3) != 0)
      if chunk.isFull { try chunk.flush(into: consume) }
      if remarks.count == PlacesHistory.batchSize {
        try consume(.remarks(remarks))
        remarks.removeAll()
      }
    }
    try chunk.flush(into: consume)
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    return pages
  }
}
