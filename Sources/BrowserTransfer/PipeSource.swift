internal import BrowsingData
internal import Synchronization

/// What an app yields, as a source that a session reads on a thread of its own.
final class PipeSource: RecordSource, Sendable {
  let types: BrowsingData.DataTypes
  private let metadata: ExportMetadata
  private let application: Application
  private let pipe: RecordPipe<BrowserData>
  private let tally = Mutex(TransferSummary())

  /// So many objects are handed over at once, at most.
  private static let batch = 250

  init(_ pipe: RecordPipe<BrowserData>, metadata: ExportMetadata, types: ExportOptions.DataTypes, from: Application) {
    self.pipe = pipe
    self.metadata = metadata
    self.types = types.types
    application = from
  }

  /// What was taken and left out so far.
  var summary: TransferSummary { tally.withLock { $0 } }

  /// What the app has announced.
  func counts() throws -> RecordCounts {
    RecordCounts([
      .bookmarks: metadata.bookmarksCount, .readingList: metadata.readingListCount, .history: metadata.historyCount,
      .extensions: metadata.extensionsCount,
    ])
  }

  /// Hands over what comes, in the order in which it comes, until the app is done.
  func read(_ types: BrowsingData.DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    var records = OutgoingRecords(application: application, types: types)
    while let taken = try pipe.takeBlocking(atMost: Self.batch) {
      var bookmarks: [Bookmark] = []
      var items: [ReadingListItem] = []
      var extensions: [BrowserExtension] = []
      var visits: [HistoryVisit] = []
      for data in taken {
        switch records.record(of: data) {
        case .success(.bookmark(let bookmark)): bookmarks.append(bookmark)
        case .success(.readingListItem(let item)): items.append(item)
        case .success(.browserExtension(let item)): extensions.append(item)
        case .success(.historyVisit(let visit)): visits.append(visit)
        case .success(.login), .success(.paymentCard): continue
        case .failure(let refusal): if let reason = refusal.reason { tally.withLock { $0.skip(reason) } }
        }
      }
      if !bookmarks.isEmpty { try consume(.bookmarks(bookmarks)) }
      if !items.isEmpty { try consume(.readingList(items)) }
      if !extensions.isEmpty { try consume(.extensions(extensions)) }
      if !visits.isEmpty { try consume(.history(visits)) }
      tally.withLock {
        $0.bookmarks += bookmarks.count
        $0.readingListItems += items.count
        $0.extensions += extensions.count
        $0.historyVisits += visits.count
      }
    }
  }
}
