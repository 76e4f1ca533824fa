package import BrowsingData
internal import Merge
internal import SQLite

extension SyncRun {
  /// The next rows of a log for the peer: those that it has not seen and that did not come from it as they are. Nil when
  /// there are none now. What is given must be sent, in this order: the run goes on from there.
  package func next(
    _ log: ChangeLog, maximumRecords: Int = 10_000, maximumBytes: Int = 1 << 20
  ) throws -> SyncBatch? {
    guard isReady, sends.contains(log), !waits.contains(log) else { return nil }
    let first = told[log] ?? 0
    let limit = BatchLimit(records: maximumRecords, bytes: maximumBytes)
    var end: Int64 = 0
    let batch = try store.reading { () throws -> SyncBatch? in
      end = try store.storedSequence()
      let from = max(first, scanned[log] ?? 0)
      guard let found = try rows(log, from, limit) else {
        scanned[log] = end
        if log == .pages { pagesSent = end }
        return nil
      }
      return SyncBatch(log: log, first: first, last: found.last, content: found.content)
    }
    guard let batch else { return nil }
    // All that is there will follow: one note, and one wait for the disk, do for many batches.
    try store.noteSent(log, upTo: max(end, batch.last))
    told[log] = batch.last
    return batch
  }

  /// Where this store stands, when nothing is left to send and that was not said yet.
  package func ending() throws -> SyncEnd? {
    guard isReady, waits.isEmpty else { return nil }
    let end = try store.reading { () throws -> SyncEnd? in
      let sequence = try store.storedSequence()
      for log in sends {
        let from = max(told[log] ?? 0, scanned[log] ?? 0)
        guard try rows(log, from, BatchLimit(records: 1, bytes: 1)) == nil else { return nil }
        if log == .pages { pagesSent = sequence }
      }
      return SyncEnd(sequence: sequence, heard: heard, digests: try digests())
    }
    guard let end, end != said else { return nil }
    said = end
    whole = []
    for log in sends { told[log] = max(told[log] ?? 0, end.sequence) }
    return end
  }

  /// The digests of the kinds that flow both ways and of which nothing was skipped.
  func digests() throws -> [DataType: RecordID] {
    var digests: [DataType: RecordID] = [:]
    for type in DataType.stored {
      let logs = ChangeLog.syncLogs(of: DataTypes(type))
      guard logs.allSatisfy({ sends.contains($0) && takes.contains($0) }),
        logs.allSatisfy({ (received[$0]?.pass ?? 0) & ReceivedLog.hasSkipped == 0 })
      else { continue }
      var sum = DigestSum()
      for log in logs where log != .pages { sum.add(try store.digest(of: log).sum) }
      digests[type] = sum.digest
    }
    return digests
  }

  private func rows(
    _ log: ChangeLog, _ after: Int64, _ limit: BatchLimit
  ) throws -> (content: SyncBatch.Content, last: Int64)? {
    // -1 is nobody: everything is sent.
    let peer = whole.contains(log) ? -1 : theirNumber
    switch log {
    case .bookmarks, .readingList, .extensions, .passwords, .cards:
      let records = try store.syncRecords(log, after: after, but: peer, limit)
      return records.last.map { (.records(records), $0.sequence) }
    case .forgetRules:
      let rules = try store.syncRules(after: after, but: peer, limit)
      return rules.last.map { (.rules(rules), $0.sequence) }
    case .pages:
      let pages = try store.syncPages(after: after, but: peer, limit)
      return pages.pages.last.map { (.pages(pages), $0.sequence) }
    case .visits:
      let visits = try store.syncVisits(after: after, upTo: pagesSent, but: peer, pagesOf: theirNumber, limit)
      return visits.visits.last.map { (.visits(visits), $0.sequence) }
    case .resources: return nil
    }
  }
}

/// How much goes into one batch.
struct BatchLimit {
  var records: Int
  var bytes: Int
}

extension RecordStore {
  /// The last row sequence, as it is in the file.
  func storedSequence() throws -> Int64 {
    let read = try statement("SELECT seq FROM store")
    defer { read.reset() }
    guard try read.step() else { throw StoreError.corrupt }
    return read.int64(0)
  }

  /// Rows of a record log that did not come from this peer.
  func syncRecords(_ log: ChangeLog, after: Int64, but peer: Int64, _ limit: BatchLimit) throws -> [SyncRecord] {
    guard after < sequenceMask else { return [] }
    let states = RecordStates(self)
    let read = try database.prepare(
      """
      SELECT \(RecordRow.columns) FROM rec WHERE seq > ?1 AND seq <= ?2 AND (frm IS NULL OR frm <> ?3)
      ORDER BY seq LIMIT ?4
      """)
    try read.bind(1, log.sequences.lowerBound | max(after, 0))
    try read.bind(2, log.sequences.upperBound)
    try read.bind(3, peer)
    try read.bind(4, Int64(limit.records))
    var records: [SyncRecord] = []
    var size = 0
    while try read.step() {
      let row = try RecordRow(read)
      let record = SyncRecord(row, try states.state(of: row))
      size += record.weight
      if !records.isEmpty, size > limit.bytes { break }
      records.append(record)
    }
    return records
  }

  /// Rules that did not come from this peer.
  func syncRules(after: Int64, but peer: Int64, _ limit: BatchLimit) throws -> [LoggedForgetRule] {
    let read = try statement(
      """
      SELECT seq, scope_kind, scope, t0, t1 FROM forget WHERE seq > ?1 AND (frm IS NULL OR frm <> ?2)
      ORDER BY seq LIMIT ?3
      """)
    try read.bind(1, after)
    try read.bind(2, peer)
    try read.bind(3, Int64(limit.records))
    var rules: [LoggedForgetRule] = []
    var size = 0
    while try read.step() {
      let rule = try RecordStore.rule(read, from: 1)
      size += rule.text.utf8.count + 48
      if !rules.isEmpty, size > limit.bytes { break }
      rules.append(LoggedForgetRule(sequence: read.int64(0), rule: rule))
    }
    read.reset()
    return rules
  }
}
