internal import BrowsingData
internal import SQLite

/// Takes pages and visits into places.sqlite. Visits are written as they come; new pages only at the end, when their
/// counts, last visits and ranks are known, so that each row is written once. Memory grows with the number of pages by
/// some dozen bytes each, and not with that of visits.
final class PlacesHistoryWriter {
  private let places: PlacesFile
  private let pages: PlacesPages
  /// Visits that wait to be written.
  private var waiting: [VisitRows.Row] = []
  /// Those that SQLite reads meanwhile.
  private let rows = VisitRows()
  private var recent = RecentRows()
  private var nextVisit: Int64
  private let firstVisit: Int64
  /// Links to visits that had not come yet.
  private var openLinks: [OpenLink] = []
  private var result = HistoryResult()
  private var lossCounts = [Int](repeating: 0, count: PlacesHistoryWriter.losses.count)

  private struct OpenLink {
    var visit: Int64
    var target: Int
    var page: Int
    var time: Int64
    var isRedirect: Bool
  }

  private static let losses: [FieldLoss] = [
    FieldLoss("loaded", "Firefox does not note whether a page loaded"),
    FieldLoss("http_get", "Firefox does not note how a page was fetched"),
    FieldLoss("visit_count", "Firefox counts only the visits that it knows one by one"),
    FieldLoss("transition", "Firefox has no visit of this kind; it becomes a followed link"),
    FieldLoss("referrer", "Firefox has one visit before another, here the redirect"),
    FieldLoss("redirect_destination", "Firefox has no place for a redirect whose end was never visited"),
  ]

  /// In the transaction that is open.
  init(_ places: PlacesFile) throws {
    self.places = places
    pages = try PlacesPages(places)
    firstVisit = try FirstFreeRow.after(
      places.number("SELECT max(id) FROM moz_historyvisits") ?? 0, in: PlacesSchema.file)
    nextVisit = firstVisit
    try places.database.register(rows, as: VisitRows.name, columns: VisitRows.columns)
  }

  /// Takes pages, each before the first visit that names it.
  func insert(_ batch: PageBatch) throws { try pages.insert(batch) }

  /// Takes visits, best the oldest first.
  func insert(_ batch: VisitBatch) throws {
    waiting.reserveCapacity(batch.visits.count)
    for visit in batch.visits { try insert(visit, batch) }
    try flush()
    try closeLinks(isLast: false)
  }

  private func insert(_ visit: VisitBatch.Visit, _ batch: VisitBatch) throws {
    guard let page = pages.index(of: visit.page) else { return skip(visit, "its page cannot be held") }
    guard Timestamp(microseconds: visit.time).isPlausible else {
      return skip(visit, "its time is outside 1970 to 2200")
    }
    if visit.time <= pages.last(page), let known = try known(visit, page) {
      result.unchanged += 1
      recent.insert(page: page, time: visit.time, row: known, fact: type(of: visit))
      return
    }
    let type = type(of: visit)
    let isRedirect = visit.flags.contains(.linkIsRedirect)
    count(visit, batch)
    let row = nextVisit
    nextVisit += 1
    var from: Int64 = 0
    var origin: Int64 = 0
    if visit.linkPage != 0, let link = pages.index(of: visit.linkPage) {
      let time = visit.time &- visit.linkDelta
      if let found = recent.find(page: link, time: time) {
        from = found.row
        origin = found.fact
        if isRedirect { pages.noteRedirect(from: link, time: time) }
      } else {
        openLinks.append(OpenLink(visit: row, target: page, page: link, time: time, isRedirect: isRedirect))
      }
    }
    waiting.append(VisitRows.Row(id: row, from: from, page: pages.row(page), time: visit.time, type: type))
    recent.insert(page: page, time: visit.time, row: row, fact: type)
    pages.add(
      page, time: visit.time, type: type, origin: origin, isHidden: visit.flags.contains(.hidden),
      isUnknown: visit.transition == 0)
    result.added += 1
  }

  /// The row of this visit when it is there already: the one with its number among those of its page and time.
  private func known(_ visit: VisitBatch.Visit, _ page: Int) throws -> Int64? {
    try flush()
    let read = try places.statement(
      "SELECT id FROM moz_historyvisits WHERE place_id = ?1 AND visit_date = ?2 ORDER BY id")
    try read.bind(1, pages.row(page))
    try read.bind(2, visit.time)
    defer { read.reset() }
    var number: Int32 = 0
    while try read.step() {
      if number == visit.occurrence { return read.int64(0) }
      number += 1
    }
    return nil
  }

  /// Firefox's number of how a page was reached. A redirect that another browser does not tell apart is a temporary one.
  private func type(of visit: VisitBatch.Visit) -> Int64 {
    let type = HistoryVisit.Transition(rawValue: visit.transition)
    if visit.flags.contains(.linkIsRedirect), type != .redirectPermanent, type != .redirectTemporary {
      return 6
    }
    switch type {
    case .link, .typed, .bookmark, .embed, .redirectPermanent, .redirectTemporary, .download, .framedLink, .reload:
      return Int64(visit.transition)
    case .generated, .keyword: return 2
    case .formSubmit, .startPage, .other, nil: return 1
    }
  }

  private func count(_ visit: VisitBatch.Visit, _ batch: VisitBatch) {
    if visit.flags.contains(.loadFailed) { lossCounts[0] += 1 }
    if visit.flags.contains(.notGet) { lossCounts[1] += 1 }
    if visit.transition > 9 { lossCounts[3] += 1 }
    guard visit.attributes >= 0, Int(visit.attributes) < batch.attributes.count else { return }
    let attributes = batch.attributes[Int(visit.attributes)]
    if attributes.visitCount > 1 { lossCounts[2] += 1 }
    if attributes.referrer != nil { lossCounts[4] += 1 }
    if attributes.destination != nil { lossCounts[5] += 1 }
  }

  private func skip(_ visit: VisitBatch.Visit, _ reason: String) {
    result.skipped += 1
    guard result.remarks.count < ApplyReport.maximumRemarks else { return }
    let place = Remark.Place.id("page \(visit.page), \(visit.time)")
    result.remarks.append(Remark(.skipped, type: .history, place: place, reason: reason))
  }

  /// `OR FAIL`: a statement that could be undone alone would first write every page that it touches to a journal of its
  /// own, batch by batch; whatever fails here undoes the whole transaction.
  private func flush() throws {
    guard !waiting.isEmpty else { return }
    try places.runBehind(
      """
      INSERT OR FAIL INTO moz_historyvisits(id, from_visit, place_id, visit_date, visit_type, session, source)
      SELECT id, from_visit, place_id, visit_date, visit_type, 0, 0 FROM \(VisitRows.name)
      """
    ) { rows.exchange(&waiting) }
  }

  /// Finds the visits that others came from, now that more have come; what is not there stays 0.
  private func closeLinks(isLast: Bool) throws {
    guard !openLinks.isEmpty else { return }
    let links = openLinks
    openLinks = []
    for link in links {
      var found = recent.find(page: link.page, time: link.time)?.row
      if found == nil {
        found = try places.number(
          "SELECT id FROM moz_historyvisits WHERE place_id = ?1 AND visit_date = ?2 AND id <> ?3 ORDER BY id LIMIT 1",
          .number(pages.row(link.page)), .number(link.time), .number(link.visit))
      }
      if let found, found != link.visit {
        try places.run(
          "UPDATE moz_historyvisits SET from_visit = ?2 WHERE id = ?1", .number(link.visit), .number(found))
        if link.isRedirect { pages.noteRedirect(from: link.page, time: link.time) }
      } else if !isLast, openLinks.count < 1_000, link.time >= pages.last(link.target) {
        // It is of the same moment or later: it may yet come.
        openLinks.append(link)
      }
    }
  }

  /// Whether a page that was there got its title.
  var hasFilledTitles: Bool { pages.hasFilledTitles }

  // MARK: - The end

  /// Writes the pages, and says what was done.
  func finish() throws -> HistoryResult {
    try flush()
    try closeLinks(isLast: true)
    let written = try pages.finish()
    for (count, loss) in zip(lossCounts, PlacesHistoryWriter.losses) where count > 0 { result.losses[loss] = count }
    if result.added > 0 {
      let mark = HistoryMark(visits: firstVisit...(nextVisit - 1), pages: written, before: places.now + 1_000_000)
      result.mark = mark.description
    }
    return result
  }
}

/// Visits that wait to be written, as SQLite reads them.
private final class VisitRows: RowTable {
  static let name = "wherry_visits"
  static let columns = ["id", "from_visit", "place_id", "visit_date", "visit_type"]

  struct Row {
    var id: Int64
    var from: Int64
    var page: Int64
    var time: Int64
    var type: Int64
  }
  private var rows: [Row] = []

  var rowCount: Int { rows.count }

  /// Has these rows now; gives room for the next. No statement may be reading.
  func exchange(_ next: inout [Row]) {
    swap(&rows, &next)
    next.removeAll(keepingCapacity: true)
  }

  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    switch column {
    case 0: result.set(rows[row].id)
    case 1: result.set(rows[row].from)
    case 2: result.set(rows[row].page)
    case 3: result.set(rows[row].time)
    default: result.set(rows[row].type)
    }
  }
}
