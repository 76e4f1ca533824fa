internal import BrowsingData

/// Reads visits in the order of time as far as rows keep to it, each with its link to the visit it came from.
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
  /// The source's time of the last row that was taken as it came, and how many equal visits came so.
  private var border = Int64.min
  private var earlierRows: (count: ProfileRows, end: Int64)?
  private let profiles: [String]
  /// Visits that have been handed over.
  private var earlier: FirstVisits?

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

  /// Hands over the first ones, the oldest of them first.
  mutating func read(_ few: FirstVisits, into consume: (RecordBatch) throws -> Void) throws {
    startBatch()
    let visit = try database.rows(layout.visitsWithAnswers + " WHERE v.\(layout.row) = ?1")
    for row in few.rows {
      try visit.restart(with: row)
      if try visit.next() { try take(VisitRow(visit), consume) }
    }
    try finish(into: consume)
  }

  /// Hands over all but those. Rows usually stand in the order of time and are taken as they come. After an import or a
  /// sync they do not: from the first one that is out of order, the rest is sorted.
  mutating func read(
    _ reading: HistoryReading, except few: FirstVisits, into consume: (RecordBatch) throws -> Void
  ) throws {
    earlier = few
    startBatch()
    if let row = try readInOrder(reading, into: consume) { try readSorted(from: row, into: consume) }
    try finish(into: consume)
  }

  /// Hands over those from a row on, in the order of time.
  mutating func read(from row: Int64, into consume: (RecordBatch) throws -> Void) throws {
    startBatch()
    // Any of them may equal one before that row.
    border = .max
    try readSorted(from: row, into: consume)
    try finish(into: consume)
  }

  private mutating func finish(into consume: (RecordBatch) throws -> Void) throws {
    if !batch.visits.isEmpty { try consume(.visits(batch)) }
    try flushRemarks(into: consume)
  }

  /// Stops at a row that is older than the one before, or at one of a crowd of a single time, and returns it.
  private mutating func readInOrder(
    _ reading: HistoryReading, into consume: (RecordBatch) throws -> Void
  ) throws -> Int64? {
    var failures = try Failures(database, layout)
    var (last, lastRow, equal) = (Int64.min, Int64.min, 0)
    while let block = try reading.nextVisits() {
      for var visit in block {
        // They were not sorted after they were taken.
        guard visit.row > lastRow || lastRow == .min else {
          throw ProfileError.corrupt(file: database.name, reason: "the rows of visits have no numbers of their own")
        }
        lastRow = visit.row
        equal = visit.time == last ? equal + 1 : 0
        if visit.time < last || equal >= Occurrences.maximumGroup {
          border = last
          return visit.row
        }
        last = visit.time
        visit.answer = try failures.answer(of: visit.row)
        try take(visit, consume)
      }
    }
    return nil
  }

  private mutating func readSorted(from row: Int64, into consume: (RecordBatch) throws -> Void) throws {
    let order = "+v.\(layout.time), v.\(layout.page), v.\(layout.row)"
    let rows = try database.rows(layout.visitsWithAnswers + " WHERE v.\(layout.row) >= ?1 ORDER BY \(order)")
    try rows.restart(with: row)
    let earlier = try database.rows(
      """
      SELECT count(*) FROM \(layout.visits)
      WHERE \(layout.page) = ?1 AND \(layout.time) = ?2 AND \(layout.row) < ?3
      """)
    occurrences = Occurrences()
    earlierRows = (earlier, row)
    while try rows.next() { try take(VisitRow(rows), consume) }
  }

  private mutating func take(_ row: VisitRow, _ consume: (RecordBatch) throws -> Void) throws {
    if let earlier, earlier.contains(row.row) { return }
    guard let visit = try visit(row) else {
      if remarks.count == HistoryScan.batchSize { try flushRemarks(into: consume) }
      return
    }
    batch.visits.append(visit)
    if batch.visits.count == HistoryScan.batchSize {
      try consume(.visits(batch))
      startBatch()
    }
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

  private mutating func visit(_ row: VisitRow) throws(ProfileError) -> VisitBatch.Visit? {
    guard let isHidden = pages.isHidden(row.page) else { return skip(row.row, "its page is missing") }
    guard row.hasTime, let time = time(row.time) else { return skip(row.row, "its time is outside 1970 to 2200") }
    recent.insert(row: row.row, page: row.page, time: time)
    let facts = layout.facts(row.kind, row.answer)
    var visit = VisitBatch.Visit(page: row.page, time: time)
    visit.profile = profiles.count > 1 ? 1 : 0
    visit.occurrence = try occurrence(page: row.page, time: time, sourceTime: row.time)
    visit.transition = facts.transition
    visit.flags = facts.flags
    if isHidden { visit.flags.insert(.hidden) }
    if let answer = facts.answer {
      var attributes = VisitBatch.Attributes()
      attributes.answer = answer
      visit.attributes = Int32(batch.attributes.count)
      batch.attributes.append(attributes)
    }
    if row.from > 0, row.from != row.row, let link = try link(row.from) {
      visit.linkPage = link.page
      visit.linkDelta = time - link.time
      if facts.isRedirect { visit.flags.insert(.linkIsRedirect) }
    }
    return visit
  }

  private mutating func occurrence(page: Int64, time: Int64, sourceTime: Int64) throws(ProfileError) -> Int32 {
    let occurrence = occurrences.next(page: page, time: time)
    guard let earlierRows, sourceTime <= border else { return occurrence }
    try earlierRows.count.restart(with: page, sourceTime, earlierRows.end)
    guard try earlierRows.count.next() else { return occurrence }
    return occurrence &+ Int32(truncatingIfNeeded: earlierRows.count.int64(0))
  }

  /// A time of ours; nil when a record may not hold it.
  private func time(_ time: Int64) -> Int64? {
    let time = time.subtractingReportingOverflow(layout.epoch)
    guard !time.overflow, Timestamp(microseconds: time.partialValue).isPlausible else { return nil }
    return time.partialValue
  }

  /// nil when there is no such visit, or it is one that is skipped.
  private func link(_ row: Int64) throws(ProfileError) -> (page: Int64, time: Int64)? {
    if let found = recent.find(row: row) { return found }
    try linkRows.restart(with: row)
    guard try linkRows.next() else { return nil }
    let page = linkRows.int64(0)
    guard !linkRows.isNull(1), let time = time(linkRows.int64(1)), pages.isHidden(page) != nil else { return nil }
    return (page, time)
  }

  private mutating func skip(_ row: Int64, _ reason: String) -> VisitBatch.Visit? {
    remarks.append(Remark(.skipped, type: .history, place: .id("\(row)"), reason: reason))
    return nil
  }
}
