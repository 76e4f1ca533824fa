internal import BrowsingData
internal import SQLite

/// Puts visits into a Chromium History. What comes in the order of time is written as it comes, moment by moment: which
/// visits of one time lead on to others is known when the next time begins. What is older than a visit that came before is
/// kept apart until the end. Memory grows with the number of pages by some dozen bytes each, and not with that of visits.
final class ChromiumVisitWriter {
  /// Older visits the browser deletes soon after its start.
  static let keptDays: Int64 = 90

  let edited: EditedDatabase
  let pages: ChromiumPages
  let rows = ChromiumVisitRows()
  let statements: ChromiumVisitStatements
  var recent = RecentRows()
  var moment = ChromiumMoment()
  /// Visits whose source was not met before them.
  var openLinks: [OpenLink] = []
  var result = HistoryResult()
  let firstRow: Int64
  var nextRow: Int64
  /// Of the visits that were added.
  var times: (first: Int64, last: Int64) = (.max, .min)
  /// Visits that came after newer ones, and whether these are being written.
  var laterCount = 0
  var isLater = false
  private var lossCounts = [Int](repeating: 0, count: Loss.allCases.count)

  struct OpenLink {
    var row: Int64
    var page: Int
    var time: Int64
    var kind: ChromiumMoment.Kind
    var hasOwnCore: Bool
  }

  /// Of a page that did not load, when it is not known.
  private static let usualAnswer: Int64 = 404
  /// How many links are kept open.
  static let maximumOpenLinks = 1 << 16
  /// Visits that are written at once.
  private static let rowsAtOnce = 1 << 14

  /// Into an open History.
  init(_ edited: EditedDatabase) throws {
    self.edited = edited
    // As large as a million visits need.
    try edited.run { try $0.execute("PRAGMA main.cache_size = -262144") }
    pages = try edited.run { _ in try ChromiumPages(edited) }
    firstRow = try edited.run { try ChromiumPages.nextRow(of: "visits", $0) }
    nextRow = firstRow
    let rows = rows
    statements = try edited.run {
      try $0.register(rows, as: ChromiumVisitRows.name, columns: ChromiumVisitRows.columns)
      return try ChromiumVisitStatements(edited)
    }
  }

  /// Takes pages, each before the first visit that names it.
  func insert(_ batch: PageBatch) throws { try edited.run { _ in try pages.insert(batch) } }

  /// Takes visits, best the oldest first.
  func insert(_ batch: VisitBatch, now: Timestamp) throws {
    let oldest = now.microseconds - ChromiumVisitWriter.keptDays * 86_400_000_000
    try edited.run { _ in
      for visit in batch.visits {
        guard let page = pages.index(of: visit.page) else {
          skip(visit, pages.isRefused(visit.page) ? "Chromium does not take its address" : "its page is missing")
          continue
        }
        guard Timestamp(microseconds: visit.time).isPlausible else {
          skip(visit, "its time is outside 1970 to 2200")
          continue
        }
        let index = Int(visit.attributes)
        let attributes = batch.attributes.indices.contains(index) ? batch.attributes[index] : nil
        count(visit, attributes, isOld: visit.time < oldest)
        try take(entry(visit, page, attributes), at: visit.time)
      }
      if rows.rowCount >= ChromiumVisitWriter.rowsAtOnce { try flush() }
    }
  }

  private func entry(
    _ visit: VisitBatch.Visit, _ page: Int, _ attributes: VisitBatch.Attributes?
  ) -> ChromiumMoment.Entry {
    let transition = HistoryVisit.Transition(rawValue: visit.transition)
    let isRedirect =
      transition == .redirectPermanent || transition == .redirectTemporary || visit.flags.contains(.linkIsRedirect)
    let isHidden = visit.flags.contains(.hidden)
    let core = ChromiumTransition.core(transition, isHidden: isHidden)
    // A server's redirect has the kind of its chain; one that Chromium noted has the time of its source, too.
    let isServers = isRedirect && (core == nil || visit.linkDelta == 0)
    var entry = ChromiumMoment.Entry(
      page: page, number: visit.page, occurrence: Int64(visit.occurrence), core: core ?? -1,
      kind: isServers ? .serverRedirect : isRedirect ? .clientRedirect : .plain, isHidden: isHidden)
    if visit.flags.contains(.loadFailed) {
      entry.answer = attributes?.answer.map { Int64($0) } ?? ChromiumVisitWriter.usualAnswer
    }
    if visit.linkPage != 0 {
      entry.linkPage = pages.index(of: visit.linkPage) ?? -1
      entry.linkTime = visit.time &- visit.linkDelta
    }
    entry.count = min(max(1, attributes?.visitCount ?? 1), Int64(Int32.max))
    return entry
  }

  /// Adds it to the moment that is gathered, or ends that first.
  func take(_ entry: ChromiumMoment.Entry, at time: Int64) throws {
    if time > moment.time || (isLater && moment.isFull) {
      try close()
      moment.begin(time)
    } else if time < moment.time || moment.isFull {
      laterCount += 1
      if try !statements.keep(entry, time) { result.unchanged += 1 }
      return
    }
    moment.entries.append(entry)
  }

  // MARK: - What is lost

  /// Fields that Chromium cannot hold.
  enum Loss: Int, CaseIterable {
    case age, answer, method, destination, referrer, visitCount, download, redirect, transition, origin, listing

    var fieldLoss: FieldLoss {
      switch self {
      case .age: FieldLoss("visited_at", "Chromium deletes visits older than 90 days in the hours after its start")
      case .answer: FieldLoss("loaded", "the server's answer is not known exactly")
      case .method: FieldLoss("http_get", "Chromium does not note it")
      case .destination: FieldLoss("redirect_destination", "Chromium notes only the other end of a redirect")
      case .referrer: FieldLoss("referrer", "Chromium notes one link of a visit")
      case .visitCount: FieldLoss("visit_count", "Chromium counts it for the page, and notes one visit")
      case .download: FieldLoss("transition", "Chromium notes no visits for downloads; they became links")
      case .redirect: FieldLoss("transition", "Chromium does not tell lasting redirects from temporary ones")
      case .transition: FieldLoss("transition", "Chromium has no word for it; it became a link")
      case .origin: FieldLoss("referrer", "the visit it came from is not there")
      case .listing: FieldLoss("hidden", "Chromium lists no page that redirects")
      }
    }
  }

  func lose(_ loss: Loss) { lossCounts[loss.rawValue] += 1 }

  /// What was lost of all visits.
  var losses: [FieldLoss: Int] {
    var losses: [FieldLoss: Int] = [:]
    for loss in Loss.allCases where lossCounts[loss.rawValue] > 0 { losses[loss.fieldLoss] = lossCounts[loss.rawValue] }
    return losses
  }

  private func count(_ visit: VisitBatch.Visit, _ attributes: VisitBatch.Attributes?, isOld: Bool) {
    if isOld { lose(.age) }
    switch HistoryVisit.Transition(rawValue: visit.transition) {
    case .redirectPermanent, .redirectTemporary: lose(.redirect)
    case .download: lose(.download)
    case .other, nil: lose(.transition)
    case .link, .typed, .bookmark, .embed, .framedLink, .generated, .startPage, .formSubmit, .reload, .keyword: break
    }
    if visit.flags.contains(.loadFailed), attributes?.answer == nil { lose(.answer) }
    if visit.flags.contains(.notGet) { lose(.method) }
    guard let attributes else { return }
    if attributes.destination != nil { lose(.destination) }
    if attributes.referrer != nil { lose(.referrer) }
    if attributes.visitCount > 1 { lose(.visitCount) }
  }

  private func skip(_ visit: VisitBatch.Visit, _ reason: String) {
    result.skipped += 1
    guard result.remarks.count < ApplyReport.maximumRemarks else { return }
    result.remarks.append(Remark(.skipped, type: .history, place: .id("\(visit.page)"), reason: reason))
  }
}
