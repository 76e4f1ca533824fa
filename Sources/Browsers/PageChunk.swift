internal import BrowsingData

/// Pages gathered up to a bound and handed over sorted by address: what a store's index takes cheaply.
struct PageChunk {
  /// Bytes of text that are gathered before they are sorted, with the block that makes it enough.
  static let maximumText = 16 << 20
  /// Pages that are gathered before they are sorted, likewise.
  static let maximumPages = 120_000
  /// Pages of the first chunk. Each chunk is thrice the one before, so that who takes them waits little for the first.
  static let firstPages = 20_000
  private static let batchPages = 10_000
  private static let batchText = 2 << 20

  private struct Entry {
    var number: Int64
    var titleTime: Int64
    var start: Int32
    var urlCount: Int32
    /// -1 when unknown.
    var titleCount: Int32

    var textCount: Int32 { urlCount + max(0, titleCount) }
    var url: Range<Int> { Int(start)..<Int(start + urlCount) }
  }

  private var entries: [Entry] = []
  private var text: [UInt8] = []
  private var pages = PageChunk.firstPages

  /// An empty one.
  init() {}

  /// Whether it is time to hand over. When few are `left`, they come along: a small chunk at the end costs the index nearly
  /// as much as a large one.
  func isFull(left: Int64) -> Bool {
    if text.count >= PageChunk.maximumText || entries.count >= PageChunk.maximumPages { return true }
    return entries.count >= pages && left > entries.count / 2
  }

  /// Adds the text of a block; returns where it begins.
  mutating func append(_ text: [UInt8]) -> Int32 {
    if self.text.capacity == 0 {
      self.text.reserveCapacity(PageChunk.maximumText + (1 << 19))
      entries.reserveCapacity(PageChunk.maximumPages + (1 << 12))
    }
    defer { self.text.append(contentsOf: text) }
    return Int32(self.text.count)
  }

  /// Adds a page of a block, whose text is there at `start`, with the time of its title as a record has it.
  mutating func append(_ page: PageBlock.Entry, at start: Int32, titleTime: Int64) {
    entries.append(
      Entry(
        number: page.number, titleTime: titleTime, start: start, urlCount: page.urlCount, titleCount: page.titleCount))
  }

  /// Hands over what it holds, sorted by the addresses' bytes, and is empty.
  mutating func flush(into consume: (RecordBatch) throws -> Void) throws {
    let order = text.withUnsafeBytes { text in
      entries.withUnsafeBufferPointer { entries in
        AddressOrder.sorted(entries.count, in: text) { entries[$0].url }
      }
    }
    var next = 0
    while next < order.count { try consume(.pages(batch(order, from: &next))) }
    pages = min(pages * 3, PageChunk.maximumPages)
    entries.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
  }

  private func batch(_ order: [Int32], from next: inout Int) -> PageBatch {
    let limit = min(order.count, next + PageChunk.batchPages)
    var (end, count) = (next, 0)
    while end < limit, count < PageChunk.batchText {
      count += Int(entries[Int(order[end])].textCount)
      end += 1
    }
    var batch = PageBatch()
    batch.pages.reserveCapacity(end - next)
    batch.text = [UInt8](unsafeUninitializedCapacity: count) { gathered, gatheredCount in
      text.withUnsafeBytes { text in
        for index in order[next..<end] {
          let entry = entries[Int(index)]
          let place = gatheredCount
          gatheredCount += Int(entry.textCount)
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(gathered)[place..<gatheredCount])
            .copyMemory(
              from: UnsafeRawBufferPointer(rebasing: text[Int(entry.start)..<Int(entry.start + entry.textCount)]))
          batch.pages.append(PageChunk.page(entry, at: Int32(place)))
        }
      }
    }
    next = end
    return batch
  }

  /// With its text at a place of a batch.
  private static func page(_ entry: Entry, at place: Int32) -> PageBatch.Page {
    let middle = place + entry.urlCount
    var page = PageBatch.Page(
      number: entry.number, url: place..<middle,
      title: entry.titleCount < 0 ? nil : middle..<(place + entry.textCount))
    page.titleTime = entry.titleCount < 0 ? 0 : entry.titleTime
    return page
  }
}
