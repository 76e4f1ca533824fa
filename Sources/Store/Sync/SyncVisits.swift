internal import BrowsingData
internal import SQLite

extension RecordStore {
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
