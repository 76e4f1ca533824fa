internal import BrowsingData
internal import Glibc

/// Pages gathered up to a bound and handed over sorted by address: what a store's index takes cheaply.
struct PageChunk {
  /// Bytes of text that are gathered before they are sorted.
  static let maximumText = 8 << 20
  /// Pages that are gathered before they are sorted.
  static let maximumPages = 96_000
  private static let batchPages = 10_000
  private static let batchText = 2 << 20

  private struct Entry {
    /// The address's first bytes as a number, in the addresses' order.
    var key: UInt64
    var number: Int64
    var titleTime: Int64
    var start: Int32
    var urlCount: Int32
    /// -1 when unknown.
    var titleCount: Int32
  }

  private var entries: [Entry] = []
  private var text: [UInt8] = []

  /// An empty one.
  init() {}

  /// Whether it is time to hand over.
  var isFull: Bool { text.count >= PageChunk.maximumText || entries.count >= PageChunk.maximumPages }

  /// Adds a page; a title that is no UTF-8 is repaired. False, and nothing is added, when the address is no UTF-8.
  mutating func append(
    number: Int64, url: UnsafeRawBufferPointer, title: UnsafeRawBufferPointer?, titleTime: Int64
  ) -> Bool {
    guard PageChunk.isValid(url) else { return false }
    if text.capacity == 0 {
      text.reserveCapacity(PageChunk.maximumText + (1 << 17))
      entries.reserveCapacity(4_096)
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
        key: PageChunk.key(url), number: number, titleTime: titleTime, start: start, urlCount: Int32(url.count),
        titleCount: titleCount))
    return true
  }

  /// Hands over what it holds, sorted by the addresses' bytes, and is empty.
  mutating func flush(into consume: (RecordBatch) throws -> Void) throws {
    sort()
    var batch = PageBatch()
    for entry in entries {
      let url = Int(entry.start)..<Int(entry.start + entry.urlCount)
      let urlRange = batch.add(text[url])
      var titleRange: Range<Int32>?
      if entry.titleCount >= 0 {
        titleRange = batch.add(text[url.upperBound..<(url.upperBound + Int(entry.titleCount))])
      }
      var page = PageBatch.Page(number: entry.number, url: urlRange, title: titleRange)
      page.titleTime = entry.titleCount >= 0 ? entry.titleTime : 0
      batch.pages.append(page)
      if batch.pages.count == PageChunk.batchPages || batch.text.count >= PageChunk.batchText {
        try consume(.pages(batch))
        batch = PageBatch()
      }
    }
    if !batch.pages.isEmpty { try consume(.pages(batch)) }
    entries.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
  }

  private mutating func sort() {
    text.withUnsafeBytes { text in
      guard let base = text.baseAddress else { return }
      entries.sort { left, right in
        if left.key != right.key { return left.key < right.key }
        let order = memcmp(base + Int(left.start), base + Int(right.start), Int(min(left.urlCount, right.urlCount)))
        return order != 0 ? order < 0 : left.urlCount < right.urlCount
      }
    }
  }

  private static let https = Array("https://".utf8)

  /// Two bits: before, in or after the addresses that begin with `https://`; then the bytes that tell them apart.
  private static func key(_ url: UnsafeRawBufferPointer) -> UInt64 {
    let order = https.withUnsafeBytes { prefix -> Int32 in
      guard let left = url.baseAddress, let right = prefix.baseAddress else { return -1 }
      let order = memcmp(left, right, min(url.count, prefix.count))
      return order == 0 && url.count < prefix.count ? -1 : order
    }
    let skipped = order == 0 ? https.count : 0
    var bytes: UInt64 = 0
    for index in skipped..<(skipped + 8) { bytes = bytes << 8 | (index < url.count ? UInt64(url[index]) : 0) }
    return (order < 0 ? 0 : order == 0 ? 1 : 2) << 62 | bytes >> 2
  }

  private static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    while index + 8 <= bytes.count {
      if bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 != 0 { break }
      index += 8
    }
    while index < bytes.count, bytes[index] < 128 { index += 1 }
    return index == bytes.count || String(validating: bytes[index...], as: UTF8.self) != nil
  }
}
