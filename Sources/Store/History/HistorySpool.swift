internal import BrowsingData
internal import SQLite

/// Takes the history of a source that is captured for one transfer as it will be sent: runs of its two logs, each encoded
/// once and kept as bytes. Such a history is read once, in order, and then deleted: rows and indices would serve nobody.
///
/// A capture that begins again finds its first runs there already and goes on after them. From the first run that differs,
/// since the source has changed, all is written once more: what arrives twice is one record at the importer.
final class HistorySpool {
  private unowned let run: ImportRun
  private let store: RecordStore
  private let encode: ImportOptions.HistoryEncoding
  private var map = PageMap()
  /// Where each log ends.
  private var ends: [ChangeLog: Int64] = [:]
  /// The runs of an earlier attempt that have not been met again.
  private var earlier: ArraySlice<Run> = []

  private struct Run {
    var number: Int64
    var log: Int64
    var first: Int64
    var last: Int64
    /// The row sequence before its first row.
    var start: Int64
  }

  init(_ run: ImportRun, _ encode: @escaping ImportOptions.HistoryEncoding) throws {
    self.run = run
    self.encode = encode
    store = run.store
    let read = try store.statement("SELECT no, log, first, last, start FROM spool ORDER BY no")
    while try read.step() {
      let run = Run(
        number: read.int64(0), log: read.int64(1), first: read.int64(2), last: read.int64(3), start: read.int64(4))
      earlier.append(run)
      if let log = UInt8(exactly: run.log).flatMap(ChangeLog.init(rawValue:)) { ends[log] = run.last }
    }
  }

  // MARK: Pages

  /// Pages of the source, numbered by it.
  func apply(_ batch: PageBatch) throws {
    try inParts(taken(batch).pages[...], of: batch)
  }

  /// Without those that no peer would take: their visits are then skipped, each with a remark.
  private func taken(_ batch: PageBatch) -> PageBatch {
    let limit = Int32(clamping: batch.text.count)
    func fits(_ range: Range<Int32>) -> Bool {
      range.lowerBound >= 0 && range.upperBound <= limit && range.count <= FlatHistoryBuffer.longestText
    }
    var taken = batch
    taken.pages.removeAll { !fits($0.url) }
    for index in taken.pages.indices where !(taken.pages[index].title.map(fits) ?? true) {
      taken.pages[index].title = nil
    }
    return taken
  }

  /// Halves what could be too large for one run, as often as it needs; the same pages always make the same runs.
  private func inParts(_ pages: ArraySlice<PageBatch.Page>, of batch: PageBatch) throws {
    guard !pages.isEmpty else { return }
    let size = pages.reduce(0) { $0 + $1.url.count + ($1.title?.count ?? 0) + HistorySpool.pageOverhead }
    guard size <= HistorySpool.runSize || pages.count == 1 else {
      let middle = pages.startIndex + pages.count / 2
      try inParts(pages[..<middle], of: batch)
      try inParts(pages[middle...], of: batch)
      return
    }
    var part = batch
    part.pages = Array(pages)
    if pages.count < batch.pages.count { gather(&part) }
    try add(part)
  }

  /// Leaves only the text that the pages name.
  private func gather(_ part: inout PageBatch) {
    var text: [UInt8] = []
    func move(_ range: Range<Int32>) -> Range<Int32> {
      let start = Int32(text.count)
      text += part.text[Int(range.lowerBound)..<Int(range.upperBound)]
      return start..<Int32(text.count)
    }
    for index in part.pages.indices {
      part.pages[index].url = move(part.pages[index].url)
      part.pages[index].title = part.pages[index].title.map(move)
    }
    part.text = text
  }

  private func add(_ batch: PageBatch) throws {
    let hashes = batch.text.withUnsafeBytes { text in
      batch.pages.map { RowHash.page(PageRow.bytes($0.url, of: text)) }
    }
    var digest = LogDigest()
    for hash in hashes { digest.add(hash) }
    var numbered = batch
    let start = try put(.pages, batch.pages.count, digest) { start in
      for index in numbered.pages.indices {
        numbered.pages[index].number = start + 1 + Int64(index)
        numbered.pages[index].sequence = numbered.pages[index].number
      }
      return .pages(numbered)
    }
    map.add(
      batch.pages.indices.map {
        (batch.pages[$0].number, PageMap.Target(page: start + 1 + Int64($0), hash: hashes[$0]))
      })
  }

  // MARK: Visits

  /// Visits of the source that name its pages.
  func apply(_ batch: VisitBatch) throws {
    var numbered = batch
    let profiles = batch.profiles.map { VisitHasher.profile($0) }
    var hashes: [RowHash] = []
    hashes.reserveCapacity(batch.visits.count)
    numbered.visits.removeAll(keepingCapacity: true)
    let (pages, links) = map.targets(of: batch.visits)
    for (index, visit) in batch.visits.enumerated() {
      let target = pages[index]
      if let problem = VisitCheck.problem(of: visit, hasPage: target != nil, profiles: profiles.count) {
        run.report.add(Remark(.skipped, type: .history, reason: problem))
        continue
      }
      guard let target else { continue }
      hashes.append(
        VisitHasher.visit(
          page: target.hash, time: visit.time, occurrence: visit.occurrence, profile: profiles[Int(visit.profile)]))
      numbered.visits.append(self.numbered(visit, on: target, from: links[index], attributes: batch.attributes.count))
    }
    for index in numbered.attributes.indices where numbered.attributes[index].visitCount < 1 {
      numbered.attributes[index].visitCount = 1
    }
    try inParts(numbered.visits[...], hashes[...], of: numbered)
  }

  private func numbered(
    _ visit: VisitBatch.Visit, on page: PageMap.Target, from link: Int64?, attributes: Int
  ) -> VisitBatch.Visit {
    var numbered = visit
    numbered.page = page.page
    if !(0..<attributes).contains(Int(visit.attributes)) { numbered.attributes = -1 }
    numbered.flags.formIntersection([.loadFailed, .notGet, .hidden, .linkIsRedirect])
    if let link, VisitCheck.isLinkPlausible(visit) {
      numbered.linkPage = link
    } else {
      numbered.linkPage = 0
      numbered.linkDelta = 0
      numbered.flags.remove(.linkIsRedirect)
    }
    return numbered
  }

  private func inParts(
    _ visits: ArraySlice<VisitBatch.Visit>, _ hashes: ArraySlice<RowHash>, of batch: VisitBatch
  ) throws {
    guard !visits.isEmpty else { return }
    var size = visits.count * HistorySpool.visitOverhead
    if !batch.attributes.isEmpty {
      for visit in visits where visit.attributes >= 0 {
        size += HistorySpool.attributeOverhead + VisitAttributes.encode(batch.attributes[Int(visit.attributes)]).count
      }
    }
    guard size <= HistorySpool.runSize || visits.count == 1 else {
      let half = visits.count / 2
      try inParts(visits.prefix(half), hashes.prefix(half), of: batch)
      try inParts(visits.dropFirst(half), hashes.dropFirst(half), of: batch)
      return
    }
    var part = batch
    part.visits = Array(visits)
    if visits.count < batch.visits.count {
      part.attributes = []
      for index in part.visits.indices where part.visits[index].attributes >= 0 {
        part.attributes.append(batch.attributes[Int(part.visits[index].attributes)])
        part.visits[index].attributes = Int32(part.attributes.count - 1)
      }
    }
    var digest = LogDigest()
    for hash in hashes { digest.add(hash) }
    _ = try put(.visits, part.visits.count, digest) { start in
      for index in part.visits.indices { part.visits[index].sequence = start + 1 + Int64(index) }
      return .visits(part)
    }
    run.report[.history].found += part.visits.count
    run.report[.history].added += part.visits.count
  }

  // MARK: Runs

  /// Writes a run, unless an earlier attempt has written the same one; returns the row sequence before its first row.
  private func put(
    _ log: ChangeLog, _ count: Int, _ digest: LogDigest, _ content: (Int64) -> ChangeBatch.Content
  ) throws -> Int64 {
    if let known = earlier.popFirst() {
      if known.log == Int64(log.rawValue), known.last - known.start == Int64(count),
        try frame(log, first: known.first, start: known.start, count, content, number: known.number)
          == storedFrame(known.number)
      {
        return known.start
      }
      earlier = []
    }
    let start = store.takeSequences(count)
    let first = ends[log] ?? 0
    let number = (try store.database.int64("SELECT max(no) FROM spool") ?? 0) + 1
    let insert = try store.statement(
      "INSERT INTO spool(no, log, first, last, start, frame) VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
    try insert.bind(1, number)
    try insert.bind(2, Int64(log.rawValue))
    try insert.bind(3, first)
    try insert.bind(4, start + Int64(count))
    try insert.bind(5, start)
    try insert.bind(6, try frame(log, first: first, start: start, count, content, number: number))
    try insert.run()
    ends[log] = start + Int64(count)
    try store.add(digest, to: log)
    try run.commitIfAllowed()
    return start
  }

  private func frame(
    _ log: ChangeLog, first: Int64, start: Int64, _ count: Int, _ content: (Int64) -> ChangeBatch.Content, number: Int64
  ) throws -> [UInt8] {
    try encode(
      ChangeBatch(log: log, first: first, last: start + Int64(count), content: content(start)), number)
  }

  private func storedFrame(_ number: Int64) throws -> [UInt8]? {
    let read = try store.statement("SELECT frame FROM spool WHERE no = ?1")
    try read.bind(1, number)
    defer { read.reset() }
    return try read.step() ? read.bytes(0) : nil
  }

  /// The bound of a run before compression, and what a page, a visit and its attributes take at most beside their texts.
  private static let runSize = 1_000_000
  private static let pageOverhead = 40
  private static let visitOverhead = 80
  private static let attributeOverhead = 32
}
