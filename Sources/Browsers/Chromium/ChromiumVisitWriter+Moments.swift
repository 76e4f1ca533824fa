internal import BrowsingData
internal import SQLite

/// From the visits of one time to rows.
extension ChromiumVisitWriter {
  /// Settles the moment that was gathered.
  func close() throws {
    guard !moment.entries.isEmpty else { return }
    result.unchanged += moment.rank(isLater: isLater)
    if moment.entries.contains(where: { pages.last($0.page) >= moment.time }) { try findHeld() }
    moment.number(from: &nextRow)
    try findSources()
    moment.settleCores()
    for entry in moment.entries {
      if entry.isNew { append(entry) } else { result.unchanged += 1 }
      recent.insert(page: entry.page, time: moment.time, row: entry.row, fact: entry.core)
    }
    moment.entries.removeAll(keepingCapacity: true)
  }

  /// Visits that are there: the n-th of a page and time is the n-th of those in the file.
  private func findHeld() throws {
    if moment.time <= rows.newest { try flush() }
    var held: [Int64: [(row: Int64, core: Int64)]] = [:]
    for entry in moment.entries { held[pages.row(entry.page)] = [] }
    try statements.held(at: moment.time) { row, page, core in held[page]?.append((row, core)) }
    for index in moment.entries.indices {
      let entry = moment.entries[index]
      guard let all = held[pages.row(entry.page)], entry.rank >= 0, entry.rank < all.count else { continue }
      let found = all[Int(entry.rank)]
      moment.entries[index].row = found.row
      moment.entries[index].isNew = false
      if entry.core < 0 { moment.entries[index].core = found.core }
    }
  }

  /// The visit that each new one came from. One that comes only later is looked for at the end.
  private func findSources() throws {
    for index in moment.entries.indices where moment.entries[index].isNew {
      let entry = moment.entries[index]
      guard let page = entry.linkPage else { continue }
      guard page >= 0 else {
        lose(.origin)
        continue
      }
      guard let source = try source(of: entry, at: index, page: page) else {
        guard openLinks.count < ChromiumVisitWriter.maximumOpenLinks else {
          lose(.origin)
          continue
        }
        openLinks.append(
          OpenLink(
            row: entry.row, page: page, time: entry.linkTime, kind: entry.kind, hasOwnCore: entry.core >= 0))
        continue
      }
      moment.entries[index].source = source
      guard entry.kind == .serverRedirect else { continue }
      if let place = source.index, moment.entries[place].isNew {
        moment.entries[place].hasLedOn = true
      } else {
        try noteRedirect(from: source.row)
      }
    }
  }

  private func source(
    of entry: ChromiumMoment.Entry, at index: Int, page: Int
  ) throws -> ChromiumMoment.Source? {
    if entry.linkTime == moment.time, let source = moment.source(of: index, page: page) { return source }
    if let found = recent.find(page: page, time: entry.linkTime) {
      return ChromiumMoment.Source(row: found.row, core: found.fact, index: nil)
    }
    return try writtenSource(page: page, time: entry.linkTime, before: entry.row)
  }

  private func writtenSource(page: Int, time: Int64, before row: Int64) throws -> ChromiumMoment.Source? {
    guard pages.last(page) >= time, Timestamp(microseconds: time).isPlausible else { return nil }
    if time <= rows.newest { try flush() }
    guard let found = try statements.last(of: pages.row(page), at: time, except: row) else { return nil }
    return ChromiumMoment.Source(row: found.row, core: found.core, index: nil)
  }

  /// A visit from which a server sent on ends no chain, and is not listed. What the browser wrote stays as it is.
  private func noteRedirect(from row: Int64) throws {
    guard row >= firstRow else { return }
    let end = ChromiumTransition.chainEnd
    let before: Int64?
    if let waiting = rows.remove(end, of: row) {
      before = waiting
    } else {
      before = try statements.remove(end, of: row)
    }
    if let before, before & end != 0 { countRedirecting(core: before & 0xFF) }
  }

  private func countRedirecting(core: Int64) {
    if !ChromiumTransition.isUnlisted(UInt8(truncatingIfNeeded: core)) { lose(.listing) }
  }

  private func append(_ entry: ChromiumMoment.Entry) {
    // A redirect without its source begins a chain of its own, and a source that is listed no longer ends one.
    var bits = entry.core & 0xFF
    switch entry.source == nil ? .plain : entry.kind {
    case .plain: bits |= ChromiumTransition.chainStart
    case .serverRedirect: bits |= ChromiumTransition.serverRedirect
    case .clientRedirect: bits |= ChromiumTransition.clientRedirect
    }
    let isUnlisted = ChromiumTransition.isUnlisted(UInt8(truncatingIfNeeded: entry.core))
    if !entry.isHidden || isUnlisted { bits |= ChromiumTransition.chainEnd }
    if entry.hasLedOn {
      bits &= ~ChromiumTransition.chainEnd
      if !entry.isHidden { countRedirecting(core: entry.core) }
    }
    rows.append(
      ChromiumVisitRows.Row(
        url: pages.row(entry.page), time: moment.time, from: entry.source?.row ?? 0, bits: bits,
        answer: entry.answer), row: entry.row)
    pages.add(entry.page, time: moment.time, entry)
    times = (min(times.first, moment.time), max(times.last, moment.time))
  }

  // MARK: - Writing

  /// Writes the visits that wait. Before the first of them the file is kept as it was.
  func flush() throws {
    guard rows.rowCount > 0 else { return }
    if !edited.hasChanged {
      try edited.prepare()
      edited.hasChanged = true
    }
    try statements.insert(hasFailures: rows.hasFailures)
    rows.removeAll()
  }

  /// Writes everything; what became of it.
  func finish() throws -> HistoryResult {
    try edited.run { database in
      try close()
      try flush()
      isLater = true
      if laterCount > 0 {
        moment.begin(.min)
        try statements.later { entry, time in
          try take(entry, at: time)
          if rows.rowCount >= ChromiumMoment.maximumCount { try flush() }
        }
        try close()
        try flush()
      }
      result.added = Int(nextRow - firstRow)
      if result.added > 0 {
        try closeLinks()
        try pages.finish()
        result.mark = ChromiumVisitMark(rows: firstRow...(nextRow - 1), times: times.first...times.last).text
      }
      try statements.close(database)
      try pages.close()
    }
    result.losses = losses
    return result
  }

  /// Finds the visits that others came from, now that all are there.
  private func closeLinks() throws {
    for link in openLinks {
      guard let source = try writtenSource(page: link.page, time: link.time, before: link.row) else {
        lose(.origin)
        continue
      }
      try statements.link(link, to: source, first: firstRow)
      if link.kind == .serverRedirect { try noteRedirect(from: source.row) }
    }
  }
}
