internal import BrowsingData
internal import Merge
internal import SQLite

/// What a session does with a peer's history: pages, visits and the rules by which visits are forgotten.
final class SyncHistory {
  private unowned let run: SyncRun
  private var store: RecordStore { run.store }
  private var pages: [Int64: Page] = [:]
  private var profiles: [String: HistoryWriter.Profile] = [:]
  private var rules: ForgetRules?

  /// What a peer's page is here.
  private enum Page {
    case here(id: Int64, url: String, hash: RowHash)
    /// The peer's page could not be read: its visits are skipped.
    case unreadable
  }

  /// So many pages are remembered before the memory is emptied.
  private static let memory = 50_000

  init(_ run: SyncRun) { self.run = run }

  /// Forgets what was read: the store may hold something else now.
  func forget() {
    pages = [:]
    profiles = [:]
    rules = nil
  }

  // MARK: - Rules

  /// Adds rules and removes what matches them; gives how many were skipped.
  func take(_ batch: [LoggedForgetRule], entry: Int64) throws -> Int {
    var skipped = 0
    var fresh: [ForgetRule] = []
    for logged in batch {
      guard let rule = logged.rule.normal else {
        skipped += 1
        run.report.add(Remark(.skipped, type: .history, reason: "a rule that forgets visits is none"))
        continue
      }
      if try store.insert(rule, from: run.theirNumber) { fresh.append(rule) }
    }
    let removed = try store.removeForgotten(fresh)
    run.report[.history].found += removed
    run.report[.history].removed += removed
    run.guards[.history]?.deleted += removed
    run.guards[.history]?.affected += removed
    forget()
    return skipped
  }

  // MARK: - Pages

  /// Adds pages and notes their numbers, also of those that could not be read: they have remarks.
  func take(_ batch: PageBatch, unreadable: [Int64], entry: Int64) throws {
    let writer = SyncPageWriter(store, entry: entry, peer: run.theirNumber, sent: run.told[.pages] ?? 0)
    let limit = Int32(clamping: batch.text.count)
    for page in batch.pages {
      let title = page.title ?? 0..<0
      guard page.number > 0, page.url.lowerBound >= 0, page.url.upperBound <= limit, title.lowerBound >= 0,
        title.upperBound <= limit
      else { throw StoreError.malformed(.pages) }
      let id = try writer.write(page, of: batch)
      try store.savePage(page.number, as: id, peer: run.peer.number)
      pages[page.number] = nil
    }
    for number in unreadable {
      try store.savePage(number, as: 0, peer: run.peer.number)
      pages[number] = .unreadable
    }
  }

  private func page(_ number: Int64) throws -> Page {
    if let known = pages[number] { return known }
    let read = try store.statement(
      number < 0
        ? "SELECT id, url FROM url WHERE id = -?2 AND ?1 = ?1"
        : "SELECT s.page, u.url FROM sync_page AS s LEFT JOIN url AS u ON u.id = s.page WHERE s.peer = ?1 AND s.number = ?2"
    )
    try read.bind(1, run.peer.number)
    try read.bind(2, number)
    defer { read.reset() }
    guard try read.step() else { throw SyncRun.UnknownPage() }
    var page = Page.unreadable
    if read.int64(0) != 0 {
      guard let url = read.text(1) else { throw SyncRun.UnknownPage() }
      page = .here(id: read.int64(0), url: url, hash: Array(url.utf8).withUnsafeBytes { RowHash.page($0) })
    }
    if pages.count > SyncHistory.memory { pages = [:] }
    pages[number] = page
    return page
  }

  // MARK: - Visits

  /// Adds visits, or merges them with those that are there; gives how many were skipped.
  func take(_ batch: VisitBatch, entry: Int64) throws -> Int {
    let writer = try SyncVisitWriter(store, entry: entry, peer: run.theirNumber)
    let rules = try currentRules()
    let profiles = try batch.profiles.map { try profile($0) }
    var skipped = 0
    for visit in batch.visits {
      guard profiles.indices.contains(Int(visit.profile)), visit.attributes >= -1,
        visit.attributes < batch.attributes.count, visit.page != 0
      else { throw StoreError.malformed(.visits) }
      run.report[.history].found += 1
      guard case .here(let id, let url, let hash) = try page(visit.page) else {
        skipped += 1
        skip("its page could not be read")
        continue
      }
      guard Timestamp(microseconds: visit.time).isPlausible, visit.occurrence >= 0 else {
        skipped += 1
        skip("its time is outside of 1970 to 2200, or its occurrence is negative")
        continue
      }
      if rules.matches(url: url, time: visit.time) {
        run.report[.history].unchanged += 1
        continue
      }
      var came = IncomingVisit(
        page: id, hash: hash, profile: profiles[Int(visit.profile)], visit: visit,
        attributes: visit.attributes >= 0 ? batch.attributes[Int(visit.attributes)] : VisitBatch.Attributes())
      came.link = try link(of: visit, rules)
      switch try writer.write(came) {
      case .added: run.report[.history].added += 1
      case .changed: run.report[.history].changed += 1
      case .unchanged: run.report[.history].unchanged += 1
      }
    }
    try writer.finish()
    return skipped
  }

  /// The link that has columns of its own; nil when its page could not be read or its visit is forgotten.
  private func link(of visit: VisitBatch.Visit, _ rules: ForgetRules) throws -> HistoryVisit.Link? {
    guard visit.linkPage != 0, case .here(_, let url, _) = try page(visit.linkPage) else { return nil }
    let (time, overflow) = visit.time.subtractingReportingOverflow(visit.linkDelta)
    guard !overflow, Timestamp(microseconds: time).isPlausible, !rules.matches(url: url, time: time) else { return nil }
    return HistoryVisit.Link(url: url, visitedAt: Timestamp(microseconds: time))
  }

  private func skip(_ reason: String) {
    // A remark counts by itself.
    run.report[.history].found -= 1
    run.report.add(Remark(.skipped, type: .history, reason: reason))
  }

  private func currentRules() throws -> ForgetRules {
    if let rules { return rules }
    let read = ForgetRules(try store.storedRules())
    rules = read
    return read
  }

  private func profile(_ label: String) throws -> HistoryWriter.Profile {
    if let known = profiles[label] { return known }
    let profile = HistoryWriter.Profile(number: try store.profileNumber(label), hash: VisitHasher.profile(label))
    profiles[label] = profile
    return profile
  }
}
