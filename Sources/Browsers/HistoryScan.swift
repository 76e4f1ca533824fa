internal import BrowsingData

/// Reads a history in two scans without a join: pages, then visits that name them. Memory does not grow with the
/// number of visits, and with that of pages only by two bits each.
struct HistoryScan {
  /// Visits that are handed over at once.
  static let batchSize = 10_000

  private let database: ProfileDatabase
  private let layout: HistoryLayout
  private let profile: String?

  /// Over an open database; `profile` is nil for the default one.
  init(_ database: ProfileDatabase, _ layout: HistoryLayout, profile: String?) {
    self.database = database
    self.layout = layout
    self.profile = profile
  }

  /// Hands over every page that was visited, then every visit in the order of time.
  func read(into consume: (RecordBatch) throws -> Void) throws {
    let pages = try readPages(into: consume)
    var visits = try VisitScan(database, layout, pages: pages, profile: profile)
    try visits.read(into: consume)
  }

  private func readPages(into consume: (RecordBatch) throws -> Void) throws -> PageSet {
    let rows = try database.rows(layout.pages)
    var pages = PageSet()
    var chunk = PageChunk()
    var remarks: [Remark] = []
    while try rows.next() {
      let number = rows.int64(0)
      let titleTime = max(0, rows.int64(4).subtractingReportingOverflow(layout.epoch).partialValue)
      let isTaken = rows.withText(1) { url -> Bool in
        guard let url, !url.isEmpty, number != 0 else { return false }
        return rows.withText(2) { chunk.append(number: number, url: url, title: $0, titleTime: titleTime) }
      }
      guard isTaken else {
        remarks.append(
          Remark(.warning, type: .history, place: .id("\(number)"), reason: "a page without a readable address"))
        continue
      }
      pages.insert(number, isHidden: rows.int64(3) != 0)
      if chunk.isFull { try chunk.flush(into: consume) }
      if remarks.count == HistoryScan.batchSize {
        try consume(.remarks(remarks))
        remarks.removeAll()
      }
    }
    try chunk.flush(into: consume)
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    return pages
  }
}
