internal import BrowsingData
internal import Foundation
internal import Store

/// Hands on what a store has received, each record once, folders before what they hold. One thread uses it.
final class IncomingRecords {
  private let emit: (BrowserData) throws -> Void
  private let skip: (String) -> Void
  private let source: () -> Source
  private var cursors: [ChangeLog: Int64] = [:]
  private var visitCursor: Int64 = 0
  private var visitHorizon: Int64 = 0
  /// What folders are called in their source.
  private var folders: [RecordID: String] = [:]
  private var roots: Set<RecordID> = []

  private static let chunk = 1_000

  /// `source`: the exporter, for records that do not name their own.
  init(
    source: @escaping () -> Source, emit: @escaping (BrowserData) throws -> Void, skip: @escaping (String) -> Void
  ) {
    self.source = source
    self.emit = emit
    self.skip = skip
  }

  /// Hands on what is new in the store. Visits wait for the batch that follows theirs, which may say where they were
  /// redirected to; at the end nothing waits.
  func look(at store: RecordStore, isComplete: Bool) throws {
    for log in [ChangeLog.bookmarks, .readingList, .extensions] { try take(log, from: store) }
    let newest = try store.newestVisit()
    let last = isComplete ? newest : visitHorizon
    visitHorizon = newest
    while visitCursor < last {
      let next = min(last, visitCursor + Int64(Self.chunk))
      for visit in try store.visits(after: visitCursor, upTo: next) { try hand(visit) }
      visitCursor = next
    }
  }

  private func take(_ log: ChangeLog, from store: RecordStore) throws {
    while let batch = try store.changes(log, after: cursors[log] ?? 0, maximumRecords: Self.chunk) {
      guard case .records(let records) = batch.content else { return }
      let known = cursors[log] ?? 0
      cursors[log] = batch.last
      for record in records {
        // What changed again while it was on its way has been handed on.
        guard record.was == 0 || record.was > known, case .present(let content) = record.change else { continue }
        try hand(content)
      }
    }
  }

  private func hand(_ record: Record) throws {
    switch record {
    case .bookmark(let bookmark): try hand(bookmark)
    case .readingListItem(let item):
      guard let address = Address(item.url) else { return skip("address is no URL") }
      try emit(
        BrowserDataReadingListItem(
          title: item.title, address: address, dateOfLastVisit: item.lastVisitedAt.map { Date($0) },
          source: Source(item.application, or: source())))
    case .browserExtension(let item):
      let source = Source(item.application, or: source())
      try emit(
        BrowserDataExtension(
          displayName: item.name, developerName: item.developer ?? "", identifier: item.identifier,
          storeIdentifier: item.storeIdentifier, sourceApplicationBundleIdentifier: source.identifier,
          sourceApplicationLocalizedName: source.name))
    case .historyVisit(let visit): try hand(visit)
    case .login, .paymentCard: skip("kind not chosen")
    }
  }

  private func hand(_ bookmark: Bookmark) throws {
    let source = Source(bookmark.application, or: source())
    let identifier = bookmark.guid ?? bookmark.id.description
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
        parentIdentifier: try parent(bookmark.parent, source), source: source))
  }

  /// The root that takes everything is no folder; the others are, from the first time that they hold something.
  private func parent(_ id: RecordID, _ source: Source) throws -> String? {
    guard id.isRoot else { return folders[id] }
    if id == .other { return nil }
    if roots.insert(id).inserted {
      try emit(
        BrowserDataBookmark(
          isFolder: true, title: IncomingRecords.title(ofRoot: id), identifier: id.description, address: nil,
          parentIdentifier: nil, source: source))
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
        count: visit.visitCount, source: source()))
  }
}
