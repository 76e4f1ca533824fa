internal import SQLite

/// A page on its way into the store. Offsets are into a text arena.
struct PageRow {
  /// The page's number here, once it is known.
  var id: Int64 = 0
  var url: Range<Int32>
  /// nil when the title is unknown.
  var title: Range<Int32>?
  /// Microseconds; 0 when unknown.
  var titleTime: Int64
  /// Which of the caller's pages it is.
  var index: Int32
  /// The page's number at a peer, where it is kept; 0: it is not.
  var number: Int64 = 0

  @inline(__always)
  static func bytes(_ range: Range<Int32>, of text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[Int(range.lowerBound)..<Int(range.upperBound)])
  }
}

/// Pages in memory as the table `incoming_page`.
final class PageTable: RowTable {
  static let name = "incoming_page"
  static let columns = ["id", "url", "title", "title_t", "no"]
  private var rows = UnsafeBufferPointer<PageRow>(start: nil, count: 0)
  private var text = UnsafeRawBufferPointer(start: nil, count: 0)

  var rowCount: Int { rows.count }

  /// Shows these rows while `body` runs.
  func showing<R>(
    _ rows: [PageRow], _ text: UnsafeRawBufferPointer, _ body: () throws -> R
  ) rethrows -> R {
    try rows.withUnsafeBufferPointer { buffer in
      self.rows = buffer
      self.text = text
      defer {
        self.rows = UnsafeBufferPointer(start: nil, count: 0)
        self.text = UnsafeRawBufferPointer(start: nil, count: 0)
      }
      return try body()
    }
  }

  func value(_ column: Int, of row: Int, to result: ColumnResult) {
    switch column {
    case 0: result.set(rows[row].id)
    case 1: result.set(text: PageRow.bytes(rows[row].url, of: text))
    case 2:
      if let title = rows[row].title { result.set(text: PageRow.bytes(title, of: text)) }
    case 3: result.set(rows[row].titleTime)
    default: result.set(rows[row].number)
    }
  }
}

/// Sorts pages by their addresses' bytes, the order of the store's index, so that inserting appends.
enum PageOrder {
  private struct Key {
    var first: UInt64
    var second: UInt64
    var index: Int32
  }

  /// The pages in ascending order of their addresses. Equal addresses stay in their order.
  static func sorted(_ rows: [PageRow], _ text: UnsafeRawBufferPointer) -> [PageRow] {
    if zip(rows, rows.dropFirst()).allSatisfy({ compare($0.url, $1.url, text, from: 0) < 0 }) { return rows }
    var keys = rows.indices.map { index in
      Key(
        first: word(rows[index].url, 0, text), second: word(rows[index].url, 8, text), index: Int32(index))
    }
    keys.sort { left, right in
      if left.first != right.first { return left.first < right.first }
      if left.second != right.second { return left.second < right.second }
      let (one, two) = (rows[Int(left.index)].url, rows[Int(right.index)].url)
      let order = compare(one, two, text, from: min(one.count, two.count) >= 16 ? 16 : 0)
      return order != 0 ? order < 0 : left.index < right.index
    }
    return keys.map { rows[Int($0.index)] }
  }

  /// Below, equal or above 0, as `memcmp` of the shorter length and then the lengths say.
  static func compare(
    _ left: Range<Int32>, _ right: Range<Int32>, _ text: UnsafeRawBufferPointer, from: Int
  ) -> Int {
    let count = min(left.count, right.count)
    var index = from
    let leftStart = Int(left.lowerBound)
    let rightStart = Int(right.lowerBound)
    while index + 8 <= count {
      let one = text.loadUnaligned(fromByteOffset: leftStart + index, as: UInt64.self)
      let two = text.loadUnaligned(fromByteOffset: rightStart + index, as: UInt64.self)
      if one != two { return one.bigEndian < two.bigEndian ? -1 : 1 }
      index += 8
    }
    while index < count {
      let one = text[leftStart + index]
      let two = text[rightStart + index]
      if one != two { return one < two ? -1 : 1 }
      index += 1
    }
    return left.count - right.count
  }

  private static func word(_ range: Range<Int32>, _ offset: Int, _ text: UnsafeRawBufferPointer) -> UInt64 {
    let start = Int(range.lowerBound) + offset
    let count = Int(range.upperBound) - start
    if count >= 8 { return text.loadUnaligned(fromByteOffset: start, as: UInt64.self).bigEndian }
    var value: UInt64 = 0
    for index in 0..<8 { value = value << 8 | (index < count ? UInt64(text[start + index]) : 0) }
    return value
  }
}
