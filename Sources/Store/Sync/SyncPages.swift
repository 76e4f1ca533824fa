internal import BrowsingData
internal import SQLite

/// Writes a peer's pages, a batch at a time: title and time of two that meet follow the rule that does not depend on
/// their order.
final class SyncPageWriter {
  private let store: RecordStore
  private let entry: Int64
  private let peer: Int64
  /// Up to where the peer was sent pages.
  private let sent: Int64
  private let table: PageTable

  init(_ store: RecordStore, entry: Int64, peer: Int64, sent: Int64) throws {
    self.store = store
    self.entry = entry
    self.peer = peer
    self.sent = sent
    table = try store.incomingPages()
  }

  /// Adds what is new, brings titles up to date, and keeps the peer's numbers, also of those that it could not read.
  /// `owner` is the peer's own number. Gives what each number is here.
  func write(
    _ batch: PageBatch, unreadable: [Int64], owner: Int64
  ) throws -> [(number: Int64, target: PageMap.Target)] {
    try batch.text.withUnsafeBytes { text in
      var rows = PageOrder.sorted(
        batch.pages.enumerated().map { index, page in
          PageRow(
            url: page.url, title: page.title, titleTime: page.titleTime, index: Int32(index), number: page.number)
        }, text)
      let hashes = rows.map { RowHash.page(PageRow.bytes($0.url, of: text)) }
      let isNew = try insert(&rows, text)
      var digest = LogDigest()
      for index in rows.indices {
        if isNew[index] {
          digest.add(hashes[index])
        } else {
          rows[index].id = try write(batch.pages[Int(rows[index].index)], of: batch)
        }
      }
      store.pendingDigests[.pages, default: LogDigest()].add(digest)
      var known = zip(rows, hashes).map { row, hash in
        (number: row.number, target: PageMap.Target(page: row.id, hash: hash))
      }
      for number in unreadable {
        rows.append(PageRow(url: 0..<0, title: nil, titleTime: 0, index: 0, number: number))
        known.append((number, PageMap.Target(page: 0, hash: RowHash(high: 0, low: 0))))
      }
      try keepNumbers(rows, owner: owner)
      return known
    }
  }

  /// Inserts what is not here; which of the rows were not. Those have their numbers.
  private func insert(_ rows: inout [PageRow], _ text: UnsafeRawBufferPointer) throws -> [Bool] {
    let base = store.takeSequences(rows.count)
    for index in rows.indices { rows[index].id = base + 1 + Int64(index) }
    var isNew = [Bool](repeating: true, count: rows.count)
    let insert = try store.statement(
      """
      INSERT OR IGNORE INTO url(id, url, title, title_t, seq, frm, frm_no, entry)
      SELECT id, url, title, title_t, id, ?1, no, ?2 FROM incoming_page
      """)
    try insert.bind(1, peer)
    try insert.bind(2, entry)
    let find = try store.statement(
      "SELECT i.rowid FROM incoming_page AS i CROSS JOIN url AS u ON u.url = i.url WHERE u.id <> i.id")
    try table.showing(rows, text) {
      try insert.run()
      guard Int(store.database.changes) < rows.count else { return }
      while try find.step() { isNew[Int(find.int64(0))] = false }
    }
    return isNew
  }

  private func keepNumbers(_ rows: [PageRow], owner: Int64) throws {
    let keep = try store.statement(
      "INSERT OR REPLACE INTO sync_page(peer, number, page) SELECT ?1, no, id FROM incoming_page")
    try keep.bind(1, owner)
    try table.showing(rows.sorted { $0.number < $1.number }, UnsafeRawBufferPointer(start: nil, count: 0)) {
      try keep.run()
    }
  }

  /// The number here of a page; one that was not here is made.
  private func write(_ page: PageBatch.Page, of batch: PageBatch) throws -> Int64 {
    let url = batch.string(page.url)
    let title = page.title.map { batch.string($0) }
    let find = try store.statement("SELECT id, title, title_t, seq FROM url WHERE url = ?1")
    try find.bind(1, url)
    guard try find.step() else { return try insert(url, title, page) }
    let id = find.int64(0)
    let (known, time, place) = (find.text(1), find.int64(2), find.int64(3))
    find.reset()
    guard let title, SyncPageWriter.isBetter(title, page.titleTime, than: known, time) else {
      // The peer had forgotten the page, and with it the title that it was sent.
      if let known, known != title || time != page.titleTime, place <= sent { try sendAgain(id) }
      return id
    }
    let update = try store.statement(
      "UPDATE url SET title = ?2, title_t = ?3, seq = ?4, frm = ?5, frm_no = ?6 WHERE id = ?1")
    try update.bind(1, id)
    try update.bind(2, title)
    try update.bind(3, page.titleTime)
    try update.bind(4, store.nextSequence())
    try update.bind(5, peer)
    try update.bind(6, page.number)
    try update.run()
    return id
  }

  private func sendAgain(_ id: Int64) throws {
    let update = try store.statement("UPDATE url SET seq = ?2, frm = NULL, frm_no = NULL WHERE id = ?1")
    try update.bind(1, id)
    try update.bind(2, store.nextSequence())
    try update.run()
  }

  private func insert(_ url: String, _ title: String?, _ page: PageBatch.Page) throws -> Int64 {
    let id = store.nextSequence()
    let insert = try store.statement(
      "INSERT INTO url(id, url, title, title_t, seq, frm, frm_no, entry) VALUES (?1, ?2, ?3, ?4, ?1, ?5, ?6, ?7)")
    try insert.bind(1, id)
    try insert.bind(2, url)
    try insert.bind(3, title)
    try insert.bind(4, page.titleTime)
    try insert.bind(5, peer)
    try insert.bind(6, page.number)
    try insert.bind(7, entry)
    try insert.run()
    store.pendingDigests[.pages, default: LogDigest()].add(
      Array(url.utf8).withUnsafeBytes { RowHash.page($0) })
    return id
  }

  /// The later title, of two of one time the greater one.
  static func isBetter(_ title: String, _ time: Int64, than known: String?, _ knownTime: Int64) -> Bool {
    guard let known else { return true }
    if time != knownTime { return time > knownTime }
    return known.utf8.lexicographicallyPrecedes(title.utf8)
  }
}

// A peer's page numbers. A page that came from it is named by its own number when it is spoken to, since the page is not
// sent back.
extension RecordStore {
  /// A page of it that was deleted here is wanted after all: all pages are to come again.
  func forgetPages(ofPeer peer: Int64) throws {
    let delete = try statement("DELETE FROM sync_page WHERE peer = ?1")
    try delete.bind(1, peer)
    try delete.run()
  }

  /// The peer has lost pages that came from it: from now on they are named by their numbers here.
  func forgetTheirPageNumbers(_ replica: Int64) throws {
    try writing {
      let update = try statement("UPDATE url SET frm = NULL, frm_no = NULL WHERE frm = ?1")
      try update.bind(1, replica)
      try update.run()
    }
  }

  /// Pages that did not come from this peer.
  func syncPages(after: Int64, but peer: Int64, _ limit: BatchLimit) throws -> PageBatch {
    let read = try statement(
      """
      SELECT id AS s, id, url, title, title_t FROM url WHERE id > ?1 AND seq = id AND (frm IS NULL OR frm <> ?2)
      UNION ALL SELECT seq, id, url, title, title_t FROM url INDEXED BY url_seq
      WHERE seq > ?1 AND seq <> id AND (frm IS NULL OR frm <> ?2) ORDER BY 1 LIMIT ?3
      """)
    try read.bind(1, after)
    try read.bind(2, peer)
    try read.bind(3, Int64(limit.records))
    defer { read.reset() }
    var pages = PageBatch()
    while try read.step() {
      let url = read.withText(2) { pages.add($0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
      let title = read.withText(3) { bytes in bytes.map { pages.add($0) } }
      var page = PageBatch.Page(number: read.int64(1), url: url, title: title)
      page.sequence = read.int64(0)
      page.titleTime = read.int64(4)
      pages.pages.append(page)
      if pages.text.count + pages.pages.count * 24 >= limit.bytes { break }
    }
    return pages
  }
}
