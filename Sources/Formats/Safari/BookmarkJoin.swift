import BrowsingData

/// Joins the bookmarks of several files into one tree: what follows goes behind what was there, and a bookmark that an
/// earlier file had in the same place, with the same content, is there once.
struct BookmarkJoin {
  private var seen: Set<RecordID> = []
  private var next: [RecordID: Int] = [:]

  /// The bookmarks of a batch that are new, with their positions in the joined tree.
  mutating func join(_ bookmarks: [Bookmark]) -> [Bookmark] {
    bookmarks.compactMap { bookmark in
      guard seen.insert(bookmark.id).inserted else { return nil }
      var bookmark = bookmark
      bookmark.position = next[bookmark.parent, default: 0]
      next[bookmark.parent] = bookmark.position + 1
      return bookmark
    }
  }
}
