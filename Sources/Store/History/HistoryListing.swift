package import BrowsingData
internal import SQLite

/// Visits as flat records: pages looked up, links resolved, redirect destinations derived.
extension RecordStore {
  /// The newest first.
  func listVisits(search: SearchTerm?, limit: Int?, _ body: (HistoryVisit) throws -> Void) throws {
    let pages = try search.map { try pagesMatching($0) }
    try eachVisit(newestFirst: true, on: pages, entry: nil, limit: limit, body)
  }

  /// The oldest first, in batches; only those that an entry left as they are, when one is named.
  func readVisits(entry: Int64?, _ consume: (RecordBatch) throws -> Void) throws {
    var batch: [HistoryVisit] = []
    try eachVisit(newestFirst: false, on: nil, entry: entry, limit: nil) { visit in
      batch.append(visit)
      guard batch.count >= 2_000 else { return }
      try consume(.history(batch))
      batch.removeAll(keepingCapacity: true)
    }
    if !batch.isEmpty { try consume(.history(batch)) }
  }

  private func eachVisit(
    newestFirst: Bool, on pages: Set<Int64>?, entry: Int64?, limit: Int?, _ body: (HistoryVisit) throws -> Void
  ) throws {
    // Pages are looked up at random: through the page cache alone that costs half as much again.
    _ = try database.text("PRAGMA mmap_size = 67108864")
    defer { _ = try? database.text("PRAGMA mmap_size = 0") }
    let hops = try Hops(self, after: 0)
    let labels = try profileLabels()
    let direction = newestFirst ? "DESC" : "ASC"
    // Not kept: what `body` does with this store must not disturb it.
    let read = try database.prepare(
      """
      SELECT v.t, v.url, v.occ, v.profile, v.kind, v.flags, v.ref, v.ref_dt, v.attrs, p.url, p.title
      FROM visit AS v INDEXED BY visit_id CROSS JOIN url AS p ON p.id = v.url
      \(entry == nil ? "" : "WHERE v.entry = ?1")
      ORDER BY v.t \(direction), v.url \(direction), v.occ \(direction), v.profile \(direction)
      """)
    if let entry { try read.bind(1, entry) }
    var left = limit ?? .max
    while left > 0, try read.step() {
      if let pages, !pages.contains(read.int64(1)) { continue }
      left -= 1
      try body(try visit(read, hops, labels))
    }
  }

  /// The visits after a sequence and up to another, flat, in the order in which they came, each with its sequence. A
  /// redirect destination is derived only from visits that came after `after`.
  package func visits(after: Int64, upTo last: Int64) throws -> [(sequence: Int64, visit: HistoryVisit)] {
    try reading {
      let hops = try Hops(self, after: after)
      let labels = try profileLabels()
      let read = try database.prepare(
        """
        SELECT v.t, v.url, v.occ, v.profile, v.kind, v.flags, v.ref, v.ref_dt, v.attrs, p.url, p.title, v.seq
        FROM visit AS v CROSS JOIN url AS p ON p.id = v.url WHERE v.seq > ?1 AND v.seq <= ?2 ORDER BY v.seq
        """)
      try read.bind(1, after)
      try read.bind(2, last)
      var visits: [(sequence: Int64, visit: HistoryVisit)] = []
      while try read.step() { visits.append((read.int64(11), try visit(read, hops, labels))) }
      return visits
    }
  }

  /// The sequence of the visit that came last, 0 when there is none.
  package func newestVisit() throws -> Int64 {
    try reading {
      let read = try statement("SELECT max(seq) FROM visit")
      defer { read.reset() }
      return try read.step() ? read.int64(0) : 0
    }
  }

  private func visit(_ row: Statement, _ hops: Hops, _ labels: [Int64: String]) throws -> HistoryVisit {
    let time = row.int64(0)
    var link: HistoryVisit.Link?
    if row.int64(6) != 0, let url = try pageURL(row.int64(6)) {
      link = HistoryVisit.Link(url: url, visitedAt: Timestamp(microseconds: time &- row.int64(7)))
    }
    let fields = VisitFields(
      kind: UInt8(truncatingIfNeeded: row.int64(4)), flags: UInt8(truncatingIfNeeded: row.int64(5)), link: link,
      attributes: row.withBytes(8) { $0.map { VisitAttributes.decode($0) } ?? VisitBatch.Attributes() })
    let flags = VisitBatch.Flags(rawValue: fields.flags)
    var visit = HistoryVisit(
      url: row.text(9) ?? "", title: row.text(10), visitedAt: Timestamp(microseconds: time),
      visitCount: Int(clamping: fields.count), transition: HistoryVisit.Transition(rawValue: fields.kind),
      loaded: !flags.contains(.loadFailed), httpGet: !flags.contains(.notGet),
      redirectSource: fields.redirectSource, redirectDestination: fields.destination, referrer: fields.referrer,
      hidden: flags.contains(.hidden), occurrence: Int(row.int64(2)), profile: labels[row.int64(3)])
    if visit.redirectDestination == nil, let next = hops.after(page: row.int64(1), time: time),
      let url = try pageURL(next.page)
    {
      visit.redirectDestination = HistoryVisit.Link(url: url, visitedAt: Timestamp(microseconds: next.time))
    }
    visit.unknown = fields.unknown
    return visit
  }

  private func pagesMatching(_ term: SearchTerm) throws -> Set<Int64> {
    var pages: Set<Int64> = []
    let read = try statement("SELECT id, url, title FROM url")
    while try read.step() {
      let matches = [Int32(1), 2].contains { column in
        read.withText(column) { $0.map { term.matches(utf8: $0) } ?? false }
      }
      if matches { pages.insert(read.int64(0)) }
    }
    return pages
  }

  private func profileLabels() throws -> [Int64: String] {
    var labels: [Int64: String] = [:]
    let read = try statement("SELECT id, label FROM profile WHERE id <> 0")
    while try read.step() { labels[read.int64(0)] = read.text(1) }
    return labels
  }
}

/// Redirects, by the visit that they come from: what is derived and not stored. Few visits are redirects.
private struct Hops {
  private struct Visit: Hashable {
    var page: Int64
    var time: Int64
  }
  private var next: [Visit: Visit] = [:]

  /// Of the visits above a sequence.
  init(_ store: RecordStore, after sequence: Int64) throws {
    let read = try store.statement(
      "SELECT ref, t - ref_dt, url, t FROM visit WHERE seq > ?1 AND flags & 8 <> 0 AND ref IS NOT NULL")
    try read.bind(1, sequence)
    while try read.step() {
      let from = Visit(page: read.int64(0), time: read.int64(1))
      let to = Visit(page: read.int64(2), time: read.int64(3))
      // Of two that claim one source the earlier, then the smaller number, in every listing.
      if let known = next[from], (known.time, known.page) <= (to.time, to.page) { continue }
      next[from] = to
    }
  }

  /// Where the visit of a page at a time was redirected to.
  func after(page: Int64, time: Int64) -> (page: Int64, time: Int64)? {
    next[Visit(page: page, time: time)].map { ($0.page, $0.time) }
  }
}
