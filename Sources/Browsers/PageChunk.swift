internal import BrowsingData
internal import Glibc

/// Pages gathered up to a bound and handed over sorted by address: what a store's index takes cheaply.
struct PageChunk {
  /// Bytes of text that are gathered before they are sorted.
  static let maximumText = 12 << 20
  /// Pages that are gathered before they are sorted.
  static let maximumPages = 100_000
  /// Pages of the first chunk. Each chunk is twice the one before, so that who takes them waits little for the first.
  static let firstPages = 12_500
  private static let batchPages = 10_000
  private static let batchText = 2 << 20

  private struct Entry {
    var number: Int64
    var titleTime: Int64
    var start: Int32
    var urlCount: Int32
    /// -1 when unknown.
    var titleCount: Int32
  }

  /// The bytes of an address that tell most addresses apart, as two numbers in the addresses' order.
  private struct SortKey {
    /// Two bits: before, in or after the addresses that begin with `https://`; then the bytes that follow.
    var first: UInt64
    var second: UInt64
    var index: Int32

    init(_ url: UnsafeRawBufferPointer, index: Int32) {
      let order = SortKey.order(url)
      var bytes = (UInt64(0), UInt64(0))
      let rest = UnsafeRawBufferPointer(rebasing: url.dropFirst(order == 0 ? 8 : 0).prefix(16))
      withUnsafeMutableBytes(of: &bytes) { $0.copyMemory(from: rest) }
      let (high, low) = (UInt64(bigEndian: bytes.0), UInt64(bigEndian: bytes.1))
      first = (order < 0 ? 0 : order == 0 ? 1 : 2) << 62 | high >> 2
      second = high << 62 | low >> 2
      self.index = index
    }

    private static func order(_ url: UnsafeRawBufferPointer) -> Int32 {
      https.withUnsafeBytes { prefix in
        guard let left = url.baseAddress, let right = prefix.baseAddress else { return -1 }
        let order = memcmp(left, right, min(url.count, prefix.count))
        return order == 0 && url.count < prefix.count ? -1 : order
      }
    }

    private static let https = Array("https://".utf8)
  }

  private var entries: [Entry] = []
  private var text: [UInt8] = []
  private var pages = PageChunk.firstPages

  /// An empty one.
  init() {}

  /// Whether it is time to hand over.
  var isFull: Bool { text.count >= PageChunk.maximumText || entries.count >= pages }

  /// Adds a page; a title that is no UTF-8 is repaired. False, and nothing is added, when the address is no UTF-8.
  mutating func append(
    number: Int64, url: UnsafeRawBufferPointer, title: UnsafeRawBufferPointer?, titleTime: Int64
  ) -> Bool {
    guard PageChunk.isValid(url) else { return false }
    if text.capacity == 0 {
      text.reserveCapacity(PageChunk.maximumText + (1 << 17))
      entries.reserveCapacity(PageChunk.maximumPages)
    }
    let start = Int32(text.count)
    text.append(contentsOf: url)
    var titleCount: Int32 = -1
    if let title, !title.isEmpty {
      let before = text.count
      if PageChunk.isValid(title) {
        text.append(contentsOf: title)
      } else {
        text.append(contentsOf: RepairedText.string(title).utf8)
      }
      titleCount = Int32(text.count - before)
    }
    entries.append(
      Entry(
        number: number, titleTime: titleTime, start: start, urlCount: Int32(url.count),
        titleCount: titleCount))
    return true
  }

  /// Hands over what it holds, sorted by the addresses' bytes, and is empty.
  mutating func flush(into consume: (RecordBatch) throws -> Void) throws {
    let order = sorted()
    var next = 0
    while next < order.count { try consume(.pages(batch(order, from: &next))) }
    pages = min(pages * 2, PageChunk.maximumPages)
    entries.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
  }

  private func batch(_ order: [SortKey], from next: inout Int) -> PageBatch {
    let end = min(order.count, next + PageChunk.batchPages)
    var batch = PageBatch()
    batch.pages.reserveCapacity(end - next)
    var gathered: [UInt8] = []
    gathered.reserveCapacity(PageChunk.batchText + (1 << 17))
    text.withUnsafeBytes { text in
      while next < end, gathered.count < PageChunk.batchText {
        let entry = entries[Int(order[next].index)]
        next += 1
        let start = Int32(gathered.count)
        let count = entry.urlCount + max(0, entry.titleCount)
        gathered.append(contentsOf: text[Int(entry.start)..<Int(entry.start + count)])
        let middle = start + entry.urlCount
        var page = PageBatch.Page(
          number: entry.number, url: start..<middle, title: entry.titleCount < 0 ? nil : middle..<(start + count))
        page.titleTime = entry.titleCount < 0 ? 0 : entry.titleTime
        batch.pages.append(page)
      }
    }
    batch.text = gathered
    return batch
  }

  private func sorted() -> [SortKey] {
    var keys: [SortKey] = []
    keys.reserveCapacity(entries.count)
    text.withUnsafeBytes { text in
      guard let base = text.baseAddress else { return }
      for (index, entry) in entries.enumerated() {
        let url = UnsafeRawBufferPointer(start: base + Int(entry.start), count: Int(entry.urlCount))
        keys.append(SortKey(url, index: Int32(index)))
      }
      entries.withUnsafeBufferPointer { entries in
        keys.sort { left, right in
          if left.first != right.first { return left.first < right.first }
          if left.second != right.second { return left.second < right.second }
          let (one, other) = (entries[Int(left.index)], entries[Int(right.index)])
          let order = memcmp(base + Int(one.start), base + Int(other.start), Int(min(one.urlCount, other.urlCount)))
          return order != 0 ? order < 0 : one.urlCount < other.urlCount
        }
      }
    }
    return keys
  }

  private static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    var index = 0
    while index + 8 <= bytes.count {
      let word = start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard word & 0x8080_8080_8080_8080 == 0 else { break }
      index += 8
    }
    while index < bytes.count, bytes[index] < 128 { index += 1 }
    if index == bytes.count { return true }
    return (try? UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)) != nil
  }
}
