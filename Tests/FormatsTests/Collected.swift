import BrowsingData

/// Everything that a source handed over.
struct Collected {
  var bookmarks: [Bookmark] = []
  var readingList: [ReadingListItem] = []
  var extensions: [BrowserExtension] = []
  var logins: [Login] = []
  var cards: [PaymentCard] = []
  var visits: [HistoryVisit] = []
  var remarks: [Remark] = []

  /// Reads a source to its end.
  init(_ source: some RecordSource, _ types: DataTypes = .all) throws {
    try source.read(types) { add($0) }
  }

  private mutating func add(_ batch: RecordBatch) {
    switch batch {
    case .bookmarks(let records): bookmarks += records
    case .readingList(let records): readingList += records
    case .extensions(let records): extensions += records
    case .logins(let records): logins += records
    case .cards(let records): cards += records
    case .history(let records): visits += records
    case .remarks(let lines): remarks += lines
    case .pages, .visits: break
    }
  }

  var skipped: [Remark] { remarks.filter { $0.kind == .skipped } }
  var warnings: [Remark] { remarks.filter { $0.kind == .warning } }
}
