package import BrowsingData
internal import Merge
internal import SQLite

extension SyncRun {
  /// Takes a batch of the peer: rows, cursor and journal entry in one transaction. What it throws leaves nothing of the
  /// batch: `wrongCursor` when it does not start where the log stands (the peer is to open again), `malformed` when it is
  /// none, `safetyStop` when more would go than may: then the peer is held until a person says that it may.
  package func apply(_ batch: SyncBatch) throws -> (applied: Int, skipped: Int) {
    guard isReady else { throw StoreError.clonedIdentity }
    guard takes.contains(batch.log), batch.last > batch.first, batch.last < sequenceMask else {
      throw StoreError.malformed(batch.log)
    }
    guard batch.first == received[batch.log]?.sequence ?? 0 else { throw StoreError.wrongCursor(batch.log) }
    if let hold = peer.hold, hold.type == batch.log.type, !options.force {
      throw StoreError.safetyStop(hold.type, affected: hold.affected, existing: hold.existing)
    }
    do {
      return try write(batch)
    } catch is SnapshotWanted {
      try store.takeSnapshot(now: options.clock())
      hasSnapshot = true
      return try write(batch)
    } catch StoreError.safetyStop(let type, let affected, let existing) {
      let hold = SyncHold(type: type, affected: affected, existing: existing, since: options.clock())
      try store.save(hold, peer: peer.number)
      peer.hold = hold
      throw StoreError.safetyStop(type, affected: affected, existing: existing)
    } catch is UnknownPage {
      try askForAllPages()
      throw StoreError.wrongCursor(.pages)
    }
  }

  /// Thrown inside a transaction: so much changes that the store is to be copied first, which no transaction can.
  struct SnapshotWanted: Error {}
  /// Thrown inside a transaction: a visit names a page that is not here any more.
  struct UnknownPage: Error {}

  private func write(_ batch: SyncBatch) throws -> (applied: Int, skipped: Int) {
    let former = (entry, report, guards)
    do {
      return try store.writing {
        var log = received[batch.log] ?? ReceivedLog()
        let now = options.clock()
        let number = try openEntry(now)
        let before = report
        let start = store.lastSequence
        let skipped = try take(batch, entry: number, now) + note(batch.remarks)
        try checkGuard(batch.log.type)
        if skipped > 0 { log.pass |= ReceivedLog.hasSkipped }
        log.sequence = batch.last
        try store.save(log, of: batch.log, peer: peer.number, incarnation: try name())
        try closeEntry(number, before, hasRows: store.lastSequence > start)
        if let hold = peer.hold, hold.type == batch.log.type { try store.save(nil, peer: peer.number) }
        received[batch.log] = log
        return (batch.count, skipped)
      }
    } catch {
      // The log's place is written last of all and stays as it was.
      (entry, report, guards) = former
      history.forget()
      throw error
    }
  }

  private func take(_ batch: SyncBatch, entry: Int64, _ now: Timestamp) throws -> Int {
    switch batch.content {
    case .records(let records):
      guard batch.log.type != .history else { throw StoreError.malformed(batch.log) }
      return try take(records, of: batch.log, RecordTable(store, entry: entry, now: now))
    case .rules(let rules):
      guard batch.log == .forgetRules else { throw StoreError.malformed(batch.log) }
      return try history.take(rules, entry: entry)
    case .pages(let pages):
      guard batch.log == .pages else { throw StoreError.malformed(batch.log) }
      try history.take(pages, unreadable: batch.unreadablePages, entry: entry)
      return 0
    case .visits(let visits):
      guard batch.log == .visits else { throw StoreError.malformed(batch.log) }
      return try history.take(visits, entry: entry)
    }
  }

  /// Joins records; gives how many were skipped.
  private func take(_ records: [SyncRecord], of log: ChangeLog, _ table: RecordTable) throws -> Int {
    var skipped = 0
    for record in records {
      let row = try table.row(record.id)
      guard row.map({ $0.type == log.type }) ?? true else {
        skipped += 1
        skip(record.id, log.type, "its id is another record's")
        continue
      }
      switch record.state(of: log.type) {
      case .failure(let refusal):
        skipped += 1
        skip(record.id, log.type, refusal.reason)
      case .success(let state): try join(state, record.id, log.type, row, table)
      }
    }
    return skipped
  }

  private func join(
    _ incoming: RecordState, _ id: RecordID, _ type: DataType, _ row: RecordRow?, _ table: RecordTable
  ) throws {
    report[type].found += 1
    try table.see(incoming.context)
    guard let row else {
      guard try table.insert(incoming, type, id, from: theirNumber) else { throw StoreError.corrupt }
      if incoming.versions.count > 1 { try table.noteConflicts(of: id, type, in: incoming) }
      count(from: RecordState(), to: incoming, type)
      return
    }
    let old = try table.states.state(of: row)
    let joined = old.joined(with: incoming)
    guard !joined.isSame(as: old) else {
      report[type].unchanged += 1
      return
    }
    count(from: old, to: joined, type)
    try table.save(joined, over: row, was: old, from: joined.isSame(as: incoming) ? theirNumber : nil)
  }

  private func count(from old: RecordState, to new: RecordState, _ type: DataType) {
    switch (old.isAlive, new.isAlive) {
    case (false, false): report[type].unchanged += 1
    case (false, true):
      report[type].added += 1
      guards[type]?.added += 1
    case (true, false):
      report[type].removed += 1
      guards[type]?.deleted += 1
      guards[type]?.affected += 1
    case (true, true):
      report[type].changed += 1
      let (then, now) = (old.fields, new.fields)
      let isWeighty = then.contains { field in
        FieldNumber.isWeighty(field.number) && now.first { $0.number == field.number }?.value != field.value
      }
      if isWeighty { guards[type]?.affected += 1 }
    }
  }

  // MARK: - What surrounds the rows

  private func skip(_ id: RecordID, _ type: DataType, _ reason: String) {
    report.add(Remark(.skipped, type: type, place: .id(id.description), reason: reason))
  }

  private func note(_ remarks: [Remark]) -> Int {
    for remark in remarks { report.add(remark) }
    return remarks.count { $0.kind == .skipped }
  }

  private func checkGuard(_ type: DataType) throws {
    if guards[type, default: ChangeGuard()].wantsCount {
      guards[type]?.note(now: type == .history ? try store.countVisits() : try store.countRecords(type))
    }
    guard let counted = guards[type], let existing = counted.existing else { return }
    try SafetyStop.check(type, affected: counted.deleted, existing: existing, force: options.force)
    if counted.wantsSnapshot, !hasSnapshot { throw SnapshotWanted() }
  }

  func openEntry(_ now: Timestamp) throws -> Int64 {
    // After a while of silence what comes is another sync, to be taken back by itself.
    if let open = entry, now.microseconds - open.lastBatch.microseconds < SyncRun.silence { return open.number }
    if let open = entry { try store.updateEntry(open.number, open.report, isDone: true) }
    guards = Dictionary(uniqueKeysWithValues: DataType.stored.map { ($0, ChangeGuard()) })
    return try store.beginEntry(.sync, label: peer.name, token: nil, at: now)
  }

  private static let silence: Int64 = 600_000_000

  /// Writes what the entry did; one that wrote no row is none.
  func closeEntry(_ number: Int64, _ before: ApplyReport, hasRows: Bool) throws {
    var open = OpenEntry(number: number, lastBatch: options.clock())
    if let entry, entry.number == number {
      open.report = entry.report
    } else if !hasRows {
      let delete = try store.statement("DELETE FROM journal WHERE entry = ?1")
      try delete.bind(1, number)
      try delete.run()
      entry = nil
      return
    }
    open.report.add(report, minus: before)
    try store.updateEntry(number, open.report, isDone: false)
    entry = open
  }

  func name() throws -> [UInt8] {
    guard let theirs else { throw StoreError.clonedIdentity }
    return theirs.bytes
  }

  private func askForAllPages() throws {
    try store.writing {
      try store.forgetPages(ofPeer: peer.number)
      try store.save(
        ReceivedLog(pass: ReceivedLog.isWhole), of: .pages, peer: peer.number, incarnation: try name())
    }
    received[.pages] = ReceivedLog(pass: ReceivedLog.isWhole)
    history.forget()
  }
}

extension ApplyReport {
  /// Adds the figures of a longer report, but for those that it had before.
  mutating func add(_ report: ApplyReport, minus before: ApplyReport) {
    for (type, figures) in report.types {
      let old = before[type]
      self[type].found += figures.found - old.found
      self[type].added += figures.added - old.added
      self[type].changed += figures.changed - old.changed
      self[type].unchanged += figures.unchanged - old.unchanged
      self[type].skipped += figures.skipped - old.skipped
      self[type].conflicts += figures.conflicts - old.conflicts
      self[type].removed += figures.removed - old.removed
    }
  }
}
