package import BrowsingData
internal import Crypto
internal import Glibc
internal import Merge
internal import SQLite

extension RecordStore {
  /// Forgets visits: those that match are removed here and, by role sync, everywhere, and are never taken again. The
  /// rules stay for ever; nothing takes them back. The copies made before large changes go, too.
  package func forget(_ rules: [ForgetRule], label: String, now: Timestamp = WallClock.now) throws -> ApplyReport {
    // What was deleted is not to be found in the log either.
    defer { _ = try? database.text("PRAGMA wal_checkpoint(TRUNCATE)") }
    var report = ApplyReport()
    try writing {
      var fresh: [ForgetRule] = []
      for rule in rules {
        guard let rule = rule.normal, try insert(rule, from: nil) else { continue }
        fresh.append(rule)
      }
      guard !fresh.isEmpty else { return }
      let entry = try beginEntry(.edit, label: label, token: nil, at: now)
      report[.history].removed = try removeForgotten(fresh)
      report[.history].found = report[.history].removed
      try updateEntry(entry, report, isDone: true)
    }
    for copy in try snapshots() { unlink(snapshotFolder + "/" + copy) }
    return report
  }

  /// All rules after a row sequence, the oldest first.
  package func forgetRules(after sequence: Int64 = 0) throws -> [ForgetRule] {
    try reading { try storedRules(after: sequence) }
  }

  func storedRules(after sequence: Int64 = 0) throws -> [ForgetRule] {
    let read = try statement("SELECT scope_kind, scope, t0, t1 FROM forget WHERE seq > ?1 ORDER BY seq")
    try read.bind(1, sequence)
    var rules: [ForgetRule] = []
    while try read.step() { rules.append(try RecordStore.rule(read, from: 0)) }
    return rules
  }

  static func rule(_ read: Statement, from first: Int32) throws -> ForgetRule {
    guard let scope = UInt8(exactly: read.int64(first)).flatMap(ForgetRule.Scope.init(rawValue:)) else {
      throw StoreError.corrupt
    }
    return ForgetRule(
      scope, read.text(first + 1) ?? "", from: read.int64(first + 2), to: read.int64(first + 3))
  }

  /// Adds a rule; false when it is there.
  func insert(_ rule: ForgetRule, from peer: Int64?) throws -> Bool {
    let bytes =
      [rule.scope.rawValue] + FieldList.bigEndian(UInt64(bitPattern: rule.from))
      + FieldList.bigEndian(UInt64(bitPattern: rule.to)) + Array(rule.text.utf8)
    let hash = bytes.withUnsafeBytes { Hash.blake2b128($0) }
    let insert = try statement(
      "INSERT OR IGNORE INTO forget(id, scope_kind, scope, t0, t1, seq, frm) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
    try insert.bind(1, RecordID(high: hash.high, low: hash.low).bytes)
    try insert.bind(2, Int64(rule.scope.rawValue))
    try insert.bind(3, rule.text)
    try insert.bind(4, rule.from)
    try insert.bind(5, rule.to)
    try insert.bind(6, nextSequence())
    try insert.bind(7, peer)
    try insert.run()
    guard database.changes == 1 else { return false }
    pendingDigests[.forgetRules, default: LogDigest()].add(RowHash(high: hash.high, low: hash.low))
    return true
  }

  /// All rules; read again only when there are others.
  func currentRules() throws -> ForgetRules {
    let last = try statement("SELECT max(seq) FROM forget")
    defer { last.reset() }
    let sequence = try last.step() ? last.int64(0) : 0
    if let readRules, readRules.sequence == sequence { return readRules.rules }
    let rules = ForgetRules(try storedRules())
    readRules = (rules, sequence)
    return rules
  }

  /// Removes the visits that match, links to them, and pages that nothing names any more; gives how many visits went.
  func removeForgotten(_ rules: [ForgetRule]) throws -> Int {
    guard let from = rules.map(\.from).min() else { return 0 }
    var removal = VisitsToRemove(try PageRules(ForgetRules(rules), in: self, findingPages: true))
    // A link names an earlier visit, which may be outside of the times that its visit is in.
    let read = try database.prepare("SELECT \(VisitsToRemove.columns) FROM visit WHERE t >= ?1")
    try read.bind(1, from)
    while try read.step() { try removal.look(at: read) }
    try remove(removal)
    try deleteUnused(removal.touched)
    return removal.gone.count
  }

  /// Removes visits that were just written and are forgotten, and links to such: of the rows after a sequence. Gives how
  /// many visits went.
  func dropForgotten(after sequence: Int64) throws -> Int {
    let rules = try PageRules(currentRules(), in: self)
    guard !rules.isEmpty else { return 0 }
    var removal = VisitsToRemove(rules)
    let read = try database.prepare("SELECT \(VisitsToRemove.columns) FROM visit WHERE seq > ?1")
    try read.bind(1, sequence)
    while try read.step() { try removal.look(at: read) }
    try remove(removal)
    return removal.gone.count
  }

  private func remove(_ removal: VisitsToRemove) throws {
    var digest = LogDigest()
    var hashes: [Int64: RowHash] = [:]
    let labels = try profileHashes()
    for visit in removal.gone {
      let page = try hashes[visit.page] ?? pageHash(visit.page)
      hashes[visit.page] = page
      digest.subtract(
        VisitHasher.visit(
          page: page, time: visit.time, occurrence: visit.occurrence,
          profile: labels[visit.profile] ?? VisitHasher.profile("")))
    }
    try add(digest, to: .visits)
    try run("DELETE FROM visit WHERE seq = ?1", on: removal.gone.map(\.sequence).sorted())
    try run(RecordStore.clearLink, on: removal.unlinked)
  }

  private static let clearLink = "UPDATE visit SET ref = NULL, ref_dt = NULL, flags = flags & ~8 WHERE seq = ?1"

  func profileHashes() throws -> [Int64: UInt64] {
    let read = try statement("SELECT id, label FROM profile")
    var hashes: [Int64: UInt64] = [:]
    while try read.step() { hashes[read.int64(0)] = VisitHasher.profile(read.text(1) ?? "") }
    return hashes
  }

  private func run(_ sql: String, on sequences: [Int64]) throws {
    let change = try statement(sql)
    for sequence in sequences {
      try change.bind(1, sequence)
      try change.run()
    }
  }

  /// Deletes those of these pages that no visit is of and no link names.
  private func deleteUnused(_ pages: Set<Int64>) throws {
    guard !pages.isEmpty else { return }
    var used: Set<Int64> = []
    let read = try database.prepare("SELECT url, ref FROM visit")
    while try read.step() {
      for column: Int32 in [0, 1] where pages.contains(read.int64(column)) { used.insert(read.int64(column)) }
    }
    let unused = pages.subtracting(used)
    let url = try statement("SELECT url FROM url WHERE id = ?1")
    let delete = try statement("DELETE FROM url WHERE id = ?1")
    var digest = LogDigest()
    for page in unused.sorted() {
      try url.bind(1, page)
      if try url.step() { url.withText(0) { if let url = $0 { digest.subtract(.page(url)) } } }
      url.reset()
      try delete.bind(1, page)
      try delete.run()
    }
    try add(digest, to: .pages)
    try zeroPageNumbers(unused)
  }
}
