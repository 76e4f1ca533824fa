internal import BrowsingData
internal import Crypto
internal import SQLite

/// The pages of a history on their way into places.sqlite. Those that are there already are found; new ones wait in a
/// temporary table, with what their visits make of them in memory, until all visits have come.
final class PlacesPages {
  private let places: PlacesFile
  /// Indices of `states` by the source's numbers.
  private var indices = PageIndices()
  private var states: [State] = []
  /// The newest visits of new pages, ten for each.
  private var samples = VisitSamples()
  /// Indices of new pages by a hash of the whole address.
  private var newPages: [Int: Int32] = [:]
  /// Hashes of all addresses that were there, when they are few: most new pages are then known to be new at once.
  private var knownHashes: Set<Int64>?
  private var origins: PlacesOrigins
  /// Indices of pages that were there, by row: two addresses of the source may be one here.
  private var oldPages: [Int64: Int32] = [:]
  /// Whether a page that was there got its title.
  private(set) var hasFilledTitles = false
  /// New pages that wait to be written.
  private var waiting = NewPageRows.Rows()
  /// Those that SQLite reads meanwhile.
  private let rows = NewPageRows()
  private let finals = FinalPageRows()
  private let firstRow: Int64
  private var nextRow: Int64

  struct State {
    /// Its row of moz_places.
    var row: Int64
    /// Of the newest visit; `.min` when it has none.
    var last: Int64
    /// Where its newest visits are; -1 for a page that was there.
    var sample: Int32
    var counted: Int32 = 0
    var added: Int32 = 0
    var visible: Int32 = 0
    var isTyped = false
    /// Whether it was there and had neither visits nor anything that holds it.
    var wasEmpty = false
  }

  private static let fewPages: Int64 = 500_000

  init(_ places: PlacesFile) throws {
    self.places = places
    firstRow = try FirstFreeRow.after(
      places.number("SELECT max(id) FROM moz_places") ?? 0, in: PlacesSchema.file)
    nextRow = firstRow
    origins = try PlacesOrigins(places)
    if try places.number("SELECT count(*) FROM moz_places") ?? 0 < PlacesPages.fewPages {
      var hashes: Set<Int64> = []
      let read = try places.statement("SELECT url_hash FROM moz_places")
      while try read.step() { hashes.insert(read.int64(0)) }
      knownHashes = hashes
    }
    try places.database.execute(
      """
      CREATE TEMP TABLE IF NOT EXISTS wherry_page(id INTEGER PRIMARY KEY, url TEXT, title TEXT, rev_host TEXT,
        url_hash INTEGER, origin_id INTEGER)
      """)
    try places.database.execute("DELETE FROM temp.wherry_page")
    try places.database.register(rows, as: NewPageRows.name, columns: NewPageRows.columns)
    try places.database.register(finals, as: FinalPageRows.name, columns: FinalPageRows.columns)
  }

  // MARK: - What visits ask

  /// The index of a page by the source's number; nil when it has not come or cannot be held.
  func index(of number: Int64) -> Int? { indices[number] }
  /// Its row.
  func row(_ page: Int) -> Int64 { states[page].row }
  /// The time of its newest visit.
  func last(_ page: Int) -> Int64 { states[page].last }

  /// A visit of it was written. `origin`: the type of the visit that it was redirected from, else 0; `isUnknown`: its
  /// source did not say how the page was reached, and so not whether it is listed.
  func add(_ page: Int, time: Int64, type: Int64, origin: Int64, isHidden: Bool, isUnknown: Bool) {
    if type == 1 || type == 2 || type == 3 || type == 5 || type == 6 { states[page].counted &+= 1 }
    if type == 2 { states[page].isTyped = true }
    states[page].added &+= 1
    states[page].last = max(states[page].last, time)
    let hides = isHidden || type == 4 || type == 8
    if !hides { states[page].visible &+= 1 }
    let sample = states[page].sample
    guard sample >= 0,
      let weight = PlacesFrecency.Weight(type: type, origin: origin, isRedirectSource: false)
    else { return }
    samples.add(Int(sample), time: time, weight: weight, isHidden: hides, isUnknown: isUnknown)
  }

  /// The visit of it at this time redirected to another page: it ranks low and, unless its source says otherwise, is not
  /// listed.
  func noteRedirect(from page: Int, time: Int64) {
    let sample = states[page].sample
    guard sample >= 0 else { return }
    if samples.noteRedirect(Int(sample), time: time) { states[page].visible &-= 1 }
  }

  // MARK: - Coming in

  /// Takes pages.
  func insert(_ batch: PageBatch) throws {
    try batch.text.withUnsafeBytes { text in
      for page in batch.pages {
        let url = UnsafeRawBufferPointer(rebasing: text[Int(page.url.lowerBound)..<Int(page.url.upperBound)])
        let title = page.title.map {
          UnsafeRawBufferPointer(rebasing: text[Int($0.lowerBound)..<Int($0.upperBound)])
        }
        if PageAddress.isPlain(url), url.count <= PlacesAddress.maximumLength {
          indices.insert(page.number, try index(url, title: title))
        } else if case .success(var normal) = PlacesFitting.address(String(decoding: url, as: UTF8.self)) {
          indices.insert(page.number, try normal.withUTF8 { try index(UnsafeRawBufferPointer($0), title: title) })
        } else {
          indices.refuse(page.number)
        }
      }
    }
    try flush()
  }

  private func index(_ url: UnsafeRawBufferPointer, title: UnsafeRawBufferPointer?) throws -> Int {
    let hash = PlacesAddress.hash(url)
    if knownHashes?.contains(hash) ?? true, let known = try existing(url, hash: hash, title: title) { return known }
    var hasher = Hasher()
    hasher.combine(bytes: url)
    let key = hasher.finalize()
    if let found = newPages[key] {
      if try isSame(Int(found), url) { return Int(found) }
    }
    let parts = PlacesAddress.Parts(url)
    let origin = origins.row(url, parts)
    let index = states.count
    states.append(State(row: nextRow, last: .min, sample: Int32(samples.append())))
    nextRow += 1
    newPages[key] = Int32(index)
    waiting.append(
      row: states[index].row, url: url, title: title, parts: parts, hash: hash, origin: origin)
    return index
  }

  /// A page that was there before this edit.
  private func existing(
    _ url: UnsafeRawBufferPointer, hash: Int64, title: UnsafeRawBufferPointer?
  ) throws -> Int? {
    let read = try places.statement(
      """
      SELECT id, last_visit_date, title IS NULL, visit_count = 0 AND foreign_count = 0 FROM moz_places
      WHERE url_hash = ?1 AND url = ?2
      """)
    try read.bind(1, hash)
    try read.bind(2, utf8: url)
    guard try read.step() else { return nil }
    let (row, last) = (read.int64(0), read.optionalInt64(1))
    let (hasNoTitle, isEmpty) = (read.int64(2) != 0, read.int64(3) != 0 && last == nil)
    read.reset()
    if let known = oldPages[row] { return Int(known) }
    if hasNoTitle, let title, !title.isEmpty {
      hasFilledTitles = true
      try places.run(
        "UPDATE moz_places SET title = ?2 WHERE id = ?1", .number(row),
        .text(PlacesAddress.cut(title: String(decoding: title, as: UTF8.self))))
    }
    oldPages[row] = Int32(states.count)
    states.append(State(row: row, last: last ?? .min, sample: -1, wasEmpty: isEmpty))
    return states.count - 1
  }

  private func isSame(_ index: Int, _ url: UnsafeRawBufferPointer) throws -> Bool {
    try flush()
    let read = try places.statement("SELECT 1 FROM temp.wherry_page WHERE id = ?1 AND url = ?2")
    try read.bind(1, states[index].row)
    try read.bind(2, utf8: url)
    defer { read.reset() }
    return try read.step()
  }

  private func flush() throws {
    guard !waiting.isEmpty else { return }
    try places.runBehind(
      """
      INSERT OR FAIL INTO temp.wherry_page SELECT id, url, title, rev_host, url_hash, origin_id FROM \(NewPageRows.name)
      """
    ) { rows.exchange(&waiting) }
  }

  // MARK: - The end

  /// Writes the new pages and what has changed of the others; gives the rows of the new ones.
  func finish() throws -> ClosedRange<Int64>? {
    try flush()
    try origins.write(to: places)
    try insertNew()
    let changed = states.indices.filter { states[$0].sample < 0 && states[$0].added > 0 }
    for index in changed { try update(states[index]) }
    if !changed.isEmpty || nextRow > firstRow { try places.rankOrigins() }
    return nextRow > firstRow ? firstRow...(nextRow - 1) : nil
  }

  private func insertNew() throws {
    finals.begin(
      states.filter { $0.sample >= 0 && $0.added > 0 }.map { state in
        let visits = samples.newest(Int(state.sample))
        return (state, PlacesFrecency.value(visits, count: Int64(state.counted)))
      })
    let extra = places.hasAlternative ? (", recalc_alt_frecency", ", 1") : ("", "")
    try places.run(
      """
      INSERT OR FAIL INTO moz_places(id, url, title, rev_host, visit_count, hidden, typed, frecency, last_visit_date,
        guid, foreign_count, url_hash, origin_id, recalc_frecency\(extra.0))
      SELECT p.id, p.url, p.title, p.rev_host, f.visit_count, f.hidden, f.typed, f.frecency, f.last_visit_date, f.guid,
        0, p.url_hash, p.origin_id, 1\(extra.1)
      FROM \(FinalPageRows.name) f JOIN temp.wherry_page p ON p.id = f.id
      """)
    try places.database.execute("DROP TABLE temp.wherry_page")
    try origins.removeEmpty(from: places)
  }

  private func update(_ state: State) throws {
    let alternative = places.hasAlternative ? ", recalc_alt_frecency = 1" : ""
    let isHidden: Int64 = state.visible > 0 ? 0 : 1
    try places.run(
      """
      UPDATE moz_places SET visit_count = visit_count + ?2, last_visit_date = max(ifnull(last_visit_date, 0), ?3),
        typed = max(typed, ?4), hidden = CASE WHEN ?5 THEN ?6 ELSE min(hidden, ?6) END, recalc_frecency = 1\(alternative)
      WHERE id = ?1
      """, .number(state.row), .number(Int64(state.counted)), .number(state.last), .number(state.isTyped ? 1 : 0),
      .number(state.wasEmpty ? 1 : 0), .number(isHidden))
    try places.rank(state.row)
  }
}

extension PlacesFile {
  /// By how many days of typed visits an origin ranks.
  private static let originDays: Int64 = 90

  /// Writes the frecency of origins that are marked, as Firefox computes it: what their pages rank on the average of
  /// typed visits, times the days of these. Without it the address bar completes none of them until Firefox gets there.
  func rankOrigins() throws {
    let day: Int64 = 86_400_000_000
    // From the newest visits to their pages: the other way around would go through all of both.
    let read = try statement(
      """
      SELECT p.origin_id, CAST(avg(p.frecency) * count(DISTINCT v.visit_date / \(day)) AS INTEGER)
      FROM moz_historyvisits v CROSS JOIN moz_places p ON p.id = v.place_id
      WHERE v.visit_type = 2 AND v.visit_date > ?1 AND p.origin_id IS NOT NULL GROUP BY p.origin_id
      """)
    try read.bind(1, now - PlacesFile.originDays * day)
    var ranks: [(origin: Int64, frecency: Int64)] = []
    while try read.step() { ranks.append((read.int64(0), read.int64(1))) }
    for rank in ranks {
      try run(
        "UPDATE moz_origins SET frecency = ?2 WHERE id = ?1 AND recalc_frecency = 1", .number(rank.origin),
        .number(rank.frecency))
    }
  }

  /// Writes the frecency of a page from its visits in the file.
  func rank(_ page: Int64) throws {
    let read = try statement(
      """
      SELECT v.visit_date, v.visit_type, EXISTS (SELECT 1 FROM moz_historyvisits r WHERE r.from_visit = v.id
        AND r.visit_type IN (5, 6)), p.visit_count,
        ifnull((SELECT o.visit_type FROM moz_historyvisits o WHERE o.id = v.from_visit), 0)
      FROM moz_historyvisits v JOIN moz_places p ON p.id = v.place_id
      WHERE v.place_id = ?1 AND v.visit_type NOT IN (0, 7, 8, 9)
      ORDER BY v.visit_date DESC LIMIT \(PlacesFrecency.sampled)
      """)
    try read.bind(1, page)
    var visits: [(time: Int64, weight: PlacesFrecency.Weight)] = []
    var count: Int64 = 0
    while try read.step() {
      count = read.int64(3)
      let weight = PlacesFrecency.Weight(
        type: read.int64(1), origin: read.int64(4), isRedirectSource: read.int64(2) != 0)
      if let weight { visits.append((read.int64(0), weight)) }
    }
    guard !visits.isEmpty else { return }
    try run(
      "UPDATE moz_places SET frecency = ?2 WHERE id = ?1 AND url NOT LIKE 'place:%'", .number(page),
      .number(PlacesFrecency.value(visits, count: count)))
  }
}
