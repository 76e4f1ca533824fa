import BrowsingData
import TestSupport

/// Puts everything of a source into an editor, as new: what deciding halves do is none of these tests' business.
struct PlainDelivery {
  var history = HistoryResult()
  var losses: [FieldLoss: Int] = [:]
  var refused: [String: String] = [:]

  /// All of a source, without what is there already by content.
  init(_ source: any RecordSource, into editor: any ProfileEditor, _ types: DataTypes = .all) throws {
    let records = try CollectedRecords(source, types)
    if types.contains(.bookmarks) { try deliver(records.bookmarks, into: editor) }
    if types.contains(.readingList) {
      try take(editor.apply(edits(records.readingList, .readingList, editor) { editor.fit($0) }))
    }
    if types.contains(.passwords) {
      try take(editor.apply(edits(records.logins, .passwords, editor) { editor.fit($0) }))
    }
    if types.contains(.cards) { try take(editor.apply(edits(records.cards, .cards, editor) { editor.fit($0) })) }
    if types.contains(.history) {
      for batch in records.batches {
        if case .pages(let pages) = batch { try editor.insert(pages) }
        if case .visits(let visits) = batch { try editor.insert(visits) }
      }
      history = try editor.finishHistory()
    }
  }

  private mutating func take(_ result: EditResult) { refused.merge(result.refused) { _, new in new } }

  private mutating func deliver(_ bookmarks: [Bookmark], into editor: any ProfileEditor) throws {
    var edits = BookmarkEdits()
    var folders: [RecordID: (folder: HeldFolder, depth: Int)] = [:]
    for root in RecordID.roots { folders[root.id] = (.root(root.id), 1) }
    for bookmark in bookmarks {
      guard let parent = folders[bookmark.parent],
        case .held(let fit, let losses) = editor.fit(bookmark, depth: parent.depth)
      else { continue }
      for loss in losses { self.losses[loss, default: 0] += 1 }
      let id = editor.foreignID(for: bookmark.id, type: .bookmarks, guid: bookmark.guid, attempt: 0)
      edits.insertions.append(.init(Held(id, fit), into: parent.folder))
      edits.order[parent.folder, default: []].append(id)
      if bookmark.kind == .folder { folders[bookmark.id] = (.item(id), parent.depth + 1) }
    }
    try take(editor.apply(edits))
  }

  private mutating func edits<Item: Hashable & Sendable & Identified>(
    _ items: [Item], _ type: DataType, _ editor: any ProfileEditor, _ fit: (Item) -> Fitting<Item>
  ) -> ItemEdits<Item> {
    var edits = ItemEdits<Item>()
    for item in items {
      guard case .held(let fit, let losses) = fit(item) else { continue }
      for loss in losses { self.losses[loss, default: 0] += 1 }
      let id = editor.foreignID(for: item.id, type: type, guid: nil, attempt: 0)
      edits.insertions.append(Held(id, fit))
    }
    return edits
  }
}

/// A record with an id.
protocol Identified { var id: RecordID { get } }
extension ReadingListItem: Identified {}
extension Login: Identified {}
extension PaymentCard: Identified {}
