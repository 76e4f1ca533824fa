internal import BrowsingData
internal import Crypto

/// The part of an import that writes the record table: everything but history.
final class RecordWriter {
  private unowned let run: ImportRun
  private var open: Open?

  /// What is kept in memory while the run goes on; made anew after a batch that failed.
  private final class Open {
    let context: RecordImport
    lazy var bookmarks = Result { try BookmarkImport(context) }
    lazy var readingList = Result { try KeyedImport<ReadingListItem>(context) }
    lazy var extensions = Result { try KeyedImport<BrowserExtension>(context) }
    lazy var cards = Result { try KeyedImport<PaymentCard>(context) }
    lazy var logins = Result { try LoginImport(context) }
    /// Whether a bookmark has come: without one there is nothing to arrange.
    var hasBookmarks = false

    init(_ run: ImportRun) throws { context = try RecordImport(run) }
  }

  init(_ run: ImportRun) { self.run = run }

  /// Takes a batch of a source: bookmarks, reading list, extensions, logins or cards.
  func apply(_ batch: RecordBatch) throws {
    let open = try opened()
    switch batch {
    case .bookmarks(let bookmarks):
      open.hasBookmarks = true
      try open.bookmarks.get().take(bookmarks)
    case .readingList(let items): for item in items { try open.readingList.get().take(item) }
    case .extensions(let extensions): for one in extensions { try open.extensions.get().take(one) }
    case .logins(let logins): for login in logins { try open.logins.get().take(login) }
    case .cards(let cards): for card in cards { try open.cards.get().take(card) }
    case .pages, .visits, .history, .remarks: return
    }
    try run.commitIfAllowed()
    if run.options.kind == .capture { open.context.table.committed = run.store.lastSequence }
  }

  /// Takes rows of a peer's log. `pass` counts how often the log was begun again.
  func apply(_ rows: [ChangedRecord], of log: ChangeLog, pass: Int64) throws -> ReceivedRows {
    let open = try opened()
    open.context.table.committed = run.store.lastSequence
    try open.context.beginBatch(pass: pass)
    if log == .bookmarks {
      open.hasBookmarks = true
      try open.bookmarks.get().reserve(rows)
    }
    for row in rows {
      switch row.change {
      case .deleted(let id): try delete(id, log.type, open)
      case .present(let record):
        guard record.type == log.type, let id = record.id else { throw StoreError.malformed(log) }
        open.context.count(id)
        try take(record, open)
      }
    }
    if log == .bookmarks { try open.bookmarks.get().settle() }
    return open.context.received
  }

  /// Another source begins within the same import: its records may meet those that came before, and ids may come again.
  func beginSource() throws {
    guard let open else { return }
    if open.hasBookmarks { try open.bookmarks.get().beginSource() }
    try open.logins.get().beginSource()
  }

  /// Everything has come: before the journal entry is ended.
  func finish() throws {
    if run.options.kind == .transfer || open?.hasBookmarks == true {
      let open = try opened()
      if try open.hasBookmarks || open.context.hasWaiting() { try open.bookmarks.get().finish() }
      if run.options.kind == .transfer { try open.context.arrivals.forget() }
    }
    open = nil
  }

  /// The last batch failed: what is kept in memory is no longer what the store holds.
  func forget() { open = nil }

  private func opened() throws -> Open {
    if let open { return open }
    let made = try Open(run)
    open = made
    return made
  }

  private func take(_ record: Record, _ open: Open) throws {
    switch record {
    case .bookmark(let bookmark): try open.bookmarks.get().takeResent(bookmark)
    case .readingListItem(let item): try open.readingList.get().take(item)
    case .browserExtension(let one): try open.extensions.get().take(one)
    case .login(let login): try open.logins.get().take(login)
    case .paymentCard(let card): try open.cards.get().take(card)
    case .historyVisit: return
    }
  }

  /// Deletes only what this transfer has brought and nobody has touched since.
  private func delete(_ id: RecordID, _ type: DataType, _ open: Open) throws {
    guard let arrival = open.context.uncount(id), arrival.type == type else { return }
    if type == .bookmarks { try open.bookmarks.get().waiting.remove(id) }
    if arrival.outcome == .added, let local = arrival.local, let row = try open.context.table.row(local),
      row.entry == run.entry, row.body != nil
    {
      try open.context.table.delete(row)
      switch type {
      case .bookmarks: try open.bookmarks.get().deleted(local, incoming: id)
      case .readingList: try open.readingList.get().deleted(local)
      case .extensions: try open.extensions.get().deleted(local)
      case .cards: try open.cards.get().deleted(local)
      case .passwords: try open.logins.get().deleted(local)
      case .history, .resources: break
      }
    }
    try open.context.note(id, type, local: arrival.local, outcome: .gone)
  }
}
