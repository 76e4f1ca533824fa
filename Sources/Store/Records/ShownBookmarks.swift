package import BrowsingData
internal import Merge
internal import SQLite

/// The bookmark tree as it is shown, at one moment. Items are named by the id of any record shown as them.
package struct ShownBookmarks {
  private let tree: BookmarkTree
  private let store: RecordStore

  init(_ tree: BookmarkTree, _ store: RecordStore) {
    self.tree = tree
    self.store = store
  }

  /// The id of the item that shows a record; nil when none does.
  package func shownID(of id: RecordID) -> RecordID? { tree.item(id).map { tree.node($0).id } }

  /// The ids of all records shown as one item, the item's own first.
  package func members(of id: RecordID) -> [RecordID] { tree.item(id).map { tree.members($0) } ?? [] }

  /// The ids of the items of a root or a folder, in order; nil when there is no such folder.
  package func children(of folder: RecordID) -> [RecordID]? {
    tree.children(of: folder).map { range in range.map { tree.node($0).id } }
  }

  /// The root or folder that an item is in.
  package func parent(of id: RecordID) -> RecordID? { tree.item(id).map { tree.view.items[$0].parentID } }

  /// Rank of an item among its siblings, from 0.
  package func position(of id: RecordID) -> Int? { tree.item(id).map { tree.view.items[$0].position } }

  /// Whether an item is a folder.
  package func isFolder(_ id: RecordID) -> Bool { tree.item(id).map { tree.node($0).kind == .folder } ?? false }

  /// How many items there are.
  package var count: Int { tree.view.items.count }

  /// An item with all its fields, as it is stored now.
  package func bookmark(_ id: RecordID) throws -> Bookmark? {
    guard let item = tree.item(id) else { return nil }
    let shown = tree.node(item).id
    let read = try store.statement("SELECT body FROM rec WHERE rid = ?1")
    try read.bind(1, shown.bytes)
    defer { read.reset() }
    guard try read.step(), let body = read.bytes(0) else { return nil }
    return RecordContent.bookmark(
      shown, try BodyCodec.values(body), parent: tree.view.items[item].parentID,
      position: tree.view.items[item].position)
  }

  /// Calls `body` for every item, depth first, siblings in order, roots toolbar, menu, other, mobile.
  package func walk(_ body: (Bookmark) throws -> Void) throws {
    try tree.view.walk { item in
      if let bookmark = try bookmark(tree.view.nodes[item.node].id) { try body(bookmark) }
    }
  }
}

extension RecordStore {
  /// The bookmark tree as it is shown now.
  package func shownBookmarks() throws -> ShownBookmarks {
    try reading {
      let records = try bookmarkRecords()
      return ShownBookmarks(BookmarkTree(records.nodes, graves: records.graves), self)
    }
  }
}
