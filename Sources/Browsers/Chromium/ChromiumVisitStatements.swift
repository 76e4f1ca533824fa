internal import BrowsingData
internal import SQLite

/// What `ChromiumVisitWriter` asks and tells SQLite. `OR FAIL`: a statement that could be undone alone would first write
/// every page that it touches to a journal of its own; whatever fails here undoes the whole transaction.
final class ChromiumVisitStatements {
  private let visits: Statement
  private let sources: Statement
  private let failures: Statement?
  private let held: Statement
  private let last: Statement
  private let bits: Statement
  private let change: Statement
  private let settle: Statement
  private let keep: Statement
  private let database: Database

  /// For an open History in which the rows that wait are registered.
  init(_ edited: EditedDatabase) throws {
    let database = edited.database
    self.database = database
    let optional = ["consider_for_ntp_most_visited", "segment_id", "incremented_omnibox_typed_score"]
      .filter { edited.has("visits", $0) }
    let values = optional.map { $0 == "consider_for_ntp_most_visited" ? ", 1" : ", 0" }.joined()
    visits = try database.prepare(
      """
      INSERT OR FAIL INTO main.visits(id, url, visit_time, from_visit, transition, visit_duration\(optional.map { ", " + $0 }.joined()))
      SELECT id, url, visit_time, from_visit, transition, 0\(values) FROM \(ChromiumVisitRows.name)
      """)
    sources = try database.prepare(
      """
      INSERT OR FAIL INTO main.visit_source(id, source) SELECT id, \(ChromiumVisitMark.source) FROM \(ChromiumVisitRows.name)
      """)
    // What did not load has an answer beside its visit, by which some lists leave it out.
    failures =
      edited.has("context_annotations", "response_code")
      ? try database.prepare(
        """
        INSERT OR IGNORE INTO main.context_annotations(visit_id, context_annotation_flags, duration_since_last_visit,
          page_end_reason, total_foreground_duration, response_code)
        SELECT id, 0, -1000000, 0, -1000000, answer FROM \(ChromiumVisitRows.name) WHERE answer <> 0
        """) : nil
    held = try database.prepare("SELECT id, url, transition & 255 FROM main.visits WHERE visit_time = ?1 ORDER BY id")
    // Few visits share a time, and many a page.
    last = try database.prepare(
      """
      SELECT id, transition & 255 FROM main.visits WHERE visit_time = ?2 AND +url = ?1 AND id <> ?3
      ORDER BY id > ?3, id DESC LIMIT 1
      """)
    bits = try database.prepare("SELECT transition & 0xFFFFFFFF FROM main.visits WHERE id = ?1")
    change = try database.prepare(
      "UPDATE OR FAIL main.visits SET transition = ?2, from_visit = coalesce(?3, from_visit) WHERE id = ?1")
    settle = try database.prepare(
      """
      WITH RECURSIVE chain(id, length) AS (VALUES (?1, 0)
        UNION ALL SELECT v.id, length + 1 FROM chain CROSS JOIN main.visits v ON v.from_visit = chain.id
        WHERE v.id >= ?3 AND v.transition & \(ChromiumTransition.serverRedirect) AND length < 64)
      UPDATE OR FAIL main.visits SET transition = transition & ~255 | ?2 WHERE id IN (SELECT id FROM chain)
      """)
    try database.execute(
      """
      CREATE TABLE temp.wherry_later(time INTEGER NOT NULL, page INTEGER NOT NULL, number INTEGER NOT NULL,
        occurrence INTEGER NOT NULL, core INTEGER NOT NULL, kind INTEGER NOT NULL, hidden INTEGER NOT NULL,
        answer INTEGER NOT NULL, link_page INTEGER, link_time INTEGER NOT NULL, count INTEGER NOT NULL,
        PRIMARY KEY (time, number, occurrence)) WITHOUT ROWID
      """)
    keep = try database.prepare(
      "INSERT OR IGNORE INTO temp.wherry_later VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)")
  }

  /// Writes the rows that wait.
  func insert(hasFailures: Bool) throws {
    try visits.run()
    try sources.run()
    if hasFailures { try failures?.run() }
  }

  /// Every visit of one time: row, page, core.
  func held(at time: Int64, _ body: (Int64, Int64, Int64) -> Void) throws {
    try held.bind(1, time &+ Timestamp.webKitOffset)
    while try held.step() { body(held.int64(0), held.int64(1), held.int64(2)) }
  }

  /// Of a page's visits at one time the last one before a row, else the last one.
  func last(of page: Int64, at time: Int64, except row: Int64) throws -> (row: Int64, core: Int64)? {
    try last.bind(1, page)
    try last.bind(2, time &+ Timestamp.webKitOffset)
    try last.bind(3, row)
    defer { last.reset() }
    return try last.step() ? (last.int64(0), last.int64(1)) : nil
  }

  /// Takes bits off a visit that was written; those that it had.
  func remove(_ removed: Int64, of row: Int64) throws -> Int64? {
    guard let before = try bits(of: row) else { return nil }
    if before & removed != 0 { try set(before & ~removed, from: nil, of: row) }
    return before
  }

  /// Notes where a visit that was written came from. A redirect that has the core of its chain gives it to those that
  /// follow, from the row `first` on.
  func link(_ link: ChromiumVisitWriter.OpenLink, to source: ChromiumMoment.Source, first: Int64) throws {
    guard var bits = try bits(of: link.row) else { return }
    switch link.kind {
    case .plain: break
    case .serverRedirect: bits = bits & ~ChromiumTransition.chainStart | ChromiumTransition.serverRedirect
    case .clientRedirect: bits = bits & ~ChromiumTransition.chainStart | ChromiumTransition.clientRedirect
    }
    try set(bits, from: source.row, of: link.row)
    guard !link.hasOwnCore else { return }
    try settle.bind(1, link.row)
    try settle.bind(2, source.core & 0xFF)
    try settle.bind(3, first)
    try settle.run()
  }

  private func bits(of row: Int64) throws -> Int64? {
    try bits.bind(1, row)
    defer { bits.reset() }
    return try bits.step() ? bits.int64(0) : nil
  }

  private func set(_ bits: Int64, from source: Int64?, of row: Int64) throws {
    try change.bind(1, row)
    try change.bind(2, ChromiumTransition.signed(bits))
    try change.bind(3, source)
    try change.run()
  }

  // MARK: - Visits that came after newer ones

  /// Keeps one for the end; false when it came before.
  func keep(_ entry: ChromiumMoment.Entry, _ time: Int64) throws -> Bool {
    let values: [Int64?] = [
      time, Int64(entry.page), entry.number, entry.occurrence, entry.core, Int64(entry.kind.rawValue),
      entry.isHidden ? 1 : 0, entry.answer, entry.linkPage.map { Int64($0) }, entry.linkTime, entry.count,
    ]
    for (index, value) in values.enumerated() { try keep.bind(Int32(index + 1), value) }
    try keep.run()
    return database.changes > 0
  }

  /// Those that were kept, in the order of time.
  func later(_ body: (ChromiumMoment.Entry, Int64) throws -> Void) throws {
    let read = try database.prepare(
      """
      SELECT time, page, number, occurrence, core, kind, hidden, answer, link_page, link_time, count
      FROM temp.wherry_later ORDER BY time, number, occurrence
      """)
    while try read.step() {
      var entry = ChromiumMoment.Entry(
        page: Int(read.int64(1)), number: read.int64(2), occurrence: read.int64(3), core: read.int64(4),
        kind: ChromiumMoment.Kind(rawValue: UInt8(truncatingIfNeeded: read.int64(5))) ?? .plain,
        isHidden: read.int64(6) != 0, answer: read.int64(7))
      entry.linkPage = read.optionalInt64(8).map { Int($0) }
      entry.linkTime = read.int64(9)
      entry.count = read.int64(10)
      try body(entry, read.int64(0))
    }
  }

  /// Forgets what was kept.
  func close(_ database: Database) throws { try database.execute("DROP TABLE temp.wherry_later") }
}
