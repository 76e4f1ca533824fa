internal import BrowsingData
internal import Merge
internal import SQLite

/// What a session does with a peer's history: pages, visits and the rules by which visits are forgotten.
final class SyncHistory {
  private unowned let run: SyncRun
  private var store: RecordStore { run.store }
  /// What the peer's page numbers are here; page 0: it could not be read.
  private var map = PageMap()
  private var mapped = 0
  private var profiles: [String: HistoryWriter.Profile] = [:]
  private var rules: PageRules?
  private var writer: (visits: VisitWriter, entry: Int64)?
  /// What SQLite calls the state of the file that other connections have left.
  private var version: Int64 = 0

  /// So many pages are remembered before the memory is emptied.
  private static let memory = 500_000

  init(_ run: SyncRun) { self.run = run }

  /// Forgets what was read: the store may hold something else now.
  func forget() {
    map = PageMap()
    mapped = 0
    profiles = [:]
    rules = nil
    writer = nil
  }

  /// The same, when another connection has written: it may have deleted pages.
  private func forgetIfWrittenElsewhere() throws {
    let read = try store.statement("PRAGMA data_version")
    defer { read.reset() }
    guard try read.step(), read.int64(0) != version else { return }
    version = read.int64(0)
    forget()
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
    try forgetIfWrittenElsewhere()
    let limit = Int32(clamping: batch.text.count)
    for page in batch.pages {
      let title = page.title ?? 0..<0
      guard page.number > 0, page.url.lowerBound >= 0, page.url.upperBound <= limit, title.lowerBound >= 0,
        title.upperBound <= limit
      else { throw StoreError.malformed(.pages) }
    }
    let writer = try SyncPageWriter(store, entry: entry, peer: run.theirNumber, sent: run.told[.pages] ?? 0)
    remember(try writer.write(batch, unreadable: unreadable, owner: run.peer.number))
  }

  private func remember(_ pages: [(number: Int64, target: PageMap.Target)]) {
    mapped += pages.count
    if mapped > SyncHistory.memory {
      map = PageMap()
      mapped = pages.count
    }
    map.add(pages)
  }

  /// What a peer's page is here; its own number negated is one of ours.
  private func page(_ number: Int64) throws -> PageMap.Target {
    if let known = map.target(of: number) { return known }
    let read = try store.statement(
      number < 0
        ? "SELECT id, url FROM url WHERE id = -?2 AND ?1 = ?1"
        : "SELECT s.page, u.url FROM sync_page AS s LEFT JOIN url AS u ON u.id = s.page WHERE s.peer = ?1 AND s.number = ?2"
    )
    try read.bind(1, run.peer.number)
    try read.bind(2, number)
    defer { read.reset() }
    guard try read.step() else { throw SyncRun.UnknownPage() }
    var target = PageMap.Target(page: 0, hash: RowHash(high: 0, low: 0))
    if read.int64(0) != 0 {
      guard let hash = read.withText(1, { $0.map { RowHash.page($0) } }) else { throw SyncRun.UnknownPage() }
      target = PageMap.Target(page: read.int64(0), hash: hash)
    }
    remember([(number, target)])
    return target
  }

  // MARK: - Visits

  /// Adds visits, or merges them with those that are there; gives how many were skipped.
  func take(_ batch: VisitBatch, entry: Int64) throws -> Int {
    try forgetIfWrittenElsewhere()
    let rules = try currentRules()
    let profiles = try batch.profiles.map { try profile($0) }
    let attributes = EncodedAttributes(batch.attributes)
    var rows: [VisitRow] = []
    rows.reserveCapacity(batch.visits.count)
    var skipped = 0
    for visit in batch.visits {
      guard profiles.indices.contains(Int(visit.profile)), visit.attributes >= -1,
        visit.attributes < batch.attributes.count, visit.page != 0
      else { throw StoreError.malformed(.visits) }
      let target = try page(visit.page)
      guard target.page != 0 else {
        skipped += 1
        run.report.add(Remark(.skipped, type: .history, reason: "its page could not be read"))
        continue
      }
      guard Timestamp(microseconds: visit.time).isPlausible, visit.occurrence >= 0 else {
        skipped += 1
        run.report.add(
          Remark(
            .skipped, type: .history, reason: "its time is outside of 1970 to 2200, or its occurrence is negative"))
        continue
      }
      run.report[.history].found += 1
      if try rules.matches(target.page, visit.time) {
        run.report[.history].unchanged += 1
        continue
      }
      rows.append(
        VisitRow(
          visit, on: target, from: try link(of: visit, rules), in: profiles[Int(visit.profile)],
          attributes.range(Int(visit.attributes))))
    }
    try write(&rows, attributes.bytes, entry)
    return skipped
  }

  private func write(_ rows: inout [VisitRow], _ attributes: [UInt8], _ entry: Int64) throws {
    VisitRow.sort(&rows)
    let visits =
      if let writer, writer.entry == entry { writer.visits } else {
        try VisitWriter(store, entry: entry, from: run.theirNumber)
      }
    writer = (visits, entry)
    let outcome = try visits.write(&rows, attributes, retitled: [])
    run.report[.history].added += outcome.added
    run.report[.history].changed += outcome.changed
    run.report[.history].unchanged += outcome.unchanged
    run.guards[.history]?.added += outcome.added
  }

  /// The page that a visit came from; nil where it could not be read or its visit is forgotten.
  private func link(of visit: VisitBatch.Visit, _ rules: PageRules) throws -> Int64? {
    guard visit.linkPage != 0 else { return nil }
    let link = try page(visit.linkPage)
    guard link.page != 0, try !rules.matches(link.page, visit.time &- visit.linkDelta) else { return nil }
    return link.page
  }

  private func currentRules() throws -> PageRules {
    if let rules { return rules }
    let read = try PageRules(store.currentRules(), in: store)
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
