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

  /// Removes the visits that match, links to them, and pages that nothing names any more; gives how many visits went.
  func removeForgotten(_ rules: [ForgetRule]) throws -> Int {
    guard !rules.isEmpty else { return 0 }
    let matching = ForgetRules(rules)
    let from = rules.map(\.from).min() ?? 0
    let to = rules.map(\.to).max() ?? 0
    var pages: Set<Int64>?
    if rules.allSatisfy({ $0.scope == .url }), rules.count < 1_000 { pages = try numbers(ofPages: rules.map(\.text)) }
    var gone: [Int64] = []
    var unlinked: [Int64] = []
    var touched: Set<Int64> = []
    var digest = LogDigest()
    let labels = try profileHashes()
    let read = try database.prepare(
      """
      SELECT v.seq, v.t, v.url, v.occ, v.profile, p.url, v.ref, v.t - v.ref_dt FROM visit AS v JOIN url AS p ON p.id = v.url
      WHERE v.t >= ?1 AND v.t < ?2
      """)
    // A link names an earlier visit, which may be outside of the times that its visit is in.
    try read.bind(1, from)
    try read.bind(2, Int64.max)
    while try read.step() {
      let time = read.int64(1)
      let isNamed = pages.map { $0.contains(read.int64(2)) || $0.contains(read.int64(6)) } ?? true
      guard isNamed else { continue }
      if time < to, matching.matches(url: read.text(5) ?? "", time: time) {
        gone.append(read.int64(0))
        touched.insert(read.int64(2))
        if read.int64(6) != 0 { touched.insert(read.int64(6)) }
        let hash = Array((read.text(5) ?? "").utf8).withUnsafeBytes { RowHash.page($0) }
        digest.subtract(
          VisitHasher.visit(
            page: hash, time: time, occurrence: Int32(truncatingIfNeeded: read.int64(3)),
            profile: labels[read.int64(4)] ?? VisitHasher.profile("")))
      } else if read.int64(6) != 0, let url = try pageURL(read.int64(6)),
        matching.matches(url: url, time: read.int64(7))
      {
        unlinked.append(read.int64(0))
        touched.insert(read.int64(6))
      }
    }
    try add(digest, to: .visits)
    try run("DELETE FROM visit WHERE seq = ?1", on: gone)
    try run(RecordStore.clearLink, on: unlinked)
    try deleteUnused(touched)
    return gone.count
  }

  /// Removes visits that were just written and are forgotten, and links to such: of the rows after a sequence. Gives how
  /// many visits went.
  func dropForgotten(after sequence: Int64) throws -> Int {
    let rules = try statement("SELECT 1 FROM forget LIMIT 1")
    defer { rules.reset() }
    guard try rules.step() else { return 0 }
    let matching = ForgetRules(try storedRules())
    var gone: [Int64] = []
    var unlinked: [Int64] = []
    var digest = LogDigest()
    let labels = try profileHashes()
    let read = try database.prepare(
      """
      SELECT v.seq, v.t, v.url, v.occ, v.profile, p.url, v.ref, v.t - v.ref_dt
      FROM visit AS v JOIN url AS p ON p.id = v.url WHERE v.seq > ?1
      """)
    try read.bind(1, sequence)
    while try read.step() {
      let url = read.text(5) ?? ""
      guard matching.matches(url: url, time: read.int64(1)) else {
        if read.int64(6) != 0, let link = try pageURL(read.int64(6)), matching.matches(url: link, time: read.int64(7)) {
          unlinked.append(read.int64(0))
        }
        continue
      }
      gone.append(read.int64(0))
      digest.subtract(
        VisitHasher.visit(
          page: Array(url.utf8).withUnsafeBytes { RowHash.page($0) }, time: read.int64(1),
          occurrence: Int32(truncatingIfNeeded: read.int64(3)),
          profile: labels[read.int64(4)] ?? VisitHasher.profile("")))
    }
    try add(digest, to: .visits)
    try run("DELETE FROM visit WHERE seq = ?1", on: gone)
    try run(RecordStore.clearLink, on: unlinked)
    return gone.count
  }

  private static let clearLink = "UPDATE visit SET ref = NULL, ref_dt = NULL, flags = flags & ~8 WHERE seq = ?1"

  private func numbers(ofPages urls: [String]) throws -> Set<Int64> {
    let read = try statement("SELECT id FROM url WHERE url = ?1")
    var numbers: Set<Int64> = []
    for url in urls {
      try read.bind(1, url)
      if try read.step() { numbers.insert(read.int64(0)) }
      read.reset()
    }
    return numbers
  }

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
