internal import BrowsingData
internal import SQLite

/// By which an editor finds the visits that an earlier one put in: their numbers, which Chromium never gives out again,
/// and the times of the oldest and the newest, since a History that was made anew begins with 1.
struct ChromiumVisitMark {
  /// What `visit_source` says of visits that were imported.
  static let source = 3

  private var first: Int64
  private var last: Int64
  private var times: (first: Int64, last: Int64)

  /// Of visits that were just written: their rows, and the oldest and the newest time.
  init(rows: ClosedRange<Int64>, times: ClosedRange<Int64>) {
    (first, last) = (rows.lowerBound, rows.upperBound)
    self.times = (times.lowerBound &+ Timestamp.webKitOffset, times.upperBound &+ Timestamp.webKitOffset)
  }

  /// From its text; nil when it is none.
  init?(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 4 else { return nil }
    (first, last, times) = (numbers[0], numbers[1], (numbers[2], numbers[3]))
  }

  /// To be kept with the delivery.
  var text: String { "\(first) \(last) \(times.first) \(times.last)" }

  /// A condition on rows of `visits`.
  var condition: String {
    """
    id BETWEEN \(first) AND \(last) AND visit_time BETWEEN \(times.first) AND \(times.last)
    AND id IN (SELECT s.id FROM main.visit_source s WHERE s.source = \(ChromiumVisitMark.source))
    """
  }
}

/// Takes visits out of a Chromium History, and pages that nothing holds any more.
struct ChromiumVisitRemoval {
  private let edited: EditedDatabase

  /// Out of an open History.
  init(_ edited: EditedDatabase) { self.edited = edited }

  /// Removes what an earlier editor put in; how many visits went.
  func remove(_ mark: ChromiumVisitMark) throws -> Int {
    try edited.run { database in
      try begin(database)
      try database.execute("INSERT INTO temp.leaving SELECT id FROM main.visits WHERE \(mark.condition)")
      return try finish(database)
    }
  }

  /// Removes visits of scopes; how many went.
  func remove(_ removals: [VisitRemoval]) throws -> Int {
    try edited.run { database in
      try begin(database)
      for removal in removals { try gather(removal, database) }
      return try finish(database)
    }
  }

  private func begin(_ database: Database) throws {
    try database.execute("CREATE TABLE temp.leaving(id INTEGER PRIMARY KEY)")
  }

  private func gather(_ removal: VisitRemoval, _ database: Database) throws {
    let range = "visit_time >= ?1 AND visit_time < ?2"
    let statement: Statement
    switch removal.scope {
    case .all:
      statement = try database.prepare("INSERT OR IGNORE INTO temp.leaving SELECT id FROM main.visits WHERE \(range)")
    case .url(let url):
      statement = try database.prepare(
        """
        INSERT OR IGNORE INTO temp.leaving SELECT id FROM main.visits
        WHERE \(range) AND url IN (SELECT id FROM main.urls WHERE url IN (?3, ?4))
        """)
      try statement.bind(3, url)
      try statement.bind(4, PageAddress.normalized(url))
    case .host(let host):
      try gatherPages(of: host, database)
      statement = try database.prepare(
        """
        INSERT OR IGNORE INTO temp.leaving SELECT id FROM main.visits
        WHERE \(range) AND url IN (SELECT id FROM temp.leaving_page)
        """)
    }
    try statement.bind(1, removal.from.webKit)
    try statement.bind(2, removal.until.webKit)
    try statement.run()
    if case .host = removal.scope { try database.execute("DROP TABLE temp.leaving_page") }
  }

  private func gatherPages(of host: String, _ database: Database) throws {
    try database.execute("CREATE TABLE temp.leaving_page(id INTEGER PRIMARY KEY)")
    let insert = try database.prepare("INSERT OR IGNORE INTO temp.leaving_page VALUES (?1)")
    let pages = try database.prepare("SELECT id, url FROM main.urls WHERE instr(url, ?1) > 0")
    try pages.bind(1, host)
    while try pages.step() {
      guard let url = pages.text(1), ChromiumVisitRemoval.host(of: url) == host else { continue }
      try insert.bind(1, pages.int64(0))
      try insert.run()
    }
  }

  /// The host of an address, without port.
  private static func host(of url: String) -> String? {
    let origin = Origin.of(url)
    guard let colon = origin.firstIndex(of: ":"), origin[colon...].hasPrefix("://") else { return nil }
    let authority = origin[colon...].dropFirst(3)
    if authority.hasPrefix("[") { return authority.firstIndex(of: "]").map { String(authority[...$0]) } }
    return String(authority.prefix { $0 != ":" })
  }

  private func finish(_ database: Database) throws -> Int {
    let count = Int(try database.int64("SELECT count(*) FROM temp.leaving") ?? 0)
    if count > 0 {
      try edited.prepare()
      edited.hasChanged = true
      try database.execute(ChromiumVisitRemoval.recount)
      for (table, column) in [
        ("visit_source", "id"), ("content_annotations", "visit_id"), ("context_annotations", "visit_id"),
        ("clusters_and_visits", "visit_id"), ("cluster_visit_duplicates", "visit_id"),
        ("cluster_visit_duplicates", "duplicate_visit_id"),
      ] where edited.has(table, column) {
        try database.execute("DELETE FROM main.\(table) WHERE \(column) IN (SELECT id FROM temp.leaving)")
      }
      for (table, column) in [
        ("keyword_search_terms", "url_id"), ("segments", "url_id"), ("visited_links", "link_url_id"),
      ]
      where edited.has(table, column) {
        try database.execute("DELETE FROM main.\(table) WHERE \(column) IN (SELECT id FROM temp.empty_page)")
      }
      try database.execute("DELETE FROM main.urls WHERE id IN (SELECT id FROM temp.empty_page)")
      try database.execute("DROP TABLE temp.empty_page")
    }
    try database.execute("DROP TABLE temp.leaving")
    return count
  }

  /// Takes the visits away, sets right what the pages and later visits say of them, and gathers the pages without any.
  private static let recount = """
    CREATE TABLE temp.recount AS
      SELECT url AS id, sum(transition & 255 <> 8) AS visits,
        sum(transition & 255 = 1 AND transition & 0xC0000000 = 0) AS typed
      FROM main.visits WHERE id IN (SELECT id FROM temp.leaving) GROUP BY url;
    UPDATE main.visits SET from_visit = 0 WHERE from_visit IN (SELECT id FROM temp.leaving)
      AND id NOT IN (SELECT id FROM temp.leaving);
    DELETE FROM main.visits WHERE id IN (SELECT id FROM temp.leaving);
    UPDATE main.urls SET visit_count = max(0, visit_count - recount.visits),
      typed_count = max(0, typed_count - recount.typed),
      last_visit_time = coalesce((SELECT max(visit_time) FROM main.visits v WHERE v.url = urls.id), last_visit_time)
    FROM temp.recount WHERE urls.id = recount.id;
    CREATE TABLE temp.empty_page AS SELECT id FROM temp.recount
      WHERE NOT EXISTS (SELECT 1 FROM main.visits v WHERE v.url = recount.id);
    DROP TABLE temp.recount;
    """
}
