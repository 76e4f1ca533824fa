internal import BrowsingData
internal import SQLite

/// Which visits are meant.
struct HistoryExtent {
  /// Only those that this entry left as they are.
  var entry: Int64?
  /// Only those above this row sequence.
  var after: Int64 = 0

  /// A condition on rows of `visit`, with a place for `bound`; nil when all are meant.
  var condition: String? { entry != nil ? "entry = ?1" : after > 0 ? "seq > ?1" : nil }
  /// What goes into that place.
  var bound: Int64? { entry ?? (after > 0 ? after : nil) }
  /// By the index where most is read, by the row where little is.
  var order: String { after > 0 ? "" : "INDEXED BY visit_id" }
}

/// History as it lies in the store: pages, then visits that name them by number. Two scans, no join.
extension RecordStore {
  private static let pagesAtOnce = 10_000
  private static let textAtOnce = 2 << 20
  private static let visitsAtOnce = 10_000

  /// Every page of visits and links, then the visits, the oldest first.
  func readPagedVisits(_ extent: HistoryExtent, _ consume: (RecordBatch) throws -> Void) throws {
    try readPages(extent, consume)
    let profiles = try pagedProfiles()
    let read = try database.prepare(
      """
      SELECT t, url, occ, profile, kind, flags, ref, ref_dt, attrs FROM visit \(extent.order)
      \(extent.condition.map { "WHERE " + $0 } ?? "") ORDER BY t, url, occ, profile
      """)
    if let bound = extent.bound { try read.bind(1, bound) }
    var batch = VisitBatch()
    func begin() {
      batch = VisitBatch()
      batch.profiles = profiles.labels
      batch.visits.reserveCapacity(RecordStore.visitsAtOnce)
    }
    begin()
    while try read.step() {
      var visit = VisitBatch.Visit(page: read.int64(1), time: read.int64(0))
      visit.occurrence = Int32(truncatingIfNeeded: read.int64(2))
      visit.profile = profiles.indices[read.int64(3)] ?? 0
      visit.transition = UInt8(truncatingIfNeeded: read.int64(4))
      visit.flags = VisitBatch.Flags(rawValue: UInt8(truncatingIfNeeded: read.int64(5)))
      visit.linkPage = read.int64(6)
      visit.linkDelta = visit.linkPage == 0 ? 0 : read.int64(7)
      let attributes = read.withBytes(8) { $0.map { VisitAttributes.decode($0) } }
      if let attributes, !attributes.isEmpty {
        visit.attributes = Int32(batch.attributes.count)
        batch.attributes.append(attributes)
      }
      batch.visits.append(visit)
      guard batch.visits.count >= RecordStore.visitsAtOnce else { continue }
      try consume(.visits(batch))
      begin()
    }
    if !batch.visits.isEmpty { try consume(.visits(batch)) }
  }

  private func readPages(_ extent: HistoryExtent, _ consume: (RecordBatch) throws -> Void) throws {
    let condition = extent.condition.map { condition in
      """
      WHERE id IN (SELECT url FROM visit WHERE \(condition)
        UNION SELECT ref FROM visit WHERE \(condition) AND ref IS NOT NULL)
      """
    }
    let read = try database.prepare("SELECT id, url, title FROM url \(condition ?? "") ORDER BY id")
    if let bound = extent.bound { try read.bind(1, bound) }
    var batch = PageBatch()
    while try read.step() {
      read.withText(1) { url in
        read.withText(2) { title in
          guard let url else { return }
          batch.append(number: read.int64(0), url: url, title: title)
        }
      }
      guard batch.pages.count >= RecordStore.pagesAtOnce || batch.text.count >= RecordStore.textAtOnce else {
        continue
      }
      try consume(.pages(batch))
      batch = PageBatch()
    }
    if !batch.pages.isEmpty { try consume(.pages(batch)) }
  }

  private func pagedProfiles() throws -> (labels: [String], indices: [Int64: Int32]) {
    var labels = [""]
    var indices: [Int64: Int32] = [0: 0]
    let read = try statement("SELECT id, label FROM profile WHERE id <> 0 ORDER BY id")
    while try read.step() {
      indices[read.int64(0)] = Int32(labels.count)
      labels.append(read.text(1) ?? "")
    }
    return (labels, indices)
  }
}
