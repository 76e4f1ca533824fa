internal import BrowsingData
internal import SQLite

/// The part of an import that writes history: buffers what comes, sorts it in large chunks, writes it.
final class HistoryWriter {
  private unowned let run: ImportRun
  private let store: RecordStore
  private var writers: (pages: PageWriter, visits: VisitWriter)?
  private var map = PageMap()
  private var isMapLoaded = false
  private var profiles: [String: Profile] = [:]
  private var pageBuffer = PageBuffer()
  private var flatBuffer = FlatHistoryBuffer()
  private var uncommitted = 0
  private var saidForgotten = false
  /// Grows when page numbers are forgotten: what was prepared with them is void.
  private var generation = 0

  /// A profile's number here and its part of the hash.
  struct Profile {
    var number: Int32
    var hash: UInt64
  }

  init(_ run: ImportRun) {
    self.run = run
    store = run.store
  }

  // MARK: From a source

  /// Pages of a source, numbered by it.
  func apply(_ batch: PageBatch) throws {
    pageBuffer.add(batch)
    if pageBuffer.isFull { try flushPages() }
  }

  /// Visits of a source that name its pages.
  func apply(_ batch: VisitBatch) throws {
    try flushPages()
    var visits = VisitPreparation(
      map: map, profiles: try batch.profiles.map { try profile($0) }, maySkipPages: false, generation: generation
    ).take(batch)
    for remark in visits.remarks { run.report.add(remark) }
    try write(&visits.rows, visits.attributes)
  }

  /// Visits that carry their addresses.
  func apply(_ visits: [HistoryVisit]) throws {
    for visit in visits {
      if let problem = FlatHistoryBuffer.problem(of: visit) {
        run.report.add(Remark(.skipped, type: .history, reason: problem))
        continue
      }
      if let warning = FlatHistoryBuffer.warning(of: visit) {
        run.report.add(Remark(.warning, type: .history, reason: warning))
      }
      flatBuffer.add(visit, profile: try profile(visit.profile ?? ""))
      if flatBuffer.isFull { try flushVisits() }
    }
  }

  /// Writes what is buffered.
  func finish() throws {
    try flushPages()
    try flushVisits()
  }

  /// Forgets what was read of the page numbers: they are read again from the store.
  func forget() {
    generation += 1
    map = PageMap()
    isMapLoaded = false
    writers = nil
    profiles = [:]
  }

  private func flushPages() throws {
    guard !pageBuffer.rows.isEmpty else { return }
    let buffer = pageBuffer
    pageBuffer = PageBuffer()
    let (ids, hashes) = try resolve(buffer.rows, buffer.text)
    addToMap(buffer.numbers, ids, hashes)
    try commit(after: buffer.rows.count)
  }

  private func flushVisits() throws {
    guard !flatBuffer.visits.isEmpty else { return }
    let (ids, hashes) = try resolve(flatBuffer.pages, flatBuffer.text)
    var chunk = flatBuffer.take(pages: ids, hashes: hashes)
    try write(&chunk.rows, chunk.attributes)
  }

  private func write(_ rows: inout [VisitRow], _ attributes: [UInt8]) throws {
    guard !rows.isEmpty else { return }
    VisitRow.sort(&rows)
    let start = store.lastSequence
    let outcome = try visits().write(&rows, attributes, retitled: pages().retitled)
    let forgotten = try dropForgotten(after: start)
    run.report[.history].found += rows.count
    run.report[.history].added += outcome.added - forgotten
    run.report[.history].changed += outcome.changed
    run.report[.history].unchanged += outcome.unchanged + forgotten
    try commit(after: rows.count)
  }

  /// Visits that were forgotten here do not come back; that is said once.
  private func dropForgotten(after sequence: Int64) throws -> Int {
    let count = try store.dropForgotten(after: sequence)
    if count > 0, !saidForgotten {
      saidForgotten = true
      run.report.add(
        Remark(.warning, type: .history, reason: "visits that were forgotten here stay forgotten"))
    }
    return count
  }

  private func commit(after rows: Int) throws {
    uncommitted += rows
    guard uncommitted >= 10_000 else { return }
    uncommitted = 0
    try run.commitIfAllowed()
  }

  // MARK: From a peer

  /// Pages of a peer's log: rows and page numbers. Inside the batch's transaction.
  func receive(_ batch: PageBatch) throws -> ReceivedRows {
    try loadMap()
    var received = ReceivedRows()
    let limit = Int32(clamping: batch.text.count)
    var rows: [PageRow] = []
    rows.reserveCapacity(batch.pages.count)
    for (index, page) in batch.pages.enumerated() {
      let isInside = page.url.lowerBound >= 0 && page.url.upperBound <= limit
      let title = page.title ?? 0..<0
      guard isInside, title.lowerBound >= 0, title.upperBound <= limit, page.number > 0,
        page.number <= Int64(UInt32.max)
      else { throw StoreError.malformed(.pages) }
      rows.append(PageRow(url: page.url, title: page.title, titleTime: page.titleTime, index: Int32(index)))
    }
    let (ids, hashes) = try resolve(rows, batch.text)
    let numbers = batch.pages.map(\.number)
    let isNew = numbers.map { map.target(of: $0) == nil }
    addToMap(numbers, ids, hashes)
    for (hash, isNew) in zip(hashes, isNew) where isNew {
      received.count += 1
      received.sum.add(hash)
    }
    received.applied = rows.count
    try store.savePageNumbers(numbers, ids, first: batch.pages.first?.sequence ?? 0, peer: -run.entry)
    return received
  }

  /// Visits of a peer's log. Inside the batch's transaction. `prepared` is what `preparation` made of the same batch.
  func receive(_ batch: VisitBatch, pass: Int64, prepared: PreparedVisits? = nil) throws -> ReceivedRows {
    let known = prepared.flatMap { $0.generation == generation ? $0 : nil }
    var visits = try known ?? preparation(of: batch).prepare(batch)
    let before = run.report
    for remark in visits.remarks { run.report.add(remark) }
    var received = visits.received
    let start = store.lastSequence
    let outcome = try self.visits().write(&visits.rows, visits.attributes, retitled: pages().retitled)
    let forgotten = try dropForgotten(after: start)
    // What this transfer brought before was counted then, in the figures and, in the first pass, in the sum.
    if pass == 0 {
      for row in outcome.ours {
        received.count -= 1
        received.sum.subtract(row.hash)
      }
    }
    if pass == ReceivedLog.again {
      // Everything was met once and counted then.
      run.report = before
      run.report[.history].found += outcome.added - forgotten
    } else {
      run.report[.history].found += visits.rows.count - outcome.ours.count
      run.report[.history].changed += outcome.changed - outcome.oursChanged
      run.report[.history].unchanged += outcome.unchanged - (outcome.ours.count - outcome.oursChanged)
    }
    run.report[.history].added += outcome.added - forgotten
    run.report[.history].unchanged += pass == ReceivedLog.again ? 0 : forgotten
    received.applied = visits.rows.count
    received.skipped = batch.visits.count - visits.rows.count
    return received
  }

  private func preparation(of batch: VisitBatch) throws -> VisitPreparation {
    try loadMap()
    return preparation(try batch.profiles.map { try profile($0) })
  }

  /// What makes a peer's visits ready while others are written; nil when the store must be asked for it.
  func preparationAhead(of batch: VisitBatch) -> VisitPreparation? {
    let profiles = batch.profiles.compactMap { self.profiles[$0] }
    guard isMapLoaded, profiles.count == batch.profiles.count else { return nil }
    return preparation(profiles)
  }

  private func preparation(_ profiles: [Profile]) -> VisitPreparation {
    VisitPreparation(
      map: map, profiles: profiles, maySkipPages: run.received[.pages]?.isIncomplete ?? false, generation: generation)
  }

  /// A visit names a page that was deleted here since it came.
  struct ForgottenPage: Error {}

  private func loadMap() throws {
    guard !isMapLoaded else { return }
    try store.loadPageNumbers(peer: -run.entry, into: &map)
    isMapLoaded = true
  }

  // MARK: Both

  /// The numbers here of pages, and the hashes of their addresses.
  private func resolve(_ rows: [PageRow], _ text: [UInt8]) throws -> (ids: [Int64], hashes: [RowHash]) {
    try text.withUnsafeBytes { text in
      let hashes = rows.map { RowHash.page(PageRow.bytes($0.url, of: text)) }
      return (try pages().resolve(rows, text, hashes: hashes), hashes)
    }
  }

  private func addToMap(_ numbers: [Int64], _ ids: [Int64], _ hashes: [RowHash]) {
    map.add(numbers.indices.map { (numbers[$0], PageMap.Target(page: ids[$0], hash: hashes[$0])) })
  }

  private func profile(_ label: String) throws -> Profile {
    if let known = profiles[label] { return known }
    let profile = Profile(number: try store.profileNumber(label), hash: VisitHasher.profile(label))
    profiles[label] = profile
    return profile
  }

  private func pages() throws -> PageWriter { try openWriters().pages }
  private func visits() throws -> VisitWriter { try openWriters().visits }

  private func openWriters() throws -> (pages: PageWriter, visits: VisitWriter) {
    if let writers { return writers }
    let made = (
      pages: try PageWriter(store, entry: run.entry), visits: try VisitWriter(store, entry: run.entry)
    )
    writers = made
    return made
  }
}
