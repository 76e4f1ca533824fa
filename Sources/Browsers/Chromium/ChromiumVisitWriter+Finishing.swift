internal import BrowsingData
internal import SQLite

/// From what was gathered to rows: all of it set by set, in the order of time.
extension ChromiumVisitWriter {
  /// Writes everything; what became of it.
  func finish() throws -> HistoryResult {
    try edited.run { database in
      try skipVisitsWithoutPage(database)
      try findPages(database)
      try findVisits(database)
      let first = try numberNewVisits(database)
      if result.added > 0 {
        try edited.prepare()
        try insertPages(database)
        try link(database)
        try settleCores(database)
        try insertVisits(database)
        try noteFailures(database)
        try countVisits(database)
        let last = first + Int64(result.added) - 1
        result.mark = try ChromiumVisitMark(first: first, last: last, database).text
        edited.hasChanged = true
      }
      try database.execute("DROP TABLE temp.incoming; DROP TABLE temp.incoming_page; DROP TABLE temp.held")
    }
    return result
  }

  private func skipVisitsWithoutPage(_ database: Database) throws {
    try database.execute(
      "DELETE FROM temp.incoming WHERE page NOT IN (SELECT number FROM temp.incoming_page)")
    let count = Int(database.changes)
    guard count > 0 else { return }
    result.skipped += count
    for _ in 0..<min(count, ApplyReport.maximumRemarks - result.remarks.count) {
      result.remarks.append(Remark(.skipped, type: .history, reason: "its page is missing"))
    }
  }

  /// Pages that are there. Several of one address may come, and Chromium has no rule against several rows of one.
  private func findPages(_ database: Database) throws {
    try database.execute(
      """
      UPDATE temp.incoming_page SET row = (SELECT min(u.id) FROM main.urls u WHERE u.url = incoming_page.url);
      """)
    let next = try ChromiumVisitWriter.nextRow(of: "urls", database)
    // New ones are numbered in the order of their addresses, which their index takes cheaply.
    try database.execute(
      """
      UPDATE temp.incoming_page SET row = \(next) + fresh.place - 1, is_new = fresh.is_first
      FROM (SELECT number, dense_rank() OVER (ORDER BY url) AS place,
          row_number() OVER (PARTITION BY url ORDER BY number) = 1 AS is_first
        FROM temp.incoming_page
        WHERE row IS NULL AND number IN (SELECT page FROM temp.incoming)) AS fresh
      WHERE incoming_page.number = fresh.number;
      UPDATE temp.incoming SET url = (SELECT row FROM temp.incoming_page WHERE number = incoming.page);
      """)
  }

  /// Visits that are there: the n-th of a page and time is the n-th of those in the file.
  private func findVisits(_ database: Database) throws {
    try database.execute(
      """
      UPDATE temp.incoming SET rank = numbered.rank
      FROM (SELECT time, page, occurrence, row_number() OVER (PARTITION BY time, url ORDER BY occurrence, page) - 1 AS rank
        FROM temp.incoming
        WHERE time IN (SELECT time FROM temp.incoming GROUP BY time HAVING count(*) > 1)) AS numbered
      WHERE incoming.time = numbered.time AND incoming.page = numbered.page
        AND incoming.occurrence = numbered.occurrence;
      CREATE TABLE temp.held(
        time INTEGER NOT NULL, url INTEGER NOT NULL, rank INTEGER NOT NULL, row INTEGER NOT NULL,
        PRIMARY KEY (time, url, rank)) WITHOUT ROWID;
      INSERT INTO temp.held
      SELECT visit_time - \(Timestamp.webKitOffset), url,
        row_number() OVER (PARTITION BY visit_time, url ORDER BY id) - 1, id
      FROM main.visits
      WHERE url IN (SELECT row FROM temp.incoming_page WHERE NOT is_new AND row IS NOT NULL);
      UPDATE temp.incoming SET row = held.row FROM temp.held
      WHERE held.time = incoming.time AND held.url = incoming.url AND held.rank = incoming.rank;
      """)
    result.unchanged += Int(try database.int64("SELECT count(*) FROM temp.incoming WHERE row IS NOT NULL") ?? 0)
  }

  /// Gives new visits their numbers; the first of these.
  private func numberNewVisits(_ database: Database) throws -> Int64 {
    let first = try ChromiumVisitWriter.nextRow(of: "visits", database)
    try database.execute(
      """
      UPDATE temp.incoming SET row = \(first) + fresh.place - 1, is_new = 1
      FROM (SELECT time, page, occurrence, row_number() OVER (ORDER BY time, rank, kind <> 0, page) AS place
        FROM temp.incoming WHERE row IS NULL) AS fresh
      WHERE incoming.time = fresh.time AND incoming.page = fresh.page AND incoming.occurrence = fresh.occurrence;
      """)
    result.added = Int(try database.int64("SELECT count(*) FROM temp.incoming WHERE is_new") ?? 0)
    return first
  }

  /// The number after the highest that a table ever gave out.
  private static func nextRow(of table: String, _ database: Database) throws -> Int64 {
    let given = try database.int64("SELECT seq FROM main.sqlite_sequence WHERE name = '\(table)'") ?? 0
    let highest = try database.int64("SELECT max(id) FROM main.\(table)") ?? 0
    return max(given, highest) &+ 1
  }

  private func insertPages(_ database: Database) throws {
    // A page that only visits without news brought is none.
    try database.execute(
      """
      INSERT INTO main.urls(id, url, title, visit_count, typed_count, last_visit_time, hidden)
      SELECT row, url, title, 0, 0, 0, 1 FROM temp.incoming_page WHERE is_new ORDER BY row;
      UPDATE main.urls SET title = (SELECT title FROM temp.incoming_page p WHERE p.row = urls.id AND p.title <> '')
      WHERE title = '' AND id IN (SELECT row FROM temp.incoming_page WHERE title <> '' AND NOT is_new
        AND number IN (SELECT page FROM temp.incoming WHERE is_new));
      """)
  }

  /// The visit that each new one came from: first its page, then of several of that page and time the last one before.
  private func link(_ database: Database) throws {
    try database.execute(
      """
      CREATE INDEX temp.incoming_place ON incoming(url, time);
      UPDATE temp.incoming AS i SET source = (SELECT row FROM temp.incoming_page WHERE number = i.link_page)
      WHERE is_new AND link_page IS NOT NULL;
      UPDATE temp.incoming AS i SET source = coalesce(
        (SELECT max(s.row) FROM temp.incoming s WHERE s.url = i.source AND s.time = i.link_time AND s.row < i.row),
        (SELECT max(s.row) FROM temp.incoming s WHERE s.url = i.source AND s.time = i.link_time AND s.row > i.row),
        (SELECT max(h.row) FROM temp.held h WHERE h.time = i.link_time AND h.url = i.source))
      WHERE is_new AND link_page IS NOT NULL;
      """)
    let lost = try database.int64(
      "SELECT count(*) FROM temp.incoming WHERE is_new AND link_page IS NOT NULL AND source IS NULL")
    lose(FieldLoss("referrer", "the visit it came from is not there"), count: Int(lost ?? 0))
    try database.execute(
      """
      CREATE TABLE temp.led_on(row INTEGER PRIMARY KEY, kind INTEGER NOT NULL);
      INSERT OR IGNORE INTO temp.led_on SELECT source, kind FROM temp.incoming
      WHERE is_new AND kind <> 0 AND source IS NOT NULL ORDER BY kind;
      """)
  }

  /// A redirect has the core of the visit that its chain began with.
  private func settleCores(_ database: Database) throws {
    try database.execute(
      """
      CREATE TABLE temp.core(row INTEGER PRIMARY KEY, core INTEGER NOT NULL);
      CREATE INDEX temp.incoming_coreless ON incoming(row) WHERE core IS NULL;
      CREATE INDEX temp.incoming_row ON incoming(row);
      INSERT OR IGNORE INTO temp.core SELECT i.row, i.core FROM temp.led_on l CROSS JOIN temp.incoming i ON i.row = l.row
        WHERE i.core IS NOT NULL;
      INSERT OR IGNORE INTO temp.core SELECT id, transition & 255 FROM main.visits
        WHERE id IN (SELECT row FROM temp.led_on);
      """)
    // Longer chains than any browser follows end here.
    for _ in 0..<64 {
      try database.execute(
        """
        UPDATE temp.incoming SET core = (SELECT core FROM temp.core WHERE core.row = incoming.source)
        WHERE core IS NULL AND source IN (SELECT row FROM temp.core);
        INSERT OR IGNORE INTO temp.core SELECT i.row, i.core FROM temp.led_on l CROSS JOIN temp.incoming i ON i.row = l.row
        WHERE i.core IS NOT NULL;
        """)
      if database.changes == 0 { break }
    }
    try database.execute("UPDATE temp.incoming SET core = 0 WHERE core IS NULL")
  }

  private func insertVisits(_ database: Database) throws {
    let optional = ["consider_for_ntp_most_visited", "segment_id", "incremented_omnibox_typed_score"]
      .filter { edited.has("visits", $0) }
    let values = optional.map { $0 == "consider_for_ntp_most_visited" ? "1" : "0" }
    let signed = "(CASE WHEN bits >= 0x80000000 THEN bits - 0x100000000 ELSE bits END)"
    // A redirect without its source begins a chain of its own, and a source that is listed no longer ends one.
    let bits = """
      core | (CASE WHEN source IS NOT NULL AND kind = 1 THEN \(ChromiumTransition.serverRedirect)
          WHEN source IS NOT NULL AND kind = 2 THEN \(ChromiumTransition.clientRedirect)
          WHEN link_page IS NULL OR source IS NULL OR kind = 0 THEN \(ChromiumTransition.chainStart) ELSE 0 END)
        | (CASE WHEN row IN (SELECT row FROM temp.led_on WHERE kind = 1) THEN 0
          WHEN hidden AND core NOT IN (3, 4, 10) THEN 0 ELSE \(ChromiumTransition.chainEnd) END)
      """
    try database.execute(
      """
      INSERT INTO main.visits(id, url, visit_time, from_visit, transition, visit_duration\(optional.map { ", " + $0 }.joined()))
      SELECT row, url, time + \(Timestamp.webKitOffset), coalesce(source, 0), \(signed), 0\(values.map { ", " + $0 }.joined())
      FROM (SELECT row, url, time, source, \(bits) AS bits FROM temp.incoming WHERE is_new) ORDER BY row;
      INSERT INTO main.visit_source(id, source) SELECT row, \(ChromiumVisitMark.source) FROM temp.incoming
      WHERE is_new ORDER BY row;
      """)
    let listed = try database.int64(
      """
      SELECT count(*) FROM temp.incoming
      WHERE is_new AND NOT hidden AND row IN (SELECT row FROM temp.led_on WHERE kind = 1)
      """)
    lose(FieldLoss("hidden", "Chromium lists no page that redirects"), count: Int(listed ?? 0))
  }

  /// What did not load has an answer beside its visit, by which history leaves it out. Which answer it was is not known: the
  /// usual one.
  private func noteFailures(_ database: Database) throws {
    guard edited.has("context_annotations", "response_code") else { return }
    try database.execute(
      """
      INSERT OR IGNORE INTO main.context_annotations(visit_id, context_annotation_flags, duration_since_last_visit,
        page_end_reason, total_foreground_duration, response_code)
      SELECT row, 0, -1000000, 0, -1000000, 404 FROM temp.incoming WHERE is_new AND failed ORDER BY row
      """)
  }

  /// What Chromium keeps of each page: its visits but for reloads, those that were typed, the last one, and whether a
  /// search finds it: not when it was only ever a frame or an error.
  private func countVisits(_ database: Database) throws {
    try database.execute(
      """
      UPDATE main.urls SET visit_count = visit_count + news.visits, typed_count = typed_count + news.typed,
        last_visit_time = max(last_visit_time, news.last), hidden = min(hidden, news.unlisted)
      FROM (SELECT url, sum(CASE WHEN core = 8 THEN 0 ELSE count END) AS visits, sum(core = 1 AND kind = 0) AS typed,
          max(time) + \(Timestamp.webKitOffset) AS last, min(core IN (3, 4) OR failed) AS unlisted
        FROM temp.incoming WHERE is_new GROUP BY url) AS news
      WHERE urls.id = news.url;
      DROP TABLE temp.led_on; DROP TABLE temp.core;
      """)
  }
}
