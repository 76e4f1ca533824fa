package import BrowsingData

/// What the view of the bookmarks must know of one living record.
package struct BookmarkNode: Hashable, Sendable {
  /// Its id.
  package var id: RecordID
  /// Where it was put; may be missing, deleted or below itself.
  package var parent: RecordID
  /// Where it was before its last move; what undoes a move that made a circle.
  package var previousParent: RecordID?
  /// What it is.
  package var kind: Bookmark.Kind
  /// Equal for equal kind, title and address.
  package var content: ContentKey
  /// Tells equal siblings apart that are meant to be two.
  package var occurrence: Int
  /// Its place among its siblings.
  package var order: OrderKey
  /// When it was put there.
  package var placed: Stamp

  /// From its parts.
  package init(
    id: RecordID, parent: RecordID, previousParent: RecordID? = nil, kind: Bookmark.Kind, content: ContentKey,
    occurrence: Int = 0, order: OrderKey, placed: Stamp
  ) {
    self.id = id
    self.parent = parent
    self.previousParent = previousParent
    self.kind = kind
    self.content = content
    self.occurrence = occurrence
    self.order = order
    self.placed = placed
  }
}
