package import BrowsingData

/// What an import plan must know of a bookmark that comes in.
package struct IncomingBookmark: Hashable, Sendable {
  /// Its id at the source.
  package var id: RecordID
  /// Its parent's id at the source, or a root.
  package var parent: RecordID
  /// Ascends among the siblings at the source; need not be without gaps.
  package var position: Int
  /// What it is.
  package var kind: Bookmark.Kind
  /// Equal for equal kind, title and address.
  package var content: ContentKey
  /// The id it is looked for and added under here; that at the source unless something else has it.
  package var localID: RecordID

  /// From its parts.
  package init(id: RecordID, parent: RecordID, position: Int, kind: Bookmark.Kind, content: ContentKey) {
    self.id = id
    self.parent = parent
    self.position = position
    self.kind = kind
    self.content = content
    localID = id
  }
}

/// What an import plan has decided on an incoming bookmark. The numbers are indices of `BookmarkImportPlan.locals`.
package enum BookmarkDecision: Hashable, Sendable {
  /// It came before in this transfer and is this one.
  case known(Int)
  /// It has the id of this one.
  case sameID(Int)
  /// It has the content of this one, below the same parent.
  case sameContent(Int)
  /// It is new and is this one now.
  case added(Int)
  /// Its parent has not come yet.
  case waits
  /// A separator: its place is known only when its neighbours have come (`settle`).
  case held
  /// Its id is taken here by something else: to be taken again under another `localID`.
  case idTaken
  /// The source has given its id to another one before: to be taken again under another id.
  case repeated
}
