internal import BrowsingData

/// Reads a history in two scans without a join, ahead on a thread of its own: pages, then visits that name them. Memory does not grow with the
/// number of visits, and with that of pages only by two bits each. A few visits and their pages come first, so that whoever
/// waits has something at once.
struct HistoryScan {
  /// Visits that are handed over at once.
  static let batchSize = 10_000

  private let database: ProfileDatabase
  private let layout: HistoryLayout
  private let profile: String?
  private var pages: PageGathering

  /// Over an open database; `profile` is nil for the default one.
  init(_ database: ProfileDatabase, _ layout: HistoryLayout, profile: String?) {
    self.database = database
    self.layout = layout
    self.profile = profile
    pages = PageGathering(epoch: layout.epoch)
  }

  /// Hands over a few visits and their pages, then every other page that was visited, then every other visit in the
  /// order of time.
  mutating func read(into consume: (RecordBatch) throws -> Void) throws {
    let reading = try HistoryReading(database, layout)
    defer { reading.stop() }
    let few = try FirstVisits(database, layout)
    try readPages(of: few, into: consume)
    var first = try VisitScan(database, layout, pages: pages.pages, profile: profile)
    try first.read(few, into: consume)
    try readPages(reading, into: consume)
    var rest = try VisitScan(database, layout, pages: pages.pages, profile: profile)
    try rest.read(reading, except: few, into: consume)
  }

  /// Hands over what was added since a position, or everything; gives the position for the next time.
  mutating func read(
    since position: VisitPosition?, into consume: (RecordBatch) throws -> Void
  ) throws -> VisitPosition? {
    let next = try self.position()
    if let position, try holds(position) {
      try readPages(from: position.row, into: consume)
      var visits = try VisitScan(database, layout, pages: pages.pages, profile: profile)
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
    let taken = TakenPages()
    let page = try database.rows(layout.onePage, giving: taken)
    while try numbers.next() {
      try page.restart(with: numbers.int64(0))
      while try page.next() {}
      try pages.append(taken.removeAll(), into: consume)
    }
    try pages.flush(into: consume)
  }

  private mutating func readPages(of few: FirstVisits, into consume: (RecordBatch) throws -> Void) throws {
    let taken = TakenPages()
    let page = try database.rows(layout.onePage, giving: taken)
    for number in few.pages {
      try page.restart(with: number)
      while try page.next() {}
      try pages.append(taken.removeAll(), into: consume)
    }
    // One that cannot be read is met again, and told of then.
    pages.dropRemarks()
    try pages.flush(into: consume)
  }

  private mutating func readPages(
    _ reading: HistoryReading, into consume: (RecordBatch) throws -> Void
  ) throws {
    if layout.pageCondition == nil {
      let numbers = TakenNumbers()
      let rows = try database.rows(layout.namedPages, giving: numbers)
      while try rows.next() {}
      pages.wanted = numbers.pages
    }
    pages.last = try database.number("SELECT max(id) FROM \(layout.pages)")
    while let block = try reading.nextPages() { try pages.append(block, into: consume) }
    try pages.flush(into: consume)
    pages.wanted = nil
  }
}
