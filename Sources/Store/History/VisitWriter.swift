internal import BrowsingData
internal import SQLite

/// Writes visits, a sorted batch at a time: new ones are added, known ones merged.
final class VisitWriter {
  /// What became of a batch's visits.
  struct Outcome {
    var added = 0
    var changed = 0
    var unchanged = 0
    /// Visits that this entry had brought or changed before, and how many of them changed again.
    var ours: [VisitRow] = []
    var oursChanged = 0

    mutating func count(_ isChanged: Bool, isOurs: Bool) {
      if isChanged { changed += 1 } else { unchanged += 1 }
      if isChanged && isOurs { oursChanged += 1 }
    }
  }

  private let store: RecordStore
  private let entry: Int64
  /// The peer in sync that is known to have what it sent; nil: nobody is.
  private let peer: Int64?
  private let table: VisitTable
  private var looksFirst = false

  /// A known visit that was met again and may have to change.
  private struct Meeting {
    var row: Int
    var stored: StoredVisit
  }

  init(_ store: RecordStore, entry: Int64, from peer: Int64? = nil) throws {
    self.store = store
    self.entry = entry
    self.peer = peer
    table = try store.incomingVisits()
  }

  /// Writes `rows`, which are sorted. `retitled` are pages whose title changed: their visits count as changed.
  func write(_ rows: inout [VisitRow], _ attributes: [UInt8], retitled: Set<Int64>) throws -> Outcome {
    var outcome = Outcome()
    var digest = LogDigest()
    if looksFirst {
      let known = try meet(rows, attributes, retitled, &outcome)
      let count = known.count { $0 }
      looksFirst = count * 2 > rows.count
      if count < rows.count {
        var fresh = rows.indices.filter { !known[$0] }.map { rows[$0] }
        try insert(&fresh, attributes, retitled, &outcome, &digest)
      }
    } else {
      try insert(&rows, attributes, retitled, &outcome, &digest)
    }
    try store.add(digest, to: .visits)
    return outcome
  }

  private func insert(
    _ rows: inout [VisitRow], _ attributes: [UInt8], _ retitled: Set<Int64>, _ outcome: inout Outcome,
    _ digest: inout LogDigest
  ) throws {
    let base = store.takeSequences(rows.count)
    for index in rows.indices { rows[index].sequence = base + 1 + Int64(index) }
    // The first one takes its number, and the others theirs from SQLite, which finds the next one without a search. When
    // the first is known, nothing says where they would begin.
    var added = try insert(rows.prefix(1), attributes, numbered: true)
    if rows.count > 1 { added += try insert(rows.dropFirst(), attributes, numbered: added == 0) }
    outcome.added += added
    var known: [Bool] = []
    if added < rows.count {
      looksFirst = added * 2 < rows.count
      known = try meet(rows, attributes, retitled, &outcome, after: base)
    }
    for index in rows.indices where known.isEmpty || !known[index] { digest.add(rows[index].hash) }
  }

  private func insert(_ rows: ArraySlice<VisitRow>, _ attributes: [UInt8], numbered: Bool) throws -> Int {
    let sequence = numbered ? "seq" : "NULL"
    // Most batches are of one profile and of visits that have no more than a time and a page: SQLite then asks for fewer
    // columns of each row.
    let profile = VisitWriter.onlyProfile(of: rows)
    let (occurrence, number, attributed) = profile == nil ? ("occ", "profile", "attrs") : ("0", "?3", "NULL")
    // All columns in the table's order: SQLite then reads each row where it writes it from, instead of copying it.
    let insert = try store.statement(
      """
      INSERT OR IGNORE INTO visit(seq, t, url, occ, profile, kind, flags, ref, ref_dt, attrs, frm, entry)
      SELECT \(sequence), t, url, \(occurrence), \(number), kind, flags, ref, ref_dt, \(attributed), ?2, ?1
      FROM incoming_visit
      """)
    if let profile { try insert.bind(3, Int64(profile)) }
    try insert.bind(1, entry)
    try insert.bind(2, peer)
    try table.showing(rows, attributes) { try insert.run() }
    return Int(store.database.changes)
  }

  /// The profile of all the rows, when they are of one and have neither attributes nor an occurrence but the first.
  private static func onlyProfile(of rows: ArraySlice<VisitRow>) -> Int32? {
    guard let profile = rows.first?.profile else { return nil }
    let isPlain = rows.allSatisfy { $0.profile == profile && $0.occurrence == 0 && $0.attributes.isEmpty }
    return isPlain ? profile : nil
  }

  /// Merges the rows that are known with what is stored; returns which they are. Rows with a greater number than `base`
  /// were just added: such a one is met only by its doubles, which follow it.
  private func meet(
    _ rows: [VisitRow], _ attributes: [UInt8], _ retitled: Set<Int64>, _ outcome: inout Outcome,
    after base: Int64 = .max
  ) throws -> [Bool] {
    let find = try store.statement(
      """
      SELECT i.rowid, v.seq, v.kind, v.flags, v.ref, v.ref_dt, v.attrs, v.entry
      FROM incoming_visit AS i CROSS JOIN visit AS v
      ON v.t = i.t AND v.url = i.url AND v.occ = i.occ AND v.profile = i.profile
      """)
    var known = [Bool](repeating: false, count: rows.count)
    var meetings: [Meeting] = []
    try table.showing(rows[...], attributes) {
      while try find.step() {
        let index = Int(find.int64(0))
        let isDouble = index > 0 && !VisitRow.precedes(rows[index - 1], rows[index])
        guard find.int64(1) <= base || isDouble else { continue }
        known[index] = true
        let isOurs = find.int64(7) == entry
        if isOurs { outcome.ours.append(rows[index]) }
        if VisitWriter.addsNothing(rows[index], attributes, to: find) {
          outcome.count(!retitled.isEmpty && retitled.contains(rows[index].page), isOurs: isOurs)
        } else {
          meetings.append(Meeting(row: index, stored: VisitWriter.stored(find)))
        }
      }
    }
    // Where one batch holds a visit twice, the second meets what the first left.
    var left: [Int64: StoredVisit] = [:]
    for meeting in meetings {
      let stored = left[meeting.stored.sequence] ?? meeting.stored
      let next = try merge(rows[meeting.row], attributes, into: stored)
      if let next { left[meeting.stored.sequence] = next }
      outcome.count(
        next != nil || retitled.contains(rows[meeting.row].page), isOurs: meeting.stored.entry == entry)
    }
    return known
  }

  /// The common case without decoding: everything that came is there already.
  private static func addsNothing(_ row: VisitRow, _ attributes: [UInt8], to stored: Statement) -> Bool {
    let kind = UInt8(truncatingIfNeeded: stored.int64(2))
    let flags = UInt8(truncatingIfNeeded: stored.int64(3))
    guard row.kind == kind || row.kind == 0 || (kind != 0 && row.kind > kind) else { return false }
    guard row.flags | flags == flags else { return false }
    if row.linkPage != 0 {
      let sort = VisitBatch.Flags.linkIsRedirect.rawValue
      guard stored.int64(4) == row.linkPage, stored.int64(5) == row.linkDelta, row.flags & sort == flags & sort else {
        return false
      }
    }
    guard !row.attributes.isEmpty else { return true }
    return stored.withBytes(6) { bytes in
      guard let bytes, bytes.count == row.attributes.count else { return false }
      return bytes.elementsEqual(attributes[Int(row.attributes.lowerBound)..<Int(row.attributes.upperBound)])
    }
  }

  private static func stored(_ row: Statement) -> StoredVisit {
    StoredVisit(
      sequence: row.int64(1), kind: UInt8(truncatingIfNeeded: row.int64(2)),
      flags: UInt8(truncatingIfNeeded: row.int64(3)), linkPage: row.int64(4), linkDelta: row.int64(5),
      attributes: row.bytes(6), entry: row.int64(7))
  }

  /// What the stored visit became; nil when it stays. A changed one moves to the end of the log and its former state is
  /// kept.
  private func merge(_ row: VisitRow, _ attributes: [UInt8], into stored: StoredVisit) throws -> StoredVisit? {
    let came = try fields(
      row.kind, row.flags, row.linkPage, row.time &- row.linkDelta,
      Array(attributes[Int(row.attributes.lowerBound)..<Int(row.attributes.upperBound)]))
    let had = try fields(
      stored.kind, stored.flags, stored.linkPage, row.time &- stored.linkDelta, stored.attributes ?? [])
    let merged = had.merged(with: came)
    guard merged != had else { return nil }
    let encoded = VisitAttributes.encode(merged.attributes)
    var next = stored
    next.sequence = store.nextSequence()
    next.kind = merged.kind
    next.flags = merged.storedFlags
    next.attributes = encoded.isEmpty ? nil : encoded
    next.entry = entry
    if let link = merged.mainLink {
      next.linkPage = try page(of: link, among: [row.linkPage, stored.linkPage])
      next.linkDelta = row.time &- link.visitedAt.microseconds
    }
    try keep(stored, movedTo: next.sequence)
    try store.replaceVisit(stored.sequence, by: next, from: merged == came ? peer : nil)
    return next
  }

  /// Keeps what a visit was before this entry changed it; a second change by the same entry keeps the first memory.
  private func keep(_ stored: StoredVisit, movedTo sequence: Int64) throws {
    if stored.entry == entry {
      let move = try store.statement("UPDATE rec_undo SET rid = ?2 WHERE entry = ?1 AND type = ?3 AND rid = ?4")
      try move.bind(1, entry)
      try move.bind(2, UndoBody.key(sequence))
      try move.bind(3, Int64(ChangeLog.visits.rawValue))
      try move.bind(4, UndoBody.key(stored.sequence))
      try move.run()
    } else {
      let keep = try store.statement("INSERT INTO rec_undo(entry, type, rid, body) VALUES (?1, ?2, ?3, ?4)")
      try keep.bind(1, entry)
      try keep.bind(2, Int64(ChangeLog.visits.rawValue))
      try keep.bind(3, UndoBody.key(sequence))
      try keep.bind(4, UndoBody.visit(stored))
      try keep.run()
    }
  }

  private func fields(
    _ kind: UInt8, _ flags: UInt8, _ linkPage: Int64, _ linkTime: Int64, _ attributes: [UInt8]
  ) throws -> VisitFields {
    var link: HistoryVisit.Link?
    if linkPage != 0, let url = try store.pageURL(linkPage) {
      link = HistoryVisit.Link(url: url, visitedAt: Timestamp(microseconds: linkTime))
    }
    return VisitFields(
      kind: kind, flags: flags, link: link, attributes: attributes.withUnsafeBytes(VisitAttributes.decode))
  }

  /// A link's page is one of the two rows' or, for a former second link, one that may have to be made.
  private func page(of link: HistoryVisit.Link, among candidates: [Int64]) throws -> Int64 {
    for candidate in candidates where candidate != 0 {
      if try store.pageURL(candidate) == link.url { return candidate }
    }
    return try store.pageNumber(link.url, entry: entry)
  }
}

extension RecordStore {
  func pageURL(_ page: Int64) throws -> String? {
    let read = try statement("SELECT url FROM url WHERE id = ?1")
    try read.bind(1, page)
    defer { read.reset() }
    return try read.step() ? read.text(0) : nil
  }

  /// The number of a page, which is made when it is not there.
  func pageNumber(_ url: String, entry: Int64) throws -> Int64 {
    let find = try statement("SELECT id FROM url WHERE url = ?1")
    try find.bind(1, url)
    defer { find.reset() }
    if try find.step() { return find.int64(0) }
    let id = nextSequence()
    let insert = try statement("INSERT INTO url(id, url, seq, entry) VALUES (?1, ?2, ?1, ?3)")
    try insert.bind(1, id)
    try insert.bind(2, url)
    try insert.bind(3, entry)
    try insert.run()
    var digest = LogDigest()
    digest.add(Array(url.utf8).withUnsafeBytes { RowHash.page($0) })
    try add(digest, to: .pages)
    return id
  }

  func replaceVisit(_ sequence: Int64, by next: StoredVisit, from peer: Int64? = nil) throws {
    let update = try statement(
      """
      UPDATE visit SET seq = ?2, kind = ?3, flags = ?4, ref = ?5, ref_dt = ?6, attrs = ?7, entry = ?8, frm = ?9
      WHERE seq = ?1
      """)
    try update.bind(1, sequence)
    try update.bind(2, next.sequence)
    try update.bind(3, Int64(next.kind))
    try update.bind(4, Int64(next.flags))
    try update.bind(5, next.linkPage == 0 ? nil : next.linkPage)
    try update.bind(6, next.linkPage == 0 ? nil : next.linkDelta)
    try update.bind(7, next.attributes)
    try update.bind(8, next.entry)
    try update.bind(9, peer)
    try update.run()
  }
}
