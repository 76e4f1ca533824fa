import BrowsingData

// Pages in columns, in the order given: sorted by address they are smallest and the receiver's index only grows.
extension RecordCodec {
  static func encode(_ batch: PageBatch, of changes: ChangeBatch) throws(WireError) -> [UInt8] {
    var numbers = ByteWriter()
    var sequences = ByteWriter()
    var addresses = ByteWriter()
    var titles = ByteWriter()
    var text = ByteWriter()
    var titleTimes = ByteWriter()
    var formers = ByteWriter()
    var previous = (number: Int64(0), sequence: changes.first, time: Int64(0))
    let room = batch.pages.count * 4
    numbers.reserve(room)
    sequences.reserve(room)
    text.reserve(batch.text.count)
    for page in batch.pages {
      guard page.number != 0, page.sequence > changes.first, page.sequence <= changes.last,
        page.was >= 0, page.was < page.sequence, isWithin(page.url, batch.text),
        page.title.map({ isWithin($0, batch.text) }) ?? true
      else { throw .malformed(.sequence) }
      numbers.signed(page.number &- previous.number)
      sequences.signed(page.sequence &- previous.sequence)
      addresses.varint(UInt64(page.url.count))
      text.append(batch.text[Int(page.url.lowerBound)..<Int(page.url.upperBound)])
      titles.varint(page.title.map { UInt64($0.count) + 1 } ?? 0)
      if let title = page.title { text.append(batch.text[Int(title.lowerBound)..<Int(title.upperBound)]) }
      titleTimes.signed(page.titleTime &- previous.time)
      formers.varint(UInt64(page.was))
      previous = (page.number, page.sequence, page.titleTime)
    }
    var fields = TLVWriter()
    fields.natural(2, batch.pages.count)
    fields.bytes(4, numbers.bytes)
    fields.bytes(6, sequences.bytes)
    fields.bytes(8, addresses.bytes)
    fields.bytes(10, titles.bytes)
    fields.bytes(12, text.bytes)
    if batch.pages.contains(where: { $0.titleTime != 0 }) { fields.bytes(14, titleTimes.bytes) }
    if batch.pages.contains(where: { $0.was != 0 }) { fields.bytes(16, formers.bytes) }
    return fields.finish()
  }

  private static func isWithin(_ range: Range<Int32>, _ text: [UInt8]) -> Bool {
    range.lowerBound >= 0 && Int(range.upperBound) <= text.count
  }

  static func readPages(_ fields: TLVReader, into changes: inout ChangeBatch) throws(WireError) {
    var fields = fields
    let count = try readCount(&fields)
    var numbers = try fields.required(4)
    var sequences = try fields.required(6)
    var addresses = try fields.required(8)
    var titles = try fields.required(10)
    var textField = try fields.required(12)
    var titleTimes = try fields.field(14)
    var formers = try fields.field(16)
    try fields.finish()

    var batch = PageBatch()
    batch.text = Array(textField.rest())
    batch.pages.reserveCapacity(count)
    let checker = TextChecker(batch.text)
    let isTimed = titleTimes != nil
    let isMoved = formers != nil
    var sawTime = false
    var sawFormer = false
    var number: Int64 = 0
    var sequence = changes.first
    var time: Int64 = 0
    var start = 0
    for _ in 0..<count {
      number &+= try numbers.signed()
      sequence &+= try sequences.signed()
      guard number != 0, sequence > changes.first, sequence <= changes.last else { throw .malformed(.sequence) }
      let url = try take(try addresses.varint(), &start, batch.text)
      let titleLength = try titles.varint()
      let title = titleLength == 0 ? nil : try take(titleLength &- 1, &start, batch.text)
      var page = PageBatch.Page(number: number, url: url, title: title)
      page.sequence = sequence
      if isTimed, let step = try titleTimes?.signed() {
        time &+= step
        page.titleTime = time
        sawTime = sawTime || time != 0
      }
      if isMoved, let former = try formers?.natural() {
        guard former < sequence else { throw .malformed(.sequence) }
        page.was = former
        sawFormer = sawFormer || former != 0
      }
      if let fault = fault(of: page, checker) {
        changes.unreadablePages.append(number)
        changes.remarks.append(Remark(.skipped, type: .history, reason: fault))
      } else {
        batch.pages.append(page)
      }
    }
    // A column of nothing but defaults is left out: one value, one encoding.
    guard sawTime == isTimed, sawFormer == isMoved else { throw .malformed(.value) }
    try numbers.finish()
    try sequences.finish()
    try addresses.finish()
    try titles.finish()
    try titleTimes?.finish()
    try formers?.finish()
    guard start == batch.text.count else { throw .malformed(.trailing) }
    changes.content = .pages(batch)
  }

  static func readCount(_ fields: inout TLVReader) throws(WireError) -> Int {
    let count = try fields.required(2).wholeVarint()
    guard count <= UInt64(Limits.batchRecords) else { throw .malformed(.limit) }
    return Int(count)
  }

  private static func take(
    _ count: UInt64, _ start: inout Int, _ text: [UInt8]
  ) throws(WireError) -> Range<Int32> {
    guard count <= UInt64(text.count &- start) else { throw .malformed(.truncated) }
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
