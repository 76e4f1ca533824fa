internal import Crypto

extension FirefoxProfile {
  /// Of the files that its records are read from.
  package func mark() -> [UInt8]? {
    ProfileFile.mark(
      of: [
        "places.sqlite", "places.sqlite-wal", "places.sqlite-journal", "extensions.json", "logins.json", "key4.db",
        "autofill-profiles.json",
      ], in: path)
  }

  /// Of the rows that bookmarks are made of: a few bytes for each are looked at, and no page.
  package func bookmarksMark() throws -> [UInt8]? {
    let places = try openPlaces()
    guard places.has("moz_keywords", ["keyword", "place_id", "post_data"]) else { return nil }
    var mark = RowMark()
    let bookmarks = try places.rows(
      "SELECT id, type, fk, parent, position, dateAdded, lastModified, title, guid FROM moz_bookmarks ORDER BY id")
    while try bookmarks.next() { mark.add(bookmarks, numbers: 7, texts: 2) }
    let keywords = try places.rows("SELECT id, place_id, keyword, post_data FROM moz_keywords ORDER BY id")
    while try keywords.next() { mark.add(keywords, numbers: 2, texts: 2) }
    try places.verify()
    return mark.bytes
  }
}

/// Tells whether rows are as they were.
private struct RowMark {
  private static let key = [UInt8](repeating: 0x77, count: 16)
  private static let chunk = 1 << 16
  private var sum = [UInt8](repeating: 0, count: 16)
  private var pending: [UInt8] = []

  /// A row whose first columns are numbers, and then texts.
  mutating func add(_ row: ProfileRows, numbers: Int32, texts: Int32) {
    for column in 0..<numbers { add(row.int64(column)) }
    for column in numbers..<(numbers + texts) {
      row.withText(column) { text in
        add(Int64(text?.count ?? -1))
        if let text { pending.append(contentsOf: text) }
      }
    }
    if pending.count >= RowMark.chunk { flush() }
  }

  private mutating func add(_ number: Int64) {
    withUnsafeBytes(of: number.littleEndian) { pending.append(contentsOf: $0) }
  }

  private mutating func flush() {
    sum = Hash.sipHash128(sum + pending, key: RowMark.key)
    pending.removeAll(keepingCapacity: true)
  }

  var bytes: [UInt8] {
    var last = self
    last.flush()
    return last.sum
  }
}
