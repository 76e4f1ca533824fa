internal import BrowsingData
internal import SQLite

/// A peer's visit in the store's numbers.
struct IncomingVisit {
  var page: Int64
  var hash: RowHash
  var profile: HistoryWriter.Profile
  var visit: VisitBatch.Visit
  var attributes: VisitBatch.Attributes
  /// The link that has columns of its own.
  var link: HistoryVisit.Link?

  var fields: VisitFields {
    let flags = link == nil ? visit.flags.rawValue & 7 : visit.flags.rawValue & 15
    return VisitFields(kind: visit.transition, flags: flags, link: link, attributes: attributes)
  }
}

/// Writes a peer's visits one by one: new ones are added, known ones merged.
final class SyncVisitWriter {
  enum Outcome {
    case added
    case changed
    case unchanged
  }

  private let store: RecordStore
  private let entry: Int64
  private let peer: Int64
  private var digest = LogDigest()

  init(_ store: RecordStore, entry: Int64, peer: Int64) throws {
    self.store = store
    self.entry = entry
    self.peer = peer
  }

  /// Writes what the visits add to the digest.
  func finish() throws {
    try store.add(digest, to: .visits)
    digest = LogDigest()
  }

  func write(_ came: IncomingVisit) throws -> Outcome {
    let find = try store.statement(
      """
      SELECT seq, kind, flags, ref, ref_dt, attrs, entry FROM visit
      WHERE t = ?1 AND url = ?2 AND occ = ?3 AND profile = ?4
      """)
    try find.bind(1, came.visit.time)
    try find.bind(2, came.page)
    try find.bind(3, Int64(came.visit.occurrence))
    try find.bind(4, Int64(came.profile.number))
    guard try find.step() else {
      try insert(came)
      return .added
    }
    let stored = StoredVisit(
      sequence: find.int64(0), kind: UInt8(truncatingIfNeeded: find.int64(1)),
      flags: UInt8(truncatingIfNeeded: find.int64(2)), linkPage: find.int64(3), linkDelta: find.int64(4),
      attributes: find.bytes(5), entry: find.int64(6))
    find.reset()
    return try merge(came, into: stored)
  }

  private func insert(_ came: IncomingVisit) throws {
    let fields = came.fields
    let link = try fields.mainLink.map { try store.pageNumber($0.url, entry: entry) }
    let attributes = VisitAttributes.encode(fields.attributes)
    let insert = try store.statement(
      """
      INSERT INTO visit(seq, t, url, occ, profile, kind, flags, ref, ref_dt, attrs, frm, entry)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)
      """)
    try insert.bind(1, store.nextSequence())
    try insert.bind(2, came.visit.time)
    try insert.bind(3, came.page)
    try insert.bind(4, Int64(came.visit.occurrence))
    try insert.bind(5, Int64(came.profile.number))
    try bind(fields, link, came.visit.time, attributes, to: insert, from: 6)
    try insert.bind(11, peer)
    try insert.bind(12, entry)
    try insert.run()
    digest.add(
      VisitHasher.visit(
        page: came.hash, time: came.visit.time, occurrence: came.visit.occurrence, profile: came.profile.hash))
  }

  private func merge(_ came: IncomingVisit, into stored: StoredVisit) throws -> Outcome {
    var link: HistoryVisit.Link?
    if stored.linkPage != 0, let url = try store.pageURL(stored.linkPage) {
      link = HistoryVisit.Link(
        url: url, visitedAt: Timestamp(microseconds: came.visit.time &- stored.linkDelta))
    }
    let had = VisitFields(
      kind: stored.kind, flags: stored.flags, link: link,
      attributes: (stored.attributes ?? []).withUnsafeBytes(VisitAttributes.decode))
    let theirs = came.fields
    let merged = had.merged(with: theirs)
    guard merged != had else { return .unchanged }
    let sequence = store.nextSequence()
    try store.keepVisit(stored, movedTo: sequence, entry: entry)
    let page = try merged.mainLink.map { try store.pageNumber($0.url, entry: entry) }
    let update = try store.statement(
      """
      UPDATE visit SET seq = ?2, kind = ?3, flags = ?4, ref = ?5, ref_dt = ?6, attrs = ?7, frm = ?8, entry = ?9
      WHERE seq = ?1
      """)
    try update.bind(1, stored.sequence)
    try update.bind(2, sequence)
    try bind(merged, page, came.visit.time, VisitAttributes.encode(merged.attributes), to: update, from: 3)
    try update.bind(8, merged == theirs ? peer : nil)
    try update.bind(9, entry)
    try update.run()
    return .changed
  }

  /// Binds kind, flags, ref, ref_dt and attrs.
  private func bind(
    _ fields: VisitFields, _ page: Int64?, _ time: Int64, _ attributes: [UInt8], to statement: Statement,
    from first: Int32
  ) throws {
    try statement.bind(first, Int64(fields.kind))
    try statement.bind(first + 1, Int64(fields.storedFlags))
    try statement.bind(first + 2, page)
    try statement.bind(first + 3, fields.mainLink.map { time &- $0.visitedAt.microseconds })
    try statement.bind(first + 4, attributes.isEmpty ? nil : attributes)
  }
}

extension RecordStore {
  /// Keeps what a visit was before an entry changed it; a second change by the same entry keeps the first memory.
  func keepVisit(_ stored: StoredVisit, movedTo sequence: Int64, entry: Int64) throws {
    if stored.entry == entry {
      let move = try statement("UPDATE rec_undo SET rid = ?2 WHERE entry = ?1 AND type = ?3 AND rid = ?4")
      try move.bind(1, entry)
      try move.bind(2, UndoBody.key(sequence))
      try move.bind(3, Int64(ChangeLog.visits.rawValue))
      try move.bind(4, UndoBody.key(stored.sequence))
      try move.run()
    } else {
      let keep = try statement("INSERT INTO rec_undo(entry, type, rid, body) VALUES (?1, ?2, ?3, ?4)")
      try keep.bind(1, entry)
      try keep.bind(2, Int64(ChangeLog.visits.rawValue))
      try keep.bind(3, UndoBody.key(sequence))
      try keep.bind(4, UndoBody.visit(stored))
      try keep.run()
    }
  }

  /// Visits that did not come from this peer, up to where all pages were sent. A page that came from the peer is named by
  /// the peer's number, negated.
  func syncVisits(
    after: Int64, upTo end: Int64, but peer: Int64, pagesOf owner: Int64, _ limit: BatchLimit
  ) throws -> VisitBatch {
    let read = try statement(
      """
      SELECT v.seq, v.t, v.url, v.occ, v.profile, v.kind, v.flags, v.ref, v.ref_dt, v.attrs,
        (SELECT frm_no FROM url WHERE id = v.url AND frm = ?4), (SELECT frm_no FROM url WHERE id = v.ref AND frm = ?4)
      FROM visit AS v WHERE v.seq > ?1 AND v.seq <= ?2 AND (v.frm IS NULL OR v.frm <> ?3) ORDER BY v.seq LIMIT ?5
      """)
    try read.bind(1, after)
    try read.bind(2, end)
    try read.bind(3, peer)
    try read.bind(4, owner)
    try read.bind(5, Int64(min(limit.records, max(1, limit.bytes / 40))))
    defer { read.reset() }
    var batch = VisitBatch()
    var profiles: [Int64: Int32] = [0: 0]
    var extra = 0
    while try read.step() {
      var visit = VisitBatch.Visit(page: read.optionalInt64(10).map { -$0 } ?? read.int64(2), time: read.int64(1))
      visit.sequence = read.int64(0)
      visit.occurrence = Int32(truncatingIfNeeded: read.int64(3))
      visit.profile = try profileIndex(read.int64(4), &profiles, &batch.profiles)
      visit.transition = UInt8(truncatingIfNeeded: read.int64(5))
      visit.flags = VisitBatch.Flags(rawValue: UInt8(truncatingIfNeeded: read.int64(6)))
      visit.linkPage = read.optionalInt64(11).map { -$0 } ?? read.int64(7)
      visit.linkDelta = read.int64(8)
      read.withBytes(9) { bytes in
        guard let bytes else { return }
        visit.attributes = Int32(batch.attributes.count)
        batch.attributes.append(VisitAttributes.decode(bytes))
        extra += bytes.count
      }
      batch.visits.append(visit)
      if batch.visits.count * 40 + extra >= limit.bytes { break }
    }
    return batch
  }
}
