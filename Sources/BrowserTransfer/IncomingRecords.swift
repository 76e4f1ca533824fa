internal import BrowsingData
internal import Foundation
internal import Store

/// Hands on what a store has received, each record once, folders before what they hold. One thread uses it.
final class IncomingRecords {
  private let emit: (BrowserData, ImportMark) throws -> Void
  private let skip: (String) -> Void
  private let source: () -> Source
  /// How far it is.
  private var mark: ImportMark
  private var isRecalled: Bool
  private var visitHorizon: Int64 = 0
  /// What folders are called in their source.
  private var folders: [RecordID: String] = [:]
  private var roots: Set<RecordID> = []

  private static let chunk = 1_000

  /// `mark`: how far a former program was. `source`: the exporter, for records that do not name their own. `emit` gets each
  /// object and how far it is with it.
  init(
    after mark: ImportMark = ImportMark(), source: @escaping () -> Source,
    emit: @escaping (BrowserData, ImportMark) throws -> Void, skip: @escaping (String) -> Void
  ) {
    self.mark = mark
    self.source = source
    self.emit = emit
    self.skip = skip
    isRecalled = mark[.bookmarks] == 0
  }

  /// Hands on what is new in the store. Visits wait for the batch that follows theirs, which may say where they were
  /// redirected to; at the end nothing waits.
  func look(at store: RecordStore, isComplete: Bool) throws {
    if !isRecalled { try recall(store) }
    for log in [ChangeLog.bookmarks, .readingList, .extensions] { try take(log, from: store) }
    let newest = try store.newestVisit()
    let last = isComplete ? newest : visitHorizon
    visitHorizon = newest
    while mark[.visits] < last {
      let next = min(last, mark[.visits] + Int64(Self.chunk))
      for (sequence, visit) in try store.visits(after: mark[.visits], upTo: next) {
        mark[.visits] = sequence
        try hand(visit)
      }
      mark[.visits] = next
    }
  }

  /// The folders and roots that a former program has handed on.
  private func recall(_ store: RecordStore) throws {
    var cursor: Int64 = 0
    while let batch = try store.changes(.bookmarks, after: cursor, maximumRecords: Self.chunk) {
      guard case .records(let records) = batch.content else { break }
      cursor = batch.last
      for record in records {
        guard case .present(.bookmark(let bookmark)) = record.change else { continue }
        if bookmark.kind == .folder { folders[bookmark.id] = Self.identifier(of: bookmark) }
        let known = record.was == 0 ? record.sequence : record.was
        if known <= mark[.bookmarks], bookmark.parent.isRoot { roots.insert(bookmark.parent) }
      }
    }
    isRecalled = true
  }

  private func take(_ log: ChangeLog, from store: RecordStore) throws {
    while let batch = try store.changes(log, after: mark[log], maximumRecords: Self.chunk) {
      guard case .records(let records) = batch.content else { return }
      let known = mark[log]
      for record in records {
        var next = mark
        next[log] = record.sequence
        // What changed again while it was on its way has been handed on.
        if record.was == 0 || record.was > known, case .present(let content) = record.change {
          try hand(content, next)
        }
        mark = next
      }
      mark[log] = batch.last
    }
  }

  private func hand(_ record: Record, _ next: ImportMark) throws {
    switch record {
    case .bookmark(let bookmark): try hand(bookmark, next)
    case .readingListItem(let item):
      guard let address = Address(item.url) else { return skip("address is no URL") }
      try emit(
        BrowserDataReadingListItem(
          title: item.title, address: address, dateOfLastVisit: item.lastVisitedAt.map { Date($0) },
          source: Source(item.application, or: source())), next)
    case .browserExtension(let item):
      let source = Source(item.application, or: source())
      try emit(
        BrowserDataExtension(
          displayName: item.name, developerName: item.developer ?? "", identifier: item.identifier,
          storeIdentifier: item.storeIdentifier, sourceApplicationBundleIdentifier: source.identifier,
          sourceApplicationLocalizedName: source.name), next)
    case .historyVisit(let visit): try hand(visit)
    case .login, .paymentCard: skip("kind not chosen")
    }
  }

  private func hand(_ bookmark: Bookmark, _ next: ImportMark) throws {
    let source = Source(bookmark.application, or: source())
    let identifier = Self.identifier(of: bookmark)
    var address: Address?
    switch bookmark.kind {
    case .separator: return skip("separator")
    case .folder: folders[bookmark.id] = identifier
    case .bookmark:
      address = bookmark.url.flatMap { Address($0) }
      if address == nil { return skip("address is no URL") }
    }
    try emit(
      BrowserDataBookmark(
        isFolder: bookmark.kind == .folder, title: bookmark.title, identifier: identifier, address: address,
        parentIdentifier: try parent(bookmark.parent, source), source: source), next)
  }

  private static func identifier(of bookmark: Bookmark) -> String { bookmark.guid ?? bookmark.id.description }

  /// The root that takes everything is no folder; the others are, from the first time that they hold something.
  private func parent(_ id: RecordID, _ source: Source) throws -> String? {
    guard id.isRoot else { return folders[id] }
    if id == .other { return nil }
    if roots.insert(id).inserted {
      try emit(
        BrowserDataBookmark(
          isFolder: true, title: IncomingRecords.title(ofRoot: id), identifier: id.description, address: nil,
          parentIdentifier: nil, source: source), mark)
    }
    return id.description
  }

  private static func title(ofRoot id: RecordID) -> String {
    switch id {
    case .toolbar: "Bookmarks Toolbar"
    case .menu: "Bookmarks Menu"
    case .mobile: "Mobile Bookmarks"
    case _: ""
    }
  }

  private func hand(_ visit: HistoryVisit) throws {
    guard let address = Address(visit.url) else { return skip("address is no URL") }
    func hop(_ link: HistoryVisit.Link?) -> BrowserDataHistoryVisit.Hop? {
      guard let link, let address = Address(link.url) else { return nil }
      return BrowserDataHistoryVisit.Hop(url: address.url, date: Date(link.visitedAt))
    }
    try emit(
      BrowserDataHistoryVisit(
        address: address, date: Date(visit.visitedAt), title: visit.title, loaded: visit.loaded,
        httpGet: visit.httpGet, from: hop(visit.redirectSource), to: hop(visit.redirectDestination),
        count: visit.visitCount, source: source()), mark)
  }
}
