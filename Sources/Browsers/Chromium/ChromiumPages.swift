internal import BrowsingData
internal import SQLite

/// The pages of a history on their way into a Chromium History. Those that are there already are found; new ones wait in
/// a temporary table, with what their visits make of them in memory, until all visits have come.
final class ChromiumPages {
  struct State {
    /// Its row of `urls`.
    var row: Int64
    /// No visit of it in the file is newer: `.max` for a page that was there.
    var last: Int64
    /// Of the visits that were added.
    var newest = Int64.min
    var added: Int64 = 0
    /// What of these Chromium counts.
    var visits: Int64 = 0
    var typed: Int64 = 0
    /// Whether one of them is neither of a frame nor an error.
    var isListed = false

    var isNew: Bool { last != .max }
  }

  private let edited: EditedDatabase
  private var indices = PageIndices()
  private var states: [State] = []
  /// Indices of new pages by a hash of the whole address.
  private var newPages: [Int: Int32] = [:]
  /// Indices of pages that were there, by row: two addresses of the source may be one here.
  private var oldPages: [Int64: Int32] = [:]
  /// Hashes of all addresses that were there, when they are few: most new pages are then known to be new at once.
  private var knownHashes: Set<Int>?
  private let rows = ChromiumPageRows()
  private let news = ChromiumPageNews()
  private var nextRow: Int64
  private let findPage: Statement
  private let compare: Statement
  private let gather: Statement

  private static let fewPages: Int64 = 500_000

  /// Into an open History.
  init(_ edited: EditedDatabase) throws {
    self.edited = edited
    let database = edited.database
    nextRow = try ChromiumPages.nextRow(of: "urls", database)
    if try database.int64("SELECT count(*) FROM main.urls") ?? 0 < ChromiumPages.fewPages {
      var hashes: Set<Int> = []
      let read = try database.prepare("SELECT url FROM main.urls")
      while try read.step() { read.withText(0) { if let url = $0 { hashes.insert(ChromiumPages.hash(url)) } } }
      knownHashes = hashes
    }
    try database.execute(
      "CREATE TABLE temp.wherry_page(id INTEGER PRIMARY KEY, url TEXT NOT NULL, title TEXT NOT NULL)")
    try database.register(rows, as: ChromiumPageRows.name, columns: ChromiumPageRows.columns)
    try database.register(news, as: ChromiumPageNews.name, columns: ChromiumPageNews.columns)
    // Chromium has no rule against several rows of one address.
    findPage = try database.prepare(
      "SELECT id, ifnull(title, '') = '' FROM main.urls WHERE url = ?1 ORDER BY id LIMIT 1")
    compare = try database.prepare("SELECT 1 FROM temp.wherry_page WHERE id = ?1 AND url = ?2")
    gather = try database.prepare(
      "INSERT OR IGNORE INTO temp.wherry_page SELECT id, url, title FROM \(ChromiumPageRows.name)")
  }

  /// The number after the highest that a table ever gave out.
  static func nextRow(of table: String, _ database: Database) throws -> Int64 {
    let given = try database.int64("SELECT seq FROM main.sqlite_sequence WHERE name = '\(table)'") ?? 0
    let highest = try database.int64("SELECT max(id) FROM main.\(table)") ?? 0
    return try FirstFreeRow.after(max(given, highest), in: "History")
  }

  private static func hash(_ url: UnsafeRawBufferPointer) -> Int {
    var hasher = Hasher()
    hasher.combine(bytes: url)
    return hasher.finalize()
  }

  // MARK: - What visits ask

  /// The index of a page by the source's number; nil when it has not come or cannot be held.
  func index(of number: Int64) -> Int? { indices[number] }
  /// Whether it came and cannot be held.
  func isRefused(_ number: Int64) -> Bool { indices.isRefused(number) }
  /// Its row.
  func row(_ page: Int) -> Int64 { states[page].row }
  /// No visit of it in the file is newer.
  func last(_ page: Int) -> Int64 { states[page].last }

  /// A visit of it was added.
  func add(_ page: Int, time: Int64, _ entry: ChromiumMoment.Entry) {
    states[page].added &+= 1
    if states[page].isNew { states[page].last = max(states[page].last, time) }
    states[page].newest = max(states[page].newest, time)
    if entry.core != ChromiumTransition.reload { states[page].visits &+= entry.count }
    if entry.core == ChromiumTransition.typed, entry.kind == .plain { states[page].typed &+= 1 }
    if !ChromiumTransition.isFrame(entry.core), entry.answer == 0 { states[page].isListed = true }
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
        if PageAddress.isPlain(url) {
          indices.insert(page.number, try index(url, title: title))
        } else if var normal = PageAddress.normalized(String(decoding: url, as: UTF8.self)) {
          indices.insert(page.number, try normal.withUTF8 { try index(UnsafeRawBufferPointer($0), title: title) })
        } else {
          indices.refuse(page.number)
        }
      }
    }
    try flush()
  }

  private func index(_ url: UnsafeRawBufferPointer, title: UnsafeRawBufferPointer?) throws -> Int {
    let hash = ChromiumPages.hash(url)
    if knownHashes?.contains(hash) ?? true, let known = try existing(url, title: title) { return known }
    if let found = newPages[hash], try isSame(Int(found), url) { return Int(found) }
    let index = states.count
    states.append(State(row: nextRow, last: .min))
    nextRow &+= 1
    newPages[hash] = Int32(index)
    rows.append(row: states[index].row, url: url, title: title)
    return index
  }

  /// A page that was there before. Its title is wanted when it has none.
  private func existing(_ url: UnsafeRawBufferPointer, title: UnsafeRawBufferPointer?) throws -> Int? {
    try findPage.bind(1, utf8: url)
    guard try findPage.step() else { return nil }
    let (row, hasNoTitle) = (findPage.int64(0), findPage.int64(1) != 0)
    findPage.reset()
    if hasNoTitle, let title, !title.isEmpty { rows.append(row: row, url: url, title: title) }
    if let known = oldPages[row] { return Int(known) }
    oldPages[row] = Int32(states.count)
    states.append(State(row: row, last: .max))
    return states.count - 1
  }

  private func isSame(_ index: Int, _ url: UnsafeRawBufferPointer) throws -> Bool {
    try flush()
    try compare.bind(1, states[index].row)
    try compare.bind(2, utf8: url)
    defer { compare.reset() }
    return try compare.step()
  }

  private func flush() throws {
    guard rows.rowCount > 0 else { return }
    try gather.run()
    rows.removeAll()
  }

  // MARK: - The end

  /// Writes the new pages that were visited, and of the others what Chromium keeps of each page: its visits but for
  /// reloads, those that were typed, the last one, and whether a search finds it: not when it was only ever a frame or
  /// an error.
  func finish() throws {
    let database = edited.database
    news.begin(states.filter { $0.isNew && $0.added > 0 })
    try database.execute(
      """
      INSERT OR FAIL INTO main.urls(id, url, title, visit_count, typed_count, last_visit_time, hidden)
      SELECT n.id, p.url, p.title, n.visits, n.typed, n.last, n.unlisted
      FROM \(ChromiumPageNews.name) n CROSS JOIN temp.wherry_page p ON p.id = n.id
      """)
    news.begin(states.filter { !$0.isNew && $0.added > 0 })
    try database.execute(
      """
      UPDATE OR FAIL main.urls SET visit_count = visit_count + n.visits, typed_count = typed_count + n.typed,
        last_visit_time = max(last_visit_time, n.last), hidden = min(hidden, n.unlisted),
        title = CASE WHEN ifnull(title, '') <> '' THEN title
          ELSE coalesce((SELECT p.title FROM temp.wherry_page p WHERE p.id = urls.id), title, '') END
      FROM \(ChromiumPageNews.name) n WHERE urls.id = n.id
      """)
  }

  /// Forgets what was gathered.
  func close() throws { try edited.database.execute("DROP TABLE temp.wherry_page") }
}
