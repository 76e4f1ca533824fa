internal import BrowsingData

/// Gathers the items of a reading list, which come after the bookmarks wherever they stand in the file.
struct NetscapeReadingList {
  /// Whether there were more than may be held until the bookmarks end: none are held then, and the file is read again.
  private(set) var isOverflowing = false
  /// Whether they are taken in batches, or all of them at the end.
  private let isTakenInBatches: Bool
  private var ids = RecordIDSet(expected: 0)
  private var items: [ReadingListItem] = []
  private var bytes = 0

  private static let batchCount = 2048
  private static let maximumHeld = 8 << 20

  init(isTakenInBatches: Bool) { self.isTakenInBatches = isTakenInBatches }

  /// Whether it is time to take them.
  var isFull: Bool { isTakenInBatches && (items.count >= NetscapeReadingList.batchCount || isLarge) }

  private var isLarge: Bool { bytes > NetscapeReadingList.maximumHeld }

  /// Adds a bookmark of the reading list; false when its address was there before.
  mutating func add(_ bookmark: Bookmark) -> Bool {
    guard let url = bookmark.url else { return true }
    let id = RecordID(hashing: .readingListItem(url: url, profile: nil))
    guard ids.insert(id) else { return false }
    if isOverflowing { return true }
    var read = ReadingListItem(id: id, title: bookmark.title, url: url, dateAdded: bookmark.dateAdded)
    read.lastVisitedAt = bookmark.lastVisitedAt
    read.preview = bookmark.description
    items.append(read)
    bytes += 256 + url.utf8.count + read.title.utf8.count + (read.preview?.utf8.count ?? 0)
    if !isTakenInBatches, isLarge {
      isOverflowing = true
      items = []
    }
    return true
  }

  /// Takes them; nil when there are none.
  mutating func take() -> RecordBatch? {
    defer { (items, bytes) = ([], 0) }
    return items.isEmpty ? nil : .readingList(items)
  }
}
