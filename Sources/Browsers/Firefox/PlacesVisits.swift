internal import BrowsingData

/// Reads the visits of places.sqlite in the order of time, each with its link to the visit it came from.
/// Memory does not grow with their number.
struct PlacesVisits {
  private let database: ProfileDatabase
  private let pages: PageSet
  private let linkRows: ProfileRows
  private var recent = RecentVisits()
  private var occurrences = Occurrences()
  private var batch = VisitBatch()
  private var remarks: [Remark] = []
  private let profiles: [String]

  /// Over an open database, whose pages have been handed over.
  init(_ database: ProfileDatabase, pages: PageSet, profile: String?) throws(ProfileError) {
    self.database = database
    self.pages = pages
    profiles = profile.map { ["", $0] } ?? [""]
    linkRows = try database.rows("SELECT place_id, visit_date FROM moz_historyvisits WHERE id = ?1")
  }

  /// Hands over all of them.
  mutating func read(into consume: (RecordBatch) throws -> Void) throws {
    let order = try isInOrder() ? "id" : "+visit_date, place_id, id"
    let rows = try database.rows(
      "SELECT id, from_visit, place_id, visit_date, visit_type FROM moz_historyvisits ORDER BY \(order)")
    startBatch()
    while try rows.next() {
      guard let visit = try visit(rows) else {
        if remarks.count == PlacesHistory.batchSize { try flushRemarks(into: consume) }
        continue
      }
      batch.visits.append(visit)
      if batch.visits.count == PlacesHistory.batchSize {
        try consume(.visits(batch))
        startBatch()
      }
    }
    if !batch.visits.isEmpty { try consume(.visits(batch)) }
    try flushRemarks(into: consume)
  }

  /// Rows usually stand in the order of time and can be taken as they come; after an import or a sync they do not.
  private func isInOrder() throws(ProfileError) -> Bool {
    let rows = try database.rows("SELECT visit_date FROM moz_historyvisits ORDER BY id")
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
    batch.visits.reserveCapacity(PlacesHistory.batchSize)
  }

  private mutating func flushRemarks(into consume: (RecordBatch) throws -> Void) throws {
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    remarks.removeAll()
  }

  private mutating func visit(_ rows: ProfileRows) throws(ProfileError) -> VisitBatch.Visit? {
    let row = rows.int64(0)
    let page = rows.int64(2)
    let time = rows.int64(3)
    guard let isHidden = pages.isHidden(page) else { return skip(row, "its page is missing") }
    guard Timestamp(microseconds: time).isPlausible, time != 0 || !rows.isNull(3) else {
      return skip(row, "its time is outside 1970 to 2200")
    }
    recent.insert(row: row, page: page, time: time)
    var visit = VisitBatch.Visit(page: page, time: time)
    visit.profile = profiles.count > 1 ? 1 : 0
    visit.occurrence = occurrences.next(page: page, time: time)
    let type = rows.int64(4)
    visit.transition = PlacesVisits.transition(type)
    if isHidden { visit.flags.insert(.hidden) }
    let from = rows.int64(1)
    if from > 0, from != row, let link = try link(from) {
      visit.linkPage = link.page
      visit.linkDelta = time - link.time
      if type == 5 || type == 6 { visit.flags.insert(.linkIsRedirect) }
    }
    return visit
  }

  /// nil when there is no such visit, or it is one that is skipped.
  private func link(_ row: Int64) throws(ProfileError) -> (page: Int64, time: Int64)? {
    if let found = recent.find(row: row) { return found }
    try linkRows.restart(with: row)
    guard try linkRows.next() else { return nil }
    let (page, time) = (linkRows.int64(0), linkRows.int64(1))
    guard !linkRows.isNull(1), pages.isHidden(page) != nil, Timestamp(microseconds: time).isPlausible else {
      return nil
    }
    return (page, time)
  }

  /// Firefox's numbers 1 to 9 are ours.
  private static func transition(_ type: Int64) -> UInt8 {
    switch type {
    case 1...9: UInt8(type)
    case ...0: 0
    default: HistoryVisit.Transition.other.rawValue
    }
  }

  private mutating func skip(_ row: Int64, _ reason: String) -> VisitBatch.Visit? {
    remarks.append(Remark(.skipped, type: .history, place: .id("\(row)"), reason: reason))
    return nil
  }
}
