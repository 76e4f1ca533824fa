internal import BrowsingData

/// Gives bookmarks their ids: by the source's own id where it has one that is not used twice, else by content and place
/// with a number for equal ones before it.
struct BookmarkIDs {
  /// A file of more bookmarks is refused: a few bytes of it may stand for one, and each is kept until the import ends.
  static let maximum = 1 << 20
  /// What is wrong with such a file.
  static let tooMany = FormatError.tooLarge("more than \(maximum) bookmarks", .none)

  private let namespace: String
  private var used: RecordIDSet
  private var occurrences: [RecordID: Int] = [:]

  /// `namespace` names the kind of the source's own ids ("firefox", "chromium"); `expected` is a guess
  /// at how many bookmarks come.
  init(namespace: String = "", expected: Int = 0) {
    self.namespace = namespace
    used = RecordIDSet(expected: expected)
  }

  /// Sets the id of a bookmark whose other identifying fields are set. A source's id that is used twice is dropped; false
  /// says so.
  mutating func identify(_ bookmark: inout Bookmark) -> Bool {
    var isUnique = true
    if let guid = bookmark.guid {
      let id = RecordID(hashing: .bookmark(guid: guid, namespace: namespace))
      if used.insert(id) {
        bookmark.id = id
        return true
      }
      bookmark.guid = nil
      isUnique = false
    }
    let first = RecordID.bookmark(bookmark, occurrence: 0)
    if used.insert(first) {
      bookmark.id = first
      return isUnique
    }
    var number = occurrences[first] ?? 0
    repeat {
      number += 1
      bookmark.id = RecordID.bookmark(bookmark, occurrence: number)
    } while !used.insert(bookmark.id)
    occurrences[first] = number
    return isUnique
  }
}
