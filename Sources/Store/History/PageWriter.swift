internal import BrowsingData
internal import SQLite

/// Finds or makes the store's rows of pages, a sorted batch at a time.
final class PageWriter {
  private let store: RecordStore
  private let entry: Int64
  private let table: PageTable
  /// Pages whose title this run has changed.
  private(set) var retitled: Set<Int64> = []
  private var digest = LogDigest()
  /// Whether most pages of the last batch were known: then looking first is cheaper than trying to insert.
  private var looksFirst = false

  /// A known page whose title is to be replaced.
  private struct Retitling {
    var row: Int
    var oldTitle: [UInt8]?
    var oldTime: Int64
    var changesText: Bool
  }

  init(_ store: RecordStore, entry: Int64) throws {
    self.store = store
    self.entry = entry
    table = try store.incomingPages()
    // A transfer that is resumed has changed titles before.
    let read = try store.statement("SELECT rid FROM rec_undo WHERE entry = ?1 AND type = ?2")
    try read.bind(1, entry)
    try read.bind(2, Int64(ChangeLog.pages.rawValue))
    while try read.step() { retitled.insert(UndoBody.number(read.bytes(0) ?? [])) }
  }

  /// The number here of each of `pages`, in their order, with the hashes of their addresses likewise. New ones are added; a
  /// newer title replaces an older one.
  func resolve(_ pages: [PageRow], _ text: UnsafeRawBufferPointer, hashes: [RowHash]) throws -> [Int64] {
    var ids = [Int64](repeating: 0, count: pages.count)
    var rows: [PageRow] = []
    rows.reserveCapacity(pages.count)
    var doubles: [(double: Int32, row: Int)] = []
    for page in PageOrder.sorted(pages, text) {
      if let last = rows.last, PageOrder.compare(last.url, page.url, text, from: 0) == 0 {
        doubles.append((page.index, rows.count - 1))
        keepBetterTitle(of: page, in: &rows[rows.count - 1], text)
      } else {
        rows.append(page)
      }
    }
    if looksFirst {
      try find(&rows, text, above: nil)
      let unknown = rows.indices.filter { rows[$0].id == 0 }
      looksFirst = unknown.count * 2 < rows.count
      if !unknown.isEmpty {
        var fresh = unknown.map { rows[$0] }
        try insert(&fresh, text, hashes)
        for (index, row) in zip(unknown, fresh) { rows[index].id = row.id }
      }
    } else {
      try insert(&rows, text, hashes)
    }
    for row in rows { ids[Int(row.index)] = row.id }
    for (double, row) in doubles { ids[Int(double)] = rows[row].id }
    try store.add(digest, to: .pages)
    digest = LogDigest()
    return ids
  }

  /// Inserts what is new; what is known after all is looked up.
  private func insert(_ rows: inout [PageRow], _ text: UnsafeRawBufferPointer, _ hashes: [RowHash]) throws {
    let base = store.takeSequences(rows.count)
    for index in rows.indices { rows[index].id = base + 1 + Int64(index) }
    // All columns in the table's order: SQLite then reads each row where it writes it from, instead of copying it.
    let insert = try store.statement(
      """
      INSERT OR IGNORE INTO url(id, url, title, title_t, seq, frm, frm_no, entry)
      SELECT id, url, title, title_t, id, NULL, NULL, ?1 FROM incoming_page
      """)
    try insert.bind(1, entry)
    try table.showing(rows, text) { try insert.run() }
    let added = Int(store.database.changes)
    if added < rows.count {
      looksFirst = added * 2 < rows.count
      try find(&rows, text, above: base)
    }
    for row in rows where row.id > base { digest.add(hashes[Int(row.index)]) }
  }

  /// Gives the rows that are known their numbers, and the known pages their newer titles.
  /// `above`: rows with a greater number were just added and are no find.
  private func find(_ rows: inout [PageRow], _ text: UnsafeRawBufferPointer, above base: Int64?) throws {
    let find = try store.statement(
      """
      SELECT i.rowid, u.id, u.title_t, u.title FROM incoming_page AS i CROSS JOIN url AS u ON u.url = i.url
      WHERE u.id <= ?1
      """)
    try find.bind(1, base ?? .max)
    let shown = rows
    var retitlings: [Retitling] = []
    try table.showing(shown, text) {
      while try find.step() {
        let row = Int(find.int64(0))
        rows[row].id = find.int64(1)
        if let retitling = retitling(row, shown[row], text, find) { retitlings.append(retitling) }
      }
    }
    for retitling in retitlings { try retitle(rows[retitling.row], retitling, text) }
  }

  private func retitling(
    _ row: Int, _ page: PageRow, _ text: UnsafeRawBufferPointer, _ known: Statement
  ) -> Retitling? {
    guard let range = page.title else { return nil }
    let title = PageRow.bytes(range, of: text)
    let oldTime = known.int64(2)
    return known.withText(3) { old -> Retitling? in
      guard let old else { return Retitling(row: row, oldTitle: nil, oldTime: oldTime, changesText: true) }
      let order = PageWriter.compare(title, old)
      guard page.titleTime > oldTime || (page.titleTime == oldTime && order > 0) else { return nil }
      return Retitling(row: row, oldTitle: Array(old), oldTime: oldTime, changesText: order != 0)
    }
  }

  private func retitle(_ page: PageRow, _ change: Retitling, _ text: UnsafeRawBufferPointer) throws {
    guard let title = page.title else { return }
    if change.changesText {
      retitled.insert(page.id)
      // Only what the entry found counts: a second change by the same entry keeps the first one's memory.
      let keep = try store.statement("INSERT OR IGNORE INTO rec_undo(entry, type, rid, body) VALUES (?1, ?2, ?3, ?4)")
      try keep.bind(1, entry)
      try keep.bind(2, Int64(ChangeLog.pages.rawValue))
      try keep.bind(3, UndoBody.key(page.id))
      try keep.bind(4, UndoBody.title(change.oldTitle, time: change.oldTime))
      try keep.run()
    }
    let update = try store.statement(
      "UPDATE url SET title = ?2, title_t = ?3, seq = ?4, frm = NULL, frm_no = NULL WHERE id = ?1")
    try update.bind(1, page.id)
    try update.bind(2, utf8: PageRow.bytes(title, of: text))
    try update.bind(3, page.titleTime)
    try update.bind(4, store.nextSequence())
    try update.run()
  }

  private func keepBetterTitle(of other: PageRow, in page: inout PageRow, _ text: UnsafeRawBufferPointer) {
    guard let title = other.title else { return }
    if let known = page.title {
      if other.titleTime < page.titleTime { return }
      if other.titleTime == page.titleTime, PageOrder.compare(title, known, text, from: 0) <= 0 { return }
    }
    page.title = title
    page.titleTime = other.titleTime
  }

  private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if left.elementsEqual(right) { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}
