/// The rows of visits that were met lately, by page and time, each with one fact: a link to one of them needs no look-up.
struct RecentRows {
  private static let count = 1 << 16
  private var entries = [(page: Int, time: Int64, row: Int64, fact: Int64)](
    repeating: (-1, 0, 0, 0), count: RecentRows.count)

  private static func slot(_ page: Int, _ time: Int64) -> Int {
    let mixed = (UInt64(bitPattern: time) ^ UInt64(page) &* 0x9E37_79B9_7F4A_7C15) &* 0xD6E8_FEB8_6659_FD93
    return Int(mixed >> 48)
  }

  /// Remembers a visit in the place of another one.
  mutating func insert(page: Int, time: Int64, row: Int64, fact: Int64) {
    entries[RecentRows.slot(page, time)] = (page, time, row, fact)
  }

  /// The last one that came of a page and time.
  func find(page: Int, time: Int64) -> (row: Int64, fact: Int64)? {
    let entry = entries[RecentRows.slot(page, time)]
    return entry.page == page && entry.time == time ? (entry.row, entry.fact) : nil
  }
}
