internal import BrowsingData

/// Reads visits in the order of time, each with its link to the visit it came from.
/// Memory does not grow with their number.
struct VisitScan {
  private let database: ProfileDatabase
  private let layout: HistoryLayout
  private let pages: PageSet
  private let linkRows: ProfileRows
  private var recent = RecentVisits()
  private var occurrences = Occurrences()
  private var batch = VisitBatch()
  private var remarks: [Remark] = []
  private let profiles: [String]

  /// Over an open database, whose pages have been handed over.
  init(
    _ database: ProfileDatabase, _ layout: HistoryLayout, pages: PageSet, profile: String?
  ) throws(ProfileError) {
    self.database = database
    self.layout = layout
    self.pages = pages
    profiles = profile.map { ["", $0] } ?? [""]
    linkRows = try database.rows(
      "SELECT \(layout.page), \(layout.time) FROM \(layout.visits) WHERE \(layout.row) = ?1")
  }

  /// Hands over all of them.
  mutating func read(into consume: (RecordBatch) throws -> Void) throws {
    let order = try isInOrder() ? layout.row : "+\(layout.time), \(layout.page), \(layout.row)"
    let rows = try database.rows("SELECT \(layout.columns) FROM \(layout.tables) ORDER BY \(order)")
    startBatch()
    while try rows.next() {
      guard let visit = try visit(rows) else {
        if remarks.count == HistoryScan.batchSize { try flushRemarks(into: consume) }
        continue
      }
      batch.visits.append(visit)
      if batch.visits.count == HistoryScan.batchSize {
        try consume(.visits(batch))
        startBatch()
      }
    }
    if !batch.visits.isEmpty { try consume(.visits(batch)) }
    try flushRemarks(into: consume)
  }

  /// Rows usually stand in the order of time and can be taken as they come; after an import or a sync they do not.
  private func isInOrder() throws(ProfileError) -> Bool {
    let rows = try database.rows("SELECT \(layout.time) FROM \(layout.visits) ORDER BY \(layout.row)")
    var (last, equal) = (Int64.min, 0)
    while try rows.next() {
      let time = rows.int64(0)
      if time < last { return false }
      equal = time == last ? equal + 1 : 0
      if equal >= Occurrences.maximumGroup { return false }
      last = time
    }
    return true
  }

  private mutating func startBatch() {
    batch = VisitBatch()
    batch.profiles = profiles
    batch.visits.reserveCapacity(HistoryScan.batchSize)
  }

  private mutating func flushRemarks(into consume: (RecordBatch) throws -> Void) throws {
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    remarks.removeAll()
  }

  private mutating func visit(_ rows: ProfileRows) throws(ProfileError) -> VisitBatch.Visit? {
    let row = rows.int64(0)
    let page = rows.int64(2)
    guard let isHidden = pages.isHidden(page) else { return skip(row, "its page is missing") }
    guard let time = time(rows, 3) else { return skip(row, "its time is outside 1970 to 2200") }
    recent.insert(row: row, page: page, time: time)
    let facts = layout.facts(rows.int64(4), rows.int64(5))
    var visit = VisitBatch.Visit(page: page, time: time)
    visit.profile = profiles.count > 1 ? 1 : 0
    visit.occurrence = occurrences.next(page: page, time: time)
    visit.transition = facts.transition
    visit.flags = facts.flags
    if isHidden { visit.flags.insert(.hidden) }
    let from = rows.int64(1)
    if from > 0, from != row, let link = try link(from) {
      visit.linkPage = link.page
      visit.linkDelta = time - link.time
      if facts.isRedirect { visit.flags.insert(.linkIsRedirect) }
    }
    return visit
  }

  /// A time of ours; nil when a record may not hold it.
  private func time(_ rows: ProfileRows, _ column: Int32) -> Int64? {
    let time = rows.int64(column).subtractingReportingOverflow(layout.epoch)
    guard !time.overflow, Timestamp(microseconds: time.partialValue).isPlausible else { return nil }
    return time.partialValue == 0 && rows.isNull(column) ? nil : time.partialValue
  }

  /// nil when there is no such visit, or it is one that is skipped.
  private func link(_ row: Int64) throws(ProfileError) -> (page: Int64, time: Int64)? {
    if let found = recent.find(row: row) { return found }
    try linkRows.restart(with: row)
    guard try linkRows.next() else { return nil }
    let page = linkRows.int64(0)
    guard let time = time(linkRows, 1), pages.isHidden(page) != nil else { return nil }
    return (page, time)
  }

  private mutating func skip(_ row: Int64, _ reason: String) -> VisitBatch.Visit? {
    remarks.append(Remark(.skipped, type: .history, place: .id("\(row)"), reason: reason))
    return nil
  }
}
