internal import BrowsingData
internal import SQLite

/// Count and sum of a log's live rows, kept in the table `digest` with every write, so that END costs nothing.
struct LogDigest {
  var count: Int64 = 0
  var sum = DigestSum()

  mutating func add(_ hash: RowHash) {
    count += 1
    sum.add(hash)
  }

  mutating func subtract(_ hash: RowHash) {
    count -= 1
    sum.subtract(hash)
  }

  mutating func add(_ other: LogDigest) {
    count += other.count
    sum.add(other.sum)
  }
}

extension RecordStore {
  func digest(of log: ChangeLog) throws -> LogDigest {
    let read = try statement("SELECT count, sum FROM digest WHERE type = ?1")
    try read.bind(1, Int64(log.rawValue))
    defer { read.reset() }
    guard try read.step() else { return LogDigest() }
    return LogDigest(count: read.int64(0), sum: DigestSum(bytes: read.bytes(1) ?? []))
  }

  /// Adds a change to what is kept. Inside `writing`.
  func add(_ change: LogDigest, to log: ChangeLog) throws {
    guard change.count != 0 || change.sum != DigestSum() else { return }
    var digest = try digest(of: log)
    digest.add(change)
    try keep(digest, of: log)
  }

  func keep(_ digest: LogDigest, of log: ChangeLog) throws {
    let write = try statement("INSERT OR REPLACE INTO digest VALUES (?1, ?2, ?3)")
    try write.bind(1, Int64(log.rawValue))
    try write.bind(2, digest.count)
    try write.bind(3, digest.sum.bytes)
    try write.run()
  }

  /// Adds what the running transaction has changed of the record logs' digests. At its end.
  func flushDigests() throws {
    let pending = pendingDigests
    pendingDigests = [:]
    for (log, change) in pending { try add(change, to: log) }
  }

  /// Where the two logs of history stand.
  func historyEnding() throws -> [ChangeLog: LogEnd] {
    let pages = try digest(of: .pages)
    let visits = try digest(of: .visits)
    // The partial index holds the moved pages, the others' sequence is their number.
    let lastPage = max(
      try spoolEnd(of: .pages),
      try database.int64("SELECT max(id) FROM url") ?? 0,
      try database.int64("SELECT max(seq) FROM url INDEXED BY url_seq WHERE seq <> id") ?? 0)
    let lastVisit = max(try spoolEnd(of: .visits), try database.int64("SELECT max(seq) FROM visit") ?? 0)
    return [
      .pages: LogEnd(cursor: lastPage, count: pages.count, digest: pages.sum.digest),
      .visits: LogEnd(cursor: lastVisit, count: visits.count, digest: visits.sum.digest),
    ]
  }

  /// The digests of pages, visits and rules as their rows say.
  func countedHistory() throws -> [ChangeLog: LogDigest] {
    var digests: [ChangeLog: LogDigest] = [.pages: LogDigest(), .visits: LogDigest(), .forgetRules: LogDigest()]
    let pages = try database.prepare("SELECT url FROM url")
    while try pages.step() { pages.withText(0) { if let url = $0 { digests[.pages]?.add(RowHash.page(url)) } } }
    let labels = try profileHashes()
    let visits = try database.prepare(
      "SELECT p.url, v.t, v.occ, v.profile FROM visit AS v JOIN url AS p ON p.id = v.url")
    while try visits.step() {
      guard let page = visits.withText(0, { $0.map { RowHash.page($0) } }) else { throw StoreError.corrupt }
      digests[.visits]?.add(
        VisitHasher.visit(
          page: page, time: visits.int64(1), occurrence: Int32(truncatingIfNeeded: visits.int64(2)),
          profile: labels[visits.int64(3)] ?? VisitHasher.profile("")))
    }
    let rules = try database.prepare("SELECT id FROM forget")
    while try rules.step() {
      let id = try rules.requiredRecordID(0)
      digests[.forgetRules]?.add(RowHash(high: id.high, low: id.low))
    }
    return digests
  }

  func countVisits() throws -> Int { Int(try digest(of: .visits).count) }
}
