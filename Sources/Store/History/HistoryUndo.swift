internal import BrowsingData
internal import SQLite

/// Taking back what an entry did to history.
extension RecordStore {
  /// Restores the visits and titles that the entry changed, deletes the visits that it added, then its pages that nobody
  /// uses any more. What was changed later stays and is said. Where history is in step with other devices, visits that
  /// these know are forgotten by rules, and fields and titles, which only grow, stay as they are.
  func undoHistory(_ entry: JournalEntry, _ report: inout ApplyReport) throws {
    let isShared = try hasExchangedHistory()
    let restored = try restoreVisits(entry.number, keepingFields: isShared)
    let forgotten = isShared ? try forgetVisits(entry) : 0
    let deleted = try deleteVisits(entry) + forgotten
    if !isShared { try restoreTitles(entry.number) }
    try zeroPageNumbers(try deletePages(entry))
    let kept = try changedSince(entry.number)
    if restored + deleted > 0 {
      report[.history].found += restored + deleted
      report[.history].changed += restored
      report[.history].removed += deleted
    }
    for _ in 0..<kept {
      report.add(Remark(.skipped, type: .history, reason: "it was changed later and stays"))
    }
    let clear = try statement("DELETE FROM rec_undo WHERE entry = ?1 AND type IN (?2, ?3)")
    try clear.bind(1, entry.number)
    try clear.bind(2, Int64(ChangeLog.visits.rawValue))
    try clear.bind(3, Int64(ChangeLog.pages.rawValue))
    try clear.run()
  }

  private func memories(
    of log: ChangeLog, entry: Int64, later: Bool = false
  ) throws -> [(key: Int64, body: [UInt8])] {
    let read = try statement(
      "SELECT rid, body FROM rec_undo WHERE entry \(later ? ">" : "=") ?1 AND type = ?2")
    try read.bind(1, entry)
    try read.bind(2, Int64(log.rawValue))
    var memories: [(key: Int64, body: [UInt8])] = []
    while try read.step() { memories.append((UndoBody.number(read.bytes(0) ?? []), read.bytes(1) ?? [])) }
    return memories
  }

  /// The entry's visits that other devices may have: for each an exact rule, which they will hear of.
  private func forgetVisits(_ entry: JournalEntry) throws -> Int {
    let read = try database.prepare(
      """
      SELECT p.url, v.t FROM visit AS v JOIN url AS p ON p.id = v.url
      WHERE v.seq > ?1 AND v.entry = ?2 AND (v.frm IS NOT NULL OR v.seq <= ?3)
      """)
    try read.bind(1, entry.sequences.lowerBound)
    try read.bind(2, entry.number)
    try read.bind(3, try sentSequence(.visits))
    var rules: [ForgetRule] = []
    while try read.step() {
      let time = read.int64(1)
      rules.append(ForgetRule(.url, read.text(0) ?? "", from: time, to: time &+ 1))
    }
    for rule in rules { _ = try insert(rule, from: nil) }
    return try removeForgotten(rules)
  }

  /// Visits that the entry changed and that are still as it left them. They move to the end of the log; where their fields
  /// are kept they only cease to be the entry's.
  private func restoreVisits(_ entry: Int64, keepingFields: Bool) throws -> Int {
    let disown = try statement("UPDATE visit SET entry = ?2 WHERE seq = ?1")
    let isOurs = try statement("SELECT 1 FROM visit WHERE seq = ?1 AND entry = ?2")
    let move = try statement("UPDATE rec_undo SET rid = ?4 WHERE entry = ?1 AND type = ?2 AND rid = ?3")
    var count = 0
    for (sequence, body) in try memories(of: .visits, entry: entry) {
      try isOurs.bind(1, sequence)
      try isOurs.bind(2, entry)
      let stands = try isOurs.step()
      isOurs.reset()
      guard stands, var before = UndoBody.visit(body) else { continue }
      if keepingFields {
        try disown.bind(1, sequence)
        try disown.bind(2, before.entry)
        try disown.run()
        continue
      }
      let former = before.sequence
      before.sequence = nextSequence()
      try replaceVisit(sequence, by: before)
      // The entry that had left it so may remember what it was before that: under the new place now.
      try move.bind(1, before.entry)
      try move.bind(2, Int64(ChangeLog.visits.rawValue))
      try move.bind(3, UndoBody.key(former))
      try move.bind(4, UndoBody.key(before.sequence))
      try move.run()
      count += 1
    }
    return count
  }

  /// The visits that the entry added: those that still bear its number once the changed ones are restored.
  private func deleteVisits(_ entry: JournalEntry) throws -> Int {
    var change = LogDigest()
    let count = try statement("SELECT count(*) FROM visit WHERE seq > ?1 AND entry = ?2")
    try count.bind(1, entry.sequences.lowerBound)
    try count.bind(2, entry.number)
    guard try count.step(), count.int64(0) > 0 else { return 0 }
    let deleted = count.int64(0)
    count.reset()
    let all = try digest(of: .visits)
    if deleted == all.count {
      try statement("DELETE FROM digest WHERE type = \(ChangeLog.visits.rawValue)").run()
    } else {
      var pages: [Int64: RowHash] = [:]
      var profiles: [Int64: UInt64] = [:]
      let read = try statement("SELECT url, t, occ, profile FROM visit WHERE seq > ?1 AND entry = ?2")
      try read.bind(1, entry.sequences.lowerBound)
      try read.bind(2, entry.number)
      while try read.step() {
        let page = try pages[read.int64(0)] ?? pageHash(read.int64(0))
        pages[read.int64(0)] = page
        let profile = try profiles[read.int64(3)] ?? VisitHasher.profile(try profileLabel(read.int64(3)))
        profiles[read.int64(3)] = profile
        change.subtract(
          VisitHasher.visit(
            page: page, time: read.int64(1), occurrence: Int32(truncatingIfNeeded: read.int64(2)), profile: profile))
      }
      try add(change, to: .visits)
    }
    let delete = try statement("DELETE FROM visit WHERE seq > ?1 AND entry = ?2")
    try delete.bind(1, entry.sequences.lowerBound)
    try delete.bind(2, entry.number)
    try delete.run()
    return Int(deleted)
  }

  func pageHash(_ page: Int64) throws -> RowHash {
    let url = try pageURL(page) ?? ""
    return Array(url.utf8).withUnsafeBytes { RowHash.page($0) }
  }

  /// Titles that the entry gave and that nobody changed since.
  private func restoreTitles(_ entry: Int64) throws {
    let later = Set(try memories(of: .pages, entry: entry, later: true).map(\.key))
    let update = try statement(
      "UPDATE url SET title = ?2, title_t = ?3, seq = ?4, frm = NULL, frm_no = NULL WHERE id = ?1")
    for (page, body) in try memories(of: .pages, entry: entry) where !later.contains(page) {
      let before = UndoBody.title(body)
      try update.bind(1, page)
      try update.bind(2, before.title.map { String(decoding: $0, as: UTF8.self) })
      try update.bind(3, before.time)
      try update.bind(4, nextSequence())
      try update.run()
    }
  }

  /// Deletes the entry's pages that no visit is of and no link names; returns which.
  private func deletePages(_ entry: JournalEntry) throws -> Set<Int64> {
    let read = try statement(
      """
      SELECT id, url FROM url WHERE id > ?1 AND entry = ?2 AND id NOT IN (SELECT url FROM visit)
      AND id NOT IN (SELECT ref FROM visit WHERE ref IS NOT NULL)
      """)
    try read.bind(1, entry.sequences.lowerBound)
    try read.bind(2, entry.number)
    var change = LogDigest()
    var pages: Set<Int64> = []
    while try read.step() {
      pages.insert(read.int64(0))
      read.withText(1) { if let url = $0 { change.subtract(.page(url)) } }
    }
    let delete = try statement("DELETE FROM url WHERE id = ?1")
    for page in pages.sorted() {
      try delete.bind(1, page)
      try delete.run()
    }
    try add(change, to: .pages)
    return pages
  }

  /// How many visits that the entry had brought or changed were changed by later entries.
  private func changedSince(_ entry: Int64) throws -> Int {
    try memories(of: .visits, entry: entry, later: true).count { UndoBody.visit($0.body)?.entry == entry }
  }
}
