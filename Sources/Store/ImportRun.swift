package import BrowsingData
internal import SQLite

/// One import into a store, one entry of its journal. `finish` or `abandon` is called once, at the end.
/// The only writer of its store while it is open.
package final class ImportRun {
  /// The store that it writes.
  package let store: RecordStore
  /// How the records come in.
  package let options: ImportOptions
  /// What it has done so far.
  package internal(set) var report = ApplyReport()
  /// Its entry in the journal; of a dry run the number it would have had.
  package let entry: Int64
  /// The store whose logs a transfer brings.
  package internal(set) var sourceIncarnation: [UInt8]?
  var received: [ChangeLog: ReceivedLog] = [:]
  private var newestEntry: Int64 = 0
  private var isOpen = true
  /// Batches of a peer's logs that are written and not committed.
  private var group: Group?

  private struct Group {
    /// What was true before them.
    var report: ApplyReport
    var received: [ChangeLog: ReceivedLog]
    /// The logs that they are of.
    var logs: Set<ChangeLog> = []
  }

  private(set) lazy var history = HistoryWriter(self)
  private(set) lazy var records = RecordWriter(self)
  /// Takes pages and visits instead of `history`, from the first ones on.
  private var spool: HistorySpool?

  init(_ store: RecordStore, _ options: ImportOptions) throws {
    self.store = store
    self.options = options
    precondition(
      options.kind != .transfer || (options.token != nil && !options.dryRun), "a transfer has a token and is no dry run"
    )
    if options.kind == .transfer { store.checkpointInBackground() }
    let known = try options.token.flatMap { try store.journalEntry(token: $0) }
    if let known, options.kind == .transfer {
      entry = known.number
      report.types = known.figures
      sourceIncarnation = try store.mapping { try store.knownIncarnation(peer: -known.number) }
      try loadCursors()
      return
    }
    // A file's transaction is open until the end: the journal entry, too, is there only when all is.
    try store.mapping { try store.beginWriting() }
    do {
      entry = try store.beginEntry(
        options.kind.journalKind, label: options.label, token: options.token, at: options.now)
    } catch {
      store.rollBack()
      throw error
    }
    if options.kind == .transfer { try store.mapping { try store.commitWriting() } }
  }

  deinit {
    if isOpen, options.kind != .transfer || group != nil { store.rollBack() }
  }

  /// Takes a batch of a source.
  package func apply(_ batch: RecordBatch) throws {
    precondition(isOpen && options.kind != .transfer, "a source's batch after the end, or in a transfer")
    try store.mapping {
      switch batch {
      case .pages(let pages):
        if let spool = try openSpool() { try spool.apply(pages) } else { try history.apply(pages) }
      case .visits(let visits):
        if let spool = try openSpool() { try spool.apply(visits) } else { try history.apply(visits) }
      case .history(let visits): try history.apply(visits)
      case .remarks(let remarks):
        for remark in remarks { report.add(remark) }
      case .bookmarks, .readingList, .extensions, .logins, .cards: try records.apply(batch)
      }
    }
  }

  private func openSpool() throws -> HistorySpool? {
    if let spool { return spool }
    guard let encode = options.encodeHistory else { return nil }
    precondition(options.kind == .capture && !options.dryRun, "only a transfer's own capture has a spool")
    let made = try HistorySpool(self, encode)
    spool = made
    return made
  }

  /// Another source begins within the same import: its records may meet those that came before, and ids may come again.
  package func beginSource() throws { try store.mapping { try records.beginSource() } }

  /// Writes what is buffered, ends the journal entry and makes everything visible; a dry run undoes it instead.
  /// Of a transfer: marks it as done, on the disk even if the power fails, together with what `alsoWriting` writes.
  package func finish(alsoWriting: () throws -> Void = {}) throws -> ApplyReport {
    precondition(isOpen, "finished twice")
    try commit()
    if options.kind == .transfer {
      try store.writingDurably {
        try records.finish()
        try store.updateEntry(entry, report, isDone: true)
        try store.prune(now: options.now)
        try store.forgetCursors(peer: -entry)
        try alsoWriting()
      }
    } else {
      try store.mapping {
        try history.finish()
        try records.finish()
        try store.updateEntry(entry, report, isDone: true)
        try store.prune(now: options.now)
        try alsoWriting()
        if options.dryRun { store.rollBack() } else { try store.commitWriting() }
      }
    }
    isOpen = false
    return report
  }

  /// Leaves the store as it was before (`.file`), or with what has come so far (`.capture`, `.transfer`).
  package func abandon() {
    guard isOpen else { return }
    undoGroup()
    isOpen = false
    if options.kind != .transfer { store.rollBack() }
  }

  /// Makes visible what a capture has written so far. Files wait for the end.
  func commitIfAllowed() throws {
    guard options.kind == .capture, !options.dryRun else { return }
    try store.updateEntry(entry, report, isDone: false)
    try store.commitWriting()
    try store.beginWriting()
  }
}

extension RecordStore {
  /// Begins an import, a capture or a transfer; goes on with a transfer whose token is known.
  package func beginImport(_ options: ImportOptions) throws -> ImportRun {
    try mapping { try ImportRun(self, options) }
  }
}

// MARK: - From the wire

extension ImportRun {
  /// Says which store the logs to come are of. Another one than before begins all logs anew.
  package func receive(from incarnation: [UInt8]) throws {
    guard incarnation != sourceIncarnation else { return }
    if sourceIncarnation != nil {
      try store.writing {
        try store.forgetCursors(peer: -entry)
        for log in received.keys {
          try store.save(ReceivedLog(pass: ReceivedLog.afresh), of: log, peer: -entry, incarnation: incarnation)
        }
      }
      // What is met again is counted again.
      report[.history].found -= report[.history].unchanged + report[.history].skipped
      report[.history].unchanged = 0
      report[.history].skipped = 0
    }
    history.forget()
    sourceIncarnation = incarnation
    try loadCursors()
  }

  /// How far each log has come: what RESUME says. A log that is not there stands at 0.
  package func cursors() throws -> [ChangeLog: Int64] { received.mapValues(\.sequence) }

  /// What was counted of each log, to be compared with END.
  package func receivedEnds() throws -> [ChangeLog: LogEnd] {
    received.mapValues { LogEnd(cursor: $0.sequence, count: $0.count, digest: $0.sum.digest) }
  }

  /// Logs of which rows could not be read: what was counted of them says nothing about the rest.
  package func incompleteLogs() -> Set<ChangeLog> { Set(received.filter { $0.value.isIncomplete }.keys) }

  /// Begins all logs anew after unequal digests. What is there already will count as unchanged.
  package func restart() throws {
    guard let incarnation = sourceIncarnation else { return }
    try store.writing {
      let logs = Array(received.keys)
      try store.forgetCursors(peer: -entry)
      for log in logs {
        try store.save(ReceivedLog(pass: ReceivedLog.again), of: log, peer: -entry, incarnation: incarnation)
      }
    }
    history.forget()
    try loadCursors()
  }

  /// Takes a batch of a peer's log: rows, cursor, count, sum and page numbers in one transaction. With `commits` false it
  /// waits for `commit`, or for a batch that commits. What it throws leaves nothing of the batch, nor of those that
  /// waited: `wrongCursor` when it does not start where the log stands, `malformed` when it names what was not sent.
  /// `prepared`: what `preparation` made of the same batch.
  package func apply(
    _ batch: ChangeBatch, prepared: PreparedBatch? = nil, commits: Bool = true
  ) throws -> (applied: Int, skipped: Int) {
    do {
      let rows = try store.mapping {
        if group == nil { try beginGroup() }
        let rows = try take(batch, prepared)
        if commits { try commitGroup() }
        return rows
      }
      return (rows.applied, rows.skipped)
    } catch {
      undoGroup()
      guard error is HistoryWriter.ForgottenPage, let incarnation = sourceIncarnation else { throw error }
      try restartPages(incarnation)
      throw StoreError.wrongCursor(.pages)
    }
  }

  /// What makes a batch ready on another thread, to be run while a batch of another log than that of pages is applied; nil
  /// where nothing can be done ahead. Its result is void, and then made anew, when the store says otherwise by then.
  package func preparation(of batch: ChangeBatch) -> (@Sendable () -> PreparedBatch?)? {
    guard batch.log == .visits, case .visits(let visits) = batch.content,
      let preparation = history.preparationAhead(of: visits)
    else { return nil }
    // What is wrong with it is found, and said, when its turn comes.
    return { (try? preparation.prepare(visits)).map { PreparedBatch(visits: $0) } }
  }

  /// Commits the batches that wait for it.
  package func commit() throws {
    guard group != nil else { return }
    do {
      try store.mapping { try commitGroup() }
    } catch {
      undoGroup()
      throw error
    }
  }

  private func beginGroup() throws {
    try store.beginWriting()
    group = Group(report: report, received: received)
    // Another import or an undo since: page numbers may have gone.
    let newest = try store.newestEntry()
    if newest != newestEntry { history.forget() }
    newestEntry = newest
  }

  private func take(_ batch: ChangeBatch, _ prepared: PreparedBatch?) throws -> ReceivedRows {
    guard sourceIncarnation != nil else { throw StoreError.wrongCursor(batch.log) }
    var log = received[batch.log] ?? ReceivedLog()
    guard batch.first == log.sequence else { throw StoreError.wrongCursor(batch.log) }
    guard batch.last > batch.first else { throw StoreError.malformed(batch.log) }
    var rows = try write(batch, prepared, pass: log.reason)
    for remark in batch.remarks {
      report.add(remark)
      guard remark.kind == .skipped else { continue }
      rows.skipped += 1
      rows.isIncomplete = true
    }
    if rows.isIncomplete { log.pass |= ReceivedLog.isIncomplete }
    log.sequence = batch.last
    log.count += rows.count
    log.sum.add(rows.sum)
    received[batch.log] = log
    group?.logs.insert(batch.log)
    return rows
  }

  private func commitGroup() throws {
    guard let group, let incarnation = sourceIncarnation else { return }
    for log in group.logs {
      try store.save(received[log] ?? ReceivedLog(), of: log, peer: -entry, incarnation: incarnation)
    }
    try store.updateEntry(entry, report, isDone: false)
    try store.commitWriting()
    self.group = nil
  }

  private func undoGroup() {
    guard let group else { return }
    self.group = nil
    store.rollBack()
    report = group.report
    received = group.received
    history.forget()
    records.forget()
  }

  /// A page that came was deleted here since: all pages must come again, for their numbers.
  private func restartPages(_ incarnation: [UInt8]) throws {
    try store.writing {
      try store.forgetPageNumbers(peer: -entry)
      try store.save(ReceivedLog(pass: ReceivedLog.again), of: .pages, peer: -entry, incarnation: incarnation)
    }
    history.forget()
    try loadCursors()
  }

  private func write(_ batch: ChangeBatch, _ prepared: PreparedBatch?, pass: Int64) throws -> ReceivedRows {
    switch batch.content {
    case .records(let rows):
      guard batch.log.type != .history else { throw StoreError.malformed(batch.log) }
      return try records.apply(rows, of: batch.log, pass: pass)
    case .pages(let pages):
      guard batch.log == .pages else { throw StoreError.malformed(batch.log) }
      return try history.receive(pages)
    case .visits(let visits):
      guard batch.log == .visits else { throw StoreError.malformed(batch.log) }
      return try history.receive(visits, pass: pass, prepared: prepared?.visits)
    case .resources: throw StoreError.malformed(batch.log)
    }
  }

  private func loadCursors() throws {
    guard let sourceIncarnation else { return }
    received = try store.mapping {
      try store.receivedLogs(peer: -entry, incarnation: sourceIncarnation)
    }
  }
}
