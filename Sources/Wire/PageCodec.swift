import BrowsingData

// Pages in columns, in the order given: sorted by address they are smallest and the receiver's index only grows.
extension RecordCodec {
  static func encode(_ batch: PageBatch, of changes: ChangeBatch) throws(WireError) -> [UInt8] {
    let pages = batch.pages
    let some = try check(batch, of: changes)
    var fields = TLVWriter()
    fields.reserve(batch.text.count + pages.count * 12 + 256)
    fields.natural(2, pages.count)
    fields.bytes(4, Column.deltas(pages.count) { pages[$0].number })
    fields.bytes(6, Column.deltas(pages.count, from: changes.first) { pages[$0].sequence })
    fields.bytes(8, Column.varints(pages.count) { UInt64(pages[$0].url.count) })
    fields.bytes(10, Column.varints(pages.count) { row in pages[row].title.map { UInt64($0.count) + 1 } ?? 0 })
    fields.bytes(12, some.isInOrder ? batch.text : ordered(batch))
    if some.titleTime { fields.bytes(14, Column.deltas(pages.count) { pages[$0].titleTime }) }
    if some.was { fields.bytes(16, Column.varints(pages.count) { UInt64(clamping: pages[$0].was) }) }
    return fields.finish()
  }

  /// Refuses what no receiver takes, our own mistake; says which columns have anything in them, and whether the text
  /// stands in the order in which it is sent.
  private static func check(
    _ batch: PageBatch, of changes: ChangeBatch
  ) throws(WireError) -> (titleTime: Bool, was: Bool, isInOrder: Bool) {
    var some = (titleTime: false, was: false, isInOrder: true)
    var end: Int32 = 0
    for page in batch.pages {
      guard page.number != 0, page.sequence > changes.first, page.sequence <= changes.last, page.was >= 0,
        page.was < page.sequence
      else { throw .malformed(.sequence) }
      guard isWithin(page.url, batch.text), page.title.map({ isWithin($0, batch.text) }) ?? true else {
        throw .malformed(.value)
      }
      some.titleTime = some.titleTime || page.titleTime != 0
      some.was = some.was || page.was != 0
      some.isInOrder = some.isInOrder && page.url.lowerBound == end
      end = page.url.upperBound
      if let title = page.title {
        some.isInOrder = some.isInOrder && title.lowerBound == end
        end = title.upperBound
      }
    }
    some.isInOrder = some.isInOrder && Int(end) == batch.text.count
    return some
  }

  private static func ordered(_ batch: PageBatch) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(batch.text.count)
    for page in batch.pages {
      text += batch.text[Int(page.url.lowerBound)..<Int(page.url.upperBound)]
      if let title = page.title { text += batch.text[Int(title.lowerBound)..<Int(title.upperBound)] }
    }
    return text
  }

  private static func isWithin(_ range: Range<Int32>, _ text: [UInt8]) -> Bool {
    range.lowerBound >= 0 && Int(range.upperBound) <= text.count
  }

  static func readPages(_ fields: TLVReader, into changes: inout ChangeBatch) throws(WireError) {
    var fields = fields
    let count = try readCount(&fields)
    let numbers = try fields.required(4).deltaColumn(count)
    let sequences = try fields.required(6).deltaColumn(count, from: changes.first)
    let addresses = try fields.required(8).column(count)
    let titles = try fields.required(10).column(count)
    var text = try fields.required(12)
    let titleTimes = try fields.field(14)?.deltaColumn(count)
    let formers = try fields.field(16)?.naturalColumn(count)
    try fields.finish()
    // A column of nothing but defaults is left out: one value, one encoding.
    guard titleTimes?.contains(where: { $0 != 0 }) ?? true, formers?.contains(where: { $0 != 0 }) ?? true else {
      throw .malformed(.value)
    }
    var batch = PageBatch()
    batch.text = Array(text.rest())
    batch.pages.reserveCapacity(count)
    let checker = TextChecker(batch.text)
    var start = 0
    for row in 0..<count {
      let url = try take(addresses[row], &start, batch.text.count)
      let title = titles[row] == 0 ? nil : try take(titles[row] &- 1, &start, batch.text.count)
      var page = PageBatch.Page(number: numbers[row], url: url, title: title)
      page.sequence = sequences[row]
      if let titleTimes { page.titleTime = titleTimes[row] }
      if let formers { page.was = Int64(truncatingIfNeeded: formers[row]) }
      guard page.number != 0, page.sequence > changes.first, page.sequence <= changes.last,
        page.was < page.sequence
      else { throw .malformed(.sequence) }
      if let fault = fault(of: page, checker) {
        changes.unreadablePages.append(page.number)
        changes.remarks.append(Remark(.skipped, type: .history, reason: fault))
      } else {
        batch.pages.append(page)
      }
    }
    guard start == batch.text.count else { throw .malformed(.trailing) }
    changes.content = .pages(batch)
  }

  static func readCount(_ fields: inout TLVReader) throws(WireError) -> Int {
    let count = try fields.required(2).wholeVarint()
    guard count <= UInt64(Limits.batchRecords) else { throw .malformed(.limit) }
    return Int(count)
  }

  private static func take(
    _ count: UInt64, _ start: inout Int, _ limit: Int
  ) throws(WireError) -> Range<Int32> {
    guard count <= UInt64(limit &- start) else { throw .malformed(.truncated) }
    let end = start &+ Int(truncatingIfNeeded: count)
    defer { start = end }
    return Int32(truncatingIfNeeded: start)..<Int32(truncatingIfNeeded: end)
  }

  private static func fault(of page: PageBatch.Page, _ checker: TextChecker) -> String? {
    if page.url.count > Limits.text { return "url is longer than \(Limits.text) bytes" }
    if !checker.isText(page.url) { return "url is not UTF-8" }
    if let title = page.title {
      if title.count > Limits.text { return "title is longer than \(Limits.text) bytes" }
      if !checker.isText(title) { return "title is not UTF-8" }
    }
    if !Timestamp(microseconds: page.titleTime).isPlausible { return "title_time is not between 1970 and 2200" }
    return nil
  }
}
