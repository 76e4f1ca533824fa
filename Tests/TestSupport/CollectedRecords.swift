package import BrowsingData

/// Everything that a source handed over, with visits resolved to their pages.
package struct CollectedRecords {
  /// In the order in which they came.
  package var bookmarks: [Bookmark] = []
  /// In the order in which they came.
  package var readingList: [ReadingListItem] = []
  /// In the order in which they came.
  package var extensions: [BrowserExtension] = []
  /// In the order in which they came.
  package var logins: [Login] = []
  /// In the order in which they came.
  package var cards: [PaymentCard] = []
  /// In the order in which they came; a link has the address of its page.
  package var visits: [HistoryVisit] = []
  /// In the order in which they came.
  package var remarks: [Remark] = []
  /// How many batches there were of each kind of batch.
  package var batches: [RecordBatch] = []
  private var pages: [Int64: (url: String, title: String?)] = [:]

  /// Reads a source to its end.
  package init(_ source: any RecordSource, _ types: DataTypes = .all) throws {
    var collected = CollectedRecords()
    try source.read(types) { collected.add($0) }
    self = collected
  }

  /// An empty one.
  package init() {}

  /// Takes a batch.
  package mutating func add(_ batch: RecordBatch) {
    batches.append(batch)
    switch batch {
    case .bookmarks(let records): bookmarks += records
    case .readingList(let records): readingList += records
    case .extensions(let records): extensions += records
    case .logins(let records): logins += records
    case .cards(let records): cards += records
    case .history(let records): visits += records
    case .remarks(let records): remarks += records
    case .pages(let batch):
      for page in batch.pages {
        pages[page.number] = (batch.string(page.url), page.title.map { batch.string($0) })
      }
    case .visits(let batch): visits += batch.visits.map { resolve($0, in: batch) }
    }
  }

  private func resolve(_ visit: VisitBatch.Visit, in batch: VisitBatch) -> HistoryVisit {
    let page = pages[visit.page]
    var result = HistoryVisit(
      url: page?.url ?? "(no page \(visit.page))", title: page?.title,
      visitedAt: Timestamp(microseconds: visit.time),
      transition: HistoryVisit.Transition(rawValue: visit.transition), loaded: !visit.flags.contains(.loadFailed),
      httpGet: !visit.flags.contains(.notGet), hidden: visit.flags.contains(.hidden),
      occurrence: Int(visit.occurrence),
      profile: visit.profile == 0 ? nil : batch.profiles[Int(visit.profile)])
    if visit.linkPage != 0 {
      let link = HistoryVisit.Link(
        url: pages[visit.linkPage]?.url ?? "(no page \(visit.linkPage))",
        visitedAt: Timestamp(microseconds: visit.time - visit.linkDelta))
      if visit.flags.contains(.linkIsRedirect) { result.redirectSource = link } else { result.referrer = link }
    }
    if visit.attributes >= 0 {
      let attributes = batch.attributes[Int(visit.attributes)]
      result.visitCount = Int(attributes.visitCount)
      result.redirectDestination = attributes.destination
      if let referrer = attributes.referrer { result.referrer = referrer }
    }
    return result
  }
}
