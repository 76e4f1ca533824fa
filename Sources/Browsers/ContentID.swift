internal import BrowsingData

extension Set<RecordID> {
  /// The id of an item that has no GUID of its own: by its content and place, and by how many equal ones came before.
  mutating func insertContentID(of bookmark: Bookmark) -> RecordID {
    var occurrence = 0
    while true {
      let id = RecordID(
        hashing: .bookmark(
          kind: bookmark.kind, parent: bookmark.parent, title: bookmark.title, url: bookmark.url,
          dateAdded: bookmark.dateAdded, occurrence: occurrence))
      if insert(id).inserted { return id }
      occurrence += 1
    }
  }
}
