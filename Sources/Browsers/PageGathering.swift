internal import BrowsingData

/// Gathers pages into chunks and hands these over, with remarks about those that have no readable address.
struct PageGathering {
  /// All that were gathered, and whether each is hidden.
  private(set) var pages = PageSet()
  /// When set, no others are gathered.
  var wanted: PageSet?
  /// No page has a greater number. They come in the order of their numbers.
  var last: Int64 = 0
  private let epoch: Int64
  private var chunk = PageChunk()
  private var remarks: [Remark] = []

  /// `epoch` is taken off times.
  init(epoch: Int64) { self.epoch = epoch }

  /// Takes pages, and hands over what there is enough of.
  mutating func append(_ block: PageBlock, into consume: (RecordBatch) throws -> Void) throws {
    // The text as a whole: to copy each page's for itself would cost more than those few that are left out.
    let start = chunk.append(block.text)
    for page in block.entries {
      if let wanted, wanted.isHidden(page.number) == nil { continue }
      // Those of the first visits have been handed over.
      guard pages.isHidden(page.number) == nil else { continue }
      guard page.urlCount >= 0 else {
        try remark(page.number, consume)
        continue
      }
      pages.insert(page.number, isHidden: page.isHidden)
      let titleTime = max(0, page.time.subtractingReportingOverflow(epoch).partialValue)
      chunk.append(page, at: start + page.start, titleTime: titleTime)
    }
    guard let number = block.entries.last?.number else { return }
    if chunk.isFull(left: last &- number) { try chunk.flush(into: consume) }
  }

  /// Hands over what is left.
  mutating func flush(into consume: (RecordBatch) throws -> Void) throws {
    try chunk.flush(into: consume)
    chunk = PageChunk()
    try flushRemarks(into: consume)
  }

  /// Forgets about those that cannot be read, when they are met again.
  mutating func dropRemarks() { remarks.removeAll() }

  private mutating func remark(_ number: Int64, _ consume: (RecordBatch) throws -> Void) throws {
    remarks.append(
      Remark(.warning, type: .history, place: .id("\(number)"), reason: "a page without a readable address"))
    if remarks.count == HistoryScan.batchSize { try flushRemarks(into: consume) }
  }

  private mutating func flushRemarks(into consume: (RecordBatch) throws -> Void) throws {
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    remarks.removeAll()
  }
}
