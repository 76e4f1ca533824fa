internal import BrowsingData
internal import SQLite

/// The change logs of history. A page's place is its number until it changes, then the partial index's; a visit's is its
/// row.
extension RecordStore {
  func pageChanges(after: Int64, maximumRecords: Int, maximumBytes: Int) throws -> ChangeBatch? {
    let read = try statement(
      """
      SELECT id AS s, id, url, title, title_t FROM url WHERE id > ?1 AND seq = id
      UNION ALL SELECT seq, id, url, title, title_t FROM url INDEXED BY url_seq WHERE seq > ?1 AND seq <> id
      ORDER BY 1 LIMIT ?2
      """)
    try read.bind(1, after)
    try read.bind(2, Int64(maximumRecords))
    defer { read.reset() }
    var pages = PageBatch()
    var last = after
    while try read.step() {
      let url = read.withText(2) { pages.add($0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
      let title = read.withText(3) { bytes in bytes.map { pages.add($0) } }
      var page = PageBatch.Page(number: read.int64(1), url: url, title: title)
      page.sequence = read.int64(0)
      page.titleTime = read.int64(4)
      page.was = page.sequence == page.number ? 0 : page.number
      last = page.sequence
      pages.pages.append(page)
      if pages.text.count + pages.pages.count * RecordStore.pageOverhead >= maximumBytes { break }
    }
    guard !pages.pages.isEmpty else {
      // Every page up to here was read: visits up to here name none that was not.
      pageHorizon = try database.int64("SELECT seq FROM store")
      return nil
    }
    return ChangeBatch(log: .pages, first: after, last: last, content: .pages(pages))
  }

  func visitChanges(after: Int64, maximumRecords: Int, maximumBytes: Int) throws -> ChangeBatch? {
    let read = try statement(
      """
      SELECT seq, t, url, occ, profile, kind, flags, ref, ref_dt, attrs FROM visit
      WHERE seq > ?1 AND seq <= ?2 ORDER BY seq LIMIT ?3
      """)
    try read.bind(1, after)
    try read.bind(2, pageHorizon ?? .max)
    try read.bind(3, Int64(min(maximumRecords, max(1, maximumBytes / RecordStore.visitOverhead))))
    defer { read.reset() }
    var batch = VisitBatch()
    var profiles: [Int64: Int32] = [0: 0]
    var extra = 0
    var last = after
    while try read.step() {
      var visit = VisitBatch.Visit(page: read.int64(2), time: read.int64(1))
      visit.sequence = read.int64(0)
      visit.occurrence = Int32(truncatingIfNeeded: read.int64(3))
      visit.profile = try profileIndex(read.int64(4), &profiles, &batch.profiles)
      visit.transition = UInt8(truncatingIfNeeded: read.int64(5))
      visit.flags = VisitBatch.Flags(rawValue: UInt8(truncatingIfNeeded: read.int64(6)))
      visit.linkPage = read.int64(7)
      visit.linkDelta = read.int64(8)
      read.withBytes(9) { bytes in
        guard let bytes else { return }
        visit.attributes = Int32(batch.attributes.count)
        batch.attributes.append(VisitAttributes.decode(bytes))
        extra += bytes.count
      }
      last = visit.sequence
      batch.visits.append(visit)
      if batch.visits.count * RecordStore.visitOverhead + extra >= maximumBytes { break }
    }
    guard !batch.visits.isEmpty else { return nil }
    return ChangeBatch(log: .visits, first: after, last: last, content: .visits(batch))
  }

  /// Bytes that a page and a visit take beside their texts; more than the wire needs.
  private static let pageOverhead = 24
  private static let visitOverhead = 40

  func profileIndex(
    _ number: Int64, _ known: inout [Int64: Int32], _ labels: inout [String]
  ) throws -> Int32 {
    if let index = known[number] { return index }
    let index = Int32(labels.count)
    labels.append(try profileLabel(number))
    known[number] = index
    return index
  }

  func profileLabel(_ number: Int64) throws -> String {
    let read = try statement("SELECT label FROM profile WHERE id = ?1")
    try read.bind(1, number)
    defer { read.reset() }
    return try read.step() ? read.text(0) ?? "" : ""
  }
}
