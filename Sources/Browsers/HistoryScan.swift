internal import BrowsingData

/// Reads a history in two scans without a join: pages, then visits that name them. Memory does not grow with the
/// number of visits, and with that of pages only by two bits each. A few visits and their pages come first, so that whoever
/// waits has something at once.
struct HistoryScan {
  /// Visits that are handed over at once.
  static let batchSize = 10_000

  private let database: ProfileDatabase
  private let layout: HistoryLayout
  private let profile: String?
  private var pages = PageSet()
  private var remarks: [Remark] = []

  /// Over an open database; `profile` is nil for the default one.
  init(_ database: ProfileDatabase, _ layout: HistoryLayout, profile: String?) {
    self.database = database
    self.layout = layout
    self.profile = profile
  }

  /// Hands over a few visits and their pages, then every other page that was visited, then every other visit in the
  /// order of time.
  mutating func read(into consume: (RecordBatch) throws -> Void) throws {
    let few = try FirstVisits(database, layout)
    try readPages(of: few, into: consume)
    var first = try VisitScan(database, layout, pages: pages, profile: profile)
    try first.read(few, into: consume)
    try readPages(into: consume)
    var rest = try VisitScan(database, layout, pages: pages, profile: profile)
    try rest.read(except: few, into: consume)
  }

  /// Hands over what was added since a position, or everything; gives the position for the next time.
  mutating func read(
    since position: VisitPosition?, into consume: (RecordBatch) throws -> Void
  ) throws -> VisitPosition? {
    let next = try self.position()
    if let position, try holds(position) {
      try readPages(from: position.row, into: consume)
      var visits = try VisitScan(database, layout, pages: pages, profile: profile)
      try visits.read(from: position.row, into: consume)
    } else {
      try read(into: consume)
    }
    return next
  }

  /// How many visits at the end are read again the next time.
  private static let overlap = 1_000

  private func position() throws(ProfileError) -> VisitPosition? {
    let visit = try database.rows(
      "SELECT \(layout.row), \(layout.page), \(layout.time) FROM \(layout.visits) "
        + "ORDER BY \(layout.row) DESC LIMIT 1 OFFSET \(HistoryScan.overlap)")
    guard try visit.next() else { return nil }
    return VisitPosition(
      row: visit.int64(0), page: visit.int64(1), time: visit.int64(2), earlier: try count(before: visit.int64(0)))
  }

  /// All are counted by an index; by row only those that are behind it, which are few.
  private func count(before row: Int64) throws(ProfileError) -> Int64 {
    let later = try database.rows("SELECT count(*) FROM \(layout.visits) WHERE \(layout.row) >= ?1")
    try later.restart(with: row)
    return try database.number("SELECT count(*) FROM \(layout.visits)") - (later.next() ? later.int64(0) : 0)
  }

  /// While this visit is there no later one can have got a smaller row.
  private func holds(_ position: VisitPosition) throws(ProfileError) -> Bool {
    let visit = try database.rows(
      "SELECT \(layout.page), \(layout.time) FROM \(layout.visits) WHERE \(layout.row) = ?1")
    try visit.restart(with: position.row)
    guard try visit.next() else { return false }
    guard visit.int64(0) == position.page, visit.int64(1) == position.time else { return false }
    return try count(before: position.row) <= position.earlier
  }

  /// Those of the visits from a row on, and of the visits that these came from.
  private mutating func readPages(from row: Int64, into consume: (RecordBatch) throws -> Void) throws {
    let numbers = try database.rows(
      """
      SELECT \(layout.page) FROM \(layout.visits) WHERE \(layout.row) >= ?1
      UNION SELECT \(layout.page) FROM \(layout.visits) WHERE \(layout.row) IN (
        SELECT from_visit FROM \(layout.visits) WHERE \(layout.row) >= ?1)
      """)
    try numbers.restart(with: row)
    let page = try database.rows("SELECT * FROM (\(layout.pages)) WHERE id = ?1")
    var chunk = PageChunk()
    while try numbers.next() {
      try page.restart(with: numbers.int64(0))
      if try page.next() { try take(page, &chunk, consume) }
    }
    try finish(&chunk, consume)
  }

  private mutating func readPages(of few: FirstVisits, into consume: (RecordBatch) throws -> Void) throws {
    let row = try database.rows("SELECT * FROM (\(layout.pages)) WHERE id = ?1")
    var chunk = PageChunk()
    for page in few.pages {
      try row.restart(with: page)
      if try row.next() { try take(row, &chunk, consume) }
    }
    // One that cannot be read is met again, and told of then.
    remarks = []
    try finish(&chunk, consume)
  }

  private mutating func readPages(into consume: (RecordBatch) throws -> Void) throws {
    let rows = try database.rows(layout.pages)
    var chunk = PageChunk()
    while try rows.next() {
      // Those of the first visits have been handed over.
      guard pages.isHidden(rows.int64(0)) == nil else { continue }
      try take(rows, &chunk, consume)
    }
    try finish(&chunk, consume)
  }

  @inline(__always)
  private mutating func take(
    _ rows: ProfileRows, _ chunk: inout PageChunk, _ consume: (RecordBatch) throws -> Void
  ) throws {
    let number = rows.int64(0)
    let titleTime = max(0, rows.int64(4).subtractingReportingOverflow(layout.epoch).partialValue)
    let isTaken = rows.withText(1) { url -> Bool in
      guard let url, !url.isEmpty, number != 0 else { return false }
      return rows.withText(2) { chunk.append(number: number, url: url, title: $0, titleTime: titleTime) }
    }
    guard isTaken else {
      remarks.append(
        Remark(.warning, type: .history, place: .id("\(number)"), reason: "a page without a readable address"))
      if remarks.count == HistoryScan.batchSize { try flushRemarks(consume) }
      return
    }
    pages.insert(number, isHidden: rows.int64(3) != 0)
    if chunk.isFull { try chunk.flush(into: consume) }
  }

  private mutating func finish(_ chunk: inout PageChunk, _ consume: (RecordBatch) throws -> Void) throws {
    try chunk.flush(into: consume)
    try flushRemarks(consume)
  }

  private mutating func flushRemarks(_ consume: (RecordBatch) throws -> Void) throws {
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    remarks.removeAll()
  }
}
