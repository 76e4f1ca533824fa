internal import BrowsingData
internal import SQLite

/// Takes visits out of places.sqlite, and pages that nothing holds any more.
struct PlacesRemoval {
  let places: PlacesFile

  /// Removes visits of these scopes and times; how many went.
  func remove(_ removals: [VisitRemoval]) throws -> Int {
    try begin()
    for removal in removals {
      let (from, until) = (removal.from.microseconds, removal.until.microseconds)
      switch removal.scope {
      case .all:
        try places.run(
          "INSERT OR IGNORE INTO temp.wherry_gone SELECT id, place_id FROM moz_historyvisits "
            + "WHERE visit_date >= ?1 AND visit_date < ?2", .number(from), .number(until))
      case .url(let url):
        guard case .success(let normal) = PlacesFitting.address(url) else { continue }
        try places.run(
          """
          INSERT OR IGNORE INTO temp.wherry_gone SELECT v.id, v.place_id FROM moz_places p
          JOIN moz_historyvisits v ON v.place_id = p.id
          WHERE p.url_hash = ?3 AND p.url = ?4 AND v.visit_date >= ?1 AND v.visit_date < ?2
          """, .number(from), .number(until), .number(PlacesAddress.hash(normal)), .text(normal))
      case .host(let host):
        // A port stands before the reversed name.
        let reversed = String(host.lowercased().reversed()) + "."
        try places.run(
          """
          INSERT OR IGNORE INTO temp.wherry_gone SELECT v.id, v.place_id FROM moz_places p
          JOIN moz_historyvisits v ON v.place_id = p.id
          WHERE (p.rev_host = ?3 OR substr(p.rev_host, instr(p.rev_host, ':') + 1) = ?3)
            AND v.visit_date >= ?1 AND v.visit_date < ?2
          """, .number(from), .number(until), .text(reversed))
      }
    }
    return try finish()
  }

  /// Removes the visits that an earlier edit inserted; how many went.
  func takeBack(_ mark: HistoryMark) throws -> Int {
    try begin()
    try places.run(
      """
      INSERT OR IGNORE INTO temp.wherry_gone SELECT id, place_id FROM moz_historyvisits
      WHERE id BETWEEN ?1 AND ?2 AND visit_date < ?3
      """, .number(mark.visits.lowerBound), .number(mark.visits.upperBound), .number(mark.before))
    return try finish()
  }

  private func begin() throws {
    try places.database.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS wherry_gone(id INTEGER PRIMARY KEY, place_id INTEGER);
      DELETE FROM temp.wherry_gone
      """)
  }

  private func finish() throws -> Int {
    let count = Int(try places.number("SELECT count(*) FROM temp.wherry_gone") ?? 0)
    guard count > 0 else { return 0 }
    var pages: [Int64] = []
    let read = try places.database.prepare("SELECT DISTINCT place_id FROM temp.wherry_gone ORDER BY place_id")
    while try read.step() { pages.append(read.int64(0)) }
    try places.database.execute("DELETE FROM moz_historyvisits WHERE id IN (SELECT id FROM temp.wherry_gone)")
    try places.database.execute(
      """
      UPDATE moz_historyvisits SET from_visit = 0
      WHERE from_visit IN (SELECT id FROM temp.wherry_gone); DROP TABLE temp.wherry_gone
      """)
    let alternative = places.hasAlternative ? ", recalc_alt_frecency = (frecency <> 0)" : ""
    for page in pages {
      try places.run(
        """
        UPDATE moz_places SET
          visit_count = (SELECT count(*) FROM moz_historyvisits WHERE place_id = ?1
            AND visit_type NOT IN (0, 4, 7, 8, 9)),
          last_visit_date = (SELECT max(visit_date) FROM moz_historyvisits WHERE place_id = ?1),
          recalc_frecency = (frecency <> 0)\(alternative)
        WHERE id = ?1
        """, .number(page))
      try places.rank(page)
      try places.removeIfFree(page)
    }
    return count
  }
}
