/// Some pages with their text in one arena: how they come from the thread that reads them.
struct PageBlock: Sendable {
  /// One page.
  struct Entry: Sendable {
    var number: Int64
    /// The title's time as the source has it, or 0.
    var time: Int64
    var start: Int32
    /// -1 when there is no readable address.
    var urlCount: Int32
    /// -1 when there is no title.
    var titleCount: Int32
    var isHidden: Bool

    var textCount: Int32 { max(0, urlCount) + max(0, titleCount) }
  }

  private(set) var entries: [Entry] = []
  private(set) var text: [UInt8] = []
  private let capacity: Int

  /// An empty one; room for so much text is made when the first page comes.
  init(text capacity: Int = 0) { self.capacity = capacity }

  /// Adds a page; a title that is no UTF-8 is repaired, an address that is none is no address.
  mutating func append(
    number: Int64, url: UnsafeRawBufferPointer?, title: UnsafeRawBufferPointer?, time: Int64, isHidden: Bool
  ) {
    if entries.isEmpty { text.reserveCapacity(capacity) }
    var entry = Entry(
      number: number, time: time, start: Int32(text.count), urlCount: -1, titleCount: -1, isHidden: isHidden)
    if let url, !url.isEmpty, number != 0, PageBlock.isValid(url) {
      text.append(contentsOf: url)
      entry.urlCount = Int32(url.count)
      if let title, !title.isEmpty { entry.titleCount = append(title) }
    }
    entries.append(entry)
  }

  private mutating func append(_ title: UnsafeRawBufferPointer) -> Int32 {
    let before = text.count
    if PageBlock.isValid(title) {
      text.append(contentsOf: title)
    } else {
      text.append(contentsOf: RepairedText.string(title).utf8)
    }
    return Int32(text.count - before)
  }

  private static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let start = bytes.baseAddress else { return true }
    var index = 0
    while index + 8 <= bytes.count {
      let word = start.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      guard word & 0x8080_8080_8080_8080 == 0 else { break }
      index += 8
    }
    if index + 8 > bytes.count, bytes.count >= 8 {
      // The last eight bytes, some of them seen already.
      let word = start.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
      if word & 0x8080_8080_8080_8080 == 0 { return true }
    }
    while index < bytes.count, bytes[index] < 128 { index += 1 }
    if index == bytes.count { return true }
    return (try? UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)) != nil
  }
}
