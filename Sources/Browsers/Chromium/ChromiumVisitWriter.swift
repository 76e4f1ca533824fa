internal import BrowsingData
internal import SQLite

/// Puts visits into a Chromium History. They are gathered in tables of the connection's own, which no file of the
/// profile holds, and written at the end in the order of time: only then is known which of them are there already, and
/// which lead on to another one.
final class ChromiumVisitWriter {
  /// Older visits the browser deletes soon after its start.
  static let keptDays: Int64 = 90

  let edited: EditedDatabase
  private let page: Statement
  private let visit: Statement
  var result = HistoryResult()
  /// Pages without an address that Chromium takes.
  private var refused: Set<Int64> = []

  /// Into an open History.
  init(_ edited: EditedDatabase) throws {
    self.edited = edited
    let database = edited.database
    try edited.run { try $0.execute(ChromiumVisitWriter.caches + ChromiumVisitWriter.gathering) }
    page = try edited.run { _ in
      try database.prepare("INSERT OR REPLACE INTO temp.incoming_page(number, url, title) VALUES (?1, ?2, ?3)")
    }
    visit = try edited.run { _ in
      try database.prepare(
        """
        INSERT OR IGNORE INTO temp.incoming(time, page, occurrence, core, kind, hidden, link_page, link_time, count, failed)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        """)
    }
  }

  /// What is gathered has a cache of its own, which is small unless it is asked for; both are as large as a million
  /// visits need.
  private static let caches = "PRAGMA temp.cache_size = -131072; PRAGMA main.cache_size = -262144;"

  /// `core` is NULL for a redirect until that of its chain is known. `kind` 0 is no redirect, 1 one of the server, 2 one
  /// of the page. `row` is the visit's place in `visits`; `is_new` tells whether it was not there.
  private static let gathering = """
    CREATE TABLE temp.incoming_page(
      number INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL, row INTEGER, is_new INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE temp.incoming(
      time INTEGER NOT NULL, page INTEGER NOT NULL, occurrence INTEGER NOT NULL, core INTEGER, kind INTEGER NOT NULL,
      hidden INTEGER NOT NULL, link_page INTEGER, link_time INTEGER, count INTEGER NOT NULL, failed INTEGER NOT NULL, url INTEGER,
      rank INTEGER NOT NULL DEFAULT 0, row INTEGER, source INTEGER, is_new INTEGER NOT NULL DEFAULT 0,
      PRIMARY KEY (time, page, occurrence)) WITHOUT ROWID;
    """

  /// Takes pages.
  func insert(_ pages: PageBatch) throws {
    for entry in pages.pages {
      guard let url = PageAddress.normalized(pages.string(entry.url)) else {
        refused.insert(entry.number)
        continue
      }
      refused.remove(entry.number)
      try edited.run { _ in
        try page.bind(1, entry.number)
        try page.bind(2, url)
        try page.bind(3, entry.title.map { pages.string($0) } ?? "")
        try page.run()
      }
    }
  }

  /// Takes visits whose pages have come.
  func insert(_ batch: VisitBatch, now: Timestamp) throws {
    let oldest = now.microseconds - ChromiumVisitWriter.keptDays * 86_400_000_000
    try edited.run { database in
      for visit in batch.visits {
        guard !refused.contains(visit.page) else {
          skip(visit, "Chromium does not take its address")
          continue
        }
        try insert(visit, batch)
        if database.changes == 0 { result.unchanged += 1 }
        if visit.time < oldest {
          lose(FieldLoss("visited_at", "Chromium deletes visits older than 90 days in the hours after its start"))
        }
      }
    }
  }

  private func insert(_ entry: VisitBatch.Visit, _ batch: VisitBatch) throws {
    let transition = HistoryVisit.Transition(rawValue: entry.transition)
    let isRedirect =
      transition == .redirectPermanent || transition == .redirectTemporary || entry.flags.contains(.linkIsRedirect)
    let core = ChromiumTransition.core(transition, isHidden: entry.flags.contains(.hidden))
    // A server's redirect has the kind of its chain; one that Chromium noted has the time of its source, too.
    let isServers = isRedirect && (core == nil || entry.linkDelta == 0)
    let hasLink = entry.linkPage != 0
    try visit.bind(1, entry.time)
    try visit.bind(2, entry.page)
    try visit.bind(3, Int64(entry.occurrence))
    try visit.bind(4, core)
    try visit.bind(5, isServers ? 1 : isRedirect ? 2 : 0)
    try visit.bind(6, entry.flags.contains(.hidden) ? 1 : 0)
    try visit.bind(7, hasLink ? entry.linkPage : nil)
    try visit.bind(8, hasLink ? entry.time &- entry.linkDelta : nil)
    let index = Int(entry.attributes)
    let attributes = batch.attributes.indices.contains(index) ? batch.attributes[index] : nil
    try visit.bind(9, max(1, attributes?.visitCount ?? 1))
    try visit.bind(10, entry.flags.contains(.loadFailed) ? 1 : 0)
    try visit.run()
    count(losses: entry, transition, attributes)
  }

  private func count(
    losses entry: VisitBatch.Visit, _ transition: HistoryVisit.Transition?, _ attributes: VisitBatch.Attributes?
  ) {
    if let loss = ChromiumTransition.loss(transition) { lose(loss) }
    if entry.flags.contains(.loadFailed) { lose(FieldLoss("loaded", "the server's answer is not known exactly")) }
    if entry.flags.contains(.notGet) { lose(FieldLoss("http_get", "Chromium does not note it")) }
    guard let attributes else { return }
    if attributes.destination != nil {
      lose(FieldLoss("redirect_destination", "Chromium notes only the other end of a redirect"))
    }
    if attributes.referrer != nil { lose(FieldLoss("referrer", "Chromium notes one link of a visit")) }
    if attributes.visitCount > 1 {
      lose(FieldLoss("visit_count", "Chromium counts it for the page, and notes one visit"))
    }
  }

  func lose(_ loss: FieldLoss, count: Int = 1) {
    if count > 0 { result.losses[loss, default: 0] += count }
  }

  private func skip(_ visit: VisitBatch.Visit, _ reason: String) {
    result.skipped += 1
    guard result.remarks.count < ApplyReport.maximumRemarks else { return }
    result.remarks.append(Remark(.skipped, type: .history, place: .id("\(visit.page)"), reason: reason))
  }
}
