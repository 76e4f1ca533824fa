internal import SQLite

/// Takes the rows of pages out of SQLite.
final class TakenPages: RowTaker {
  private static let enoughText = 1 << 18
  private static let enoughPages = 4_096
  /// With the page that makes it enough.
  private static let roomForText = enoughText + (1 << 13)
  private var block = PageBlock()

  func take(_ row: RowValues) -> Bool {
    row.withText(1) { url in
      row.withText(2) { title in
        block.append(
          number: row.int64(0), url: url, title: title, time: row.int64(4), isHidden: row.int64(3) != 0)
      }
    }
    return block.text.count >= TakenPages.enoughText || block.entries.count >= TakenPages.enoughPages
  }

  /// What was taken since the last time.
  func removeAll() -> PageBlock {
    defer { block = PageBlock(text: TakenPages.roomForText) }
    return block
  }
}

/// Takes the numbers of pages.
final class TakenNumbers: RowTaker {
  /// All that were taken.
  private(set) var pages = PageSet()

  func take(_ row: RowValues) -> Bool {
    pages.insert(row.int64(0), isHidden: false)
    return false
  }
}
