internal import BrowsingData
internal import SQLite

/// Takes the rows of pages out of SQLite: into a chunk what has a readable address, a remark about the rest.
final class TakenPages: RowTaker {
  /// All that were taken, and whether each is hidden.
  private(set) var pages = PageSet()
  /// When set, no others are taken.
  var wanted: PageSet?
  /// No page has a greater number. They come in the order of their numbers.
  var last: Int64 = 0
  private let epoch: Int64
  private var chunk = PageChunk()
  private var isFull = false
  private var remarks: [Remark] = []

  /// `epoch` is taken off times.
  init(epoch: Int64) { self.epoch = epoch }

  func take(_ row: RowValues) -> Bool {
    let number = row.int64(0)
    if let wanted, wanted.isHidden(number) == nil { return false }
    // Those of the first visits have been handed over.
    guard pages.isHidden(number) == nil else { return false }
    let titleTime = max(0, row.int64(4).subtractingReportingOverflow(epoch).partialValue)
    let isTaken = row.withText(1) { url -> Bool in
      guard let url, !url.isEmpty, number != 0 else { return false }
      return row.withText(2) { chunk.append(number: number, url: url, title: $0, titleTime: titleTime) }
    }
    guard isTaken else {
      remarks.append(
        Remark(.warning, type: .history, place: .id("\(number)"), reason: "a page without a readable address"))
      return remarks.count >= HistoryScan.batchSize
    }
    pages.insert(number, isHidden: row.int64(3) != 0)
    isFull = chunk.isFull(left: last &- number)
    return isFull
  }

  /// Hands over what there is enough of.
  func flushFull(into consume: (RecordBatch) throws -> Void) throws {
    if isFull { try chunk.flush(into: consume) }
    isFull = false
    if remarks.count >= HistoryScan.batchSize { try flushRemarks(into: consume) }
  }

  /// Hands over what is left.
  func flush(into consume: (RecordBatch) throws -> Void) throws {
    try chunk.flush(into: consume)
    try flushRemarks(into: consume)
    chunk = PageChunk()
    isFull = false
  }

  /// Forgets about those that cannot be read, when they are met again.
  func dropRemarks() { remarks.removeAll() }

  private func flushRemarks(into consume: (RecordBatch) throws -> Void) throws {
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    remarks.removeAll()
  }
}

/// Takes the numbers of pages.
final class TakenNumbers: RowTaker {
  /// All that were taken.
  private(set) var pages = PageSet()

  func take(_ row: RowValues) -> Bool {
    pages.insert(row.int64(0), isHidden: false)
    return false
  }
}
