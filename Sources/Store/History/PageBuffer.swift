internal import BrowsingData

/// Pages of a source, held until they can be sorted in a large chunk.
struct PageBuffer {
  private(set) var rows: [PageRow] = []
  private(set) var numbers: [Int64] = []
  private(set) var text: [UInt8] = []

  /// 100,000 pages or 16 MiB: enough for sorting to pay, little enough to hold.
  var isFull: Bool { rows.count >= 100_000 || text.count >= 16 << 20 }

  /// Adds pages. One whose address no peer would take (128 KiB) is left out, and so is one whose ranges are outside of its
  /// text, our source's mistake: their visits are then skipped, each with a remark.
  mutating func add(_ batch: PageBatch) {
    let offset = Int32(text.count)
    let limit = Int32(clamping: batch.text.count)
    text += batch.text
    for page in batch.pages
    where page.url.lowerBound >= 0 && page.url.upperBound <= limit && page.url.count <= 128 << 10 {
      var title = page.title
      if let range = title, range.lowerBound < 0 || range.upperBound > limit || range.count > 128 << 10 { title = nil }
      rows.append(
        PageRow(
          url: page.url.lowerBound + offset..<page.url.upperBound + offset,
          title: title.map { $0.lowerBound + offset..<$0.upperBound + offset }, titleTime: page.titleTime,
          index: Int32(rows.count)))
      numbers.append(page.number)
    }
  }
}
