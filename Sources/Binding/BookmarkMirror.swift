internal import BrowsingData
internal import Store

/// Decides what an attached profile's bookmarks lack to show what the store shows. Only decides; to be asked right after a
/// scan, so that every item of the profile is bound.
struct BookmarkMirror {
  private let held: HeldTree
  private let editor: any ProfileEditor
  private var foreignIDs: [RecordID: String] = [:]
  private var records: [String: RecordID] = [:]
  private var used: Set<String>
  /// Records that the browser cannot hold.
  private(set) var leftOut = 0

  init(_ held: HeldTree, bonds: [Bond], shown: ShownBookmarks, editor: any ProfileEditor) {
    self.held = held
    self.editor = editor
    used = Set(held.items.map(\.foreignID))
    for bond in bonds where held[bond.foreignID] != nil {
      records[bond.foreignID] = bond.id
      // Several items may be one record's by now: the first one shows it, the others go.
      if let id = shown.shownID(of: bond.id), foreignIDs[id] == nil { foreignIDs[id] = bond.foreignID }
    }
  }

  /// The record that each foreign id will be.
  var bound: [String: RecordID] {
    var result = records
    for (id, foreignID) in foreignIDs { result[foreignID] = id }
    return result
  }

  /// The edits that make the profile show what the store shows.
  mutating func edits(_ shown: ShownBookmarks) throws -> BookmarkEdits {
    var edits = BookmarkEdits()
    var tree = IncomingTree()
    var wanted: [HeldFolder: [String]] = [:]
    var touched: Set<HeldFolder> = []
    var kept: Set<String> = []
    try shown.walk { bookmark in
      guard case .held(var item, _) = editor.fit(bookmark, depth: tree.depth(below: bookmark.parent)) else {
        tree.leaveOut(bookmark)
        leftOut += 1
        return
      }
      tree.add(item)
      item.parent = tree.bookmarks.last?.parent ?? item.parent
      let folder: HeldFolder = item.parent.isRoot ? .root(item.parent) : .item(foreignIDs[item.parent] ?? "")
      let isKnown = foreignIDs[bookmark.id] != nil
      let foreignID = foreignID(of: bookmark)
      wanted[folder, default: []].append(foreignID)
      guard isKnown, let there = held[foreignID] else {
        edits.insertions.append(BookmarkEdits.Insertion(Held(foreignID, item), into: folder))
        touched.insert(folder)
        return
      }
      kept.insert(foreignID)
      let target = BookmarkMirror.target(there.bookmark, item)
      if target != there.bookmark { edits.updates.append(Held(foreignID, target)) }
      if BookmarkMirror.name(of: folder) != there.shadow.folder {
        edits.moves[foreignID] = folder
        touched.insert(folder)
      }
    }
    edits.removals = Set(held.items.map(\.foreignID)).subtracting(kept).intersection(records.keys)
    for (folder, list) in wanted {
      let there = (held.children[BookmarkMirror.name(of: folder)] ?? []).filter { kept.contains($0) }
      if touched.contains(folder) || there != list.filter(kept.contains) { edits.order[folder] = list }
    }
    return edits
  }

  private mutating func foreignID(of bookmark: Bookmark) -> String {
    if let known = foreignIDs[bookmark.id] { return known }
    var attempt = 0
    var id = editor.foreignID(for: bookmark.id, type: .bookmarks, guid: bookmark.guid, attempt: attempt)
    while !used.insert(id).inserted {
      attempt += 1
      id = editor.foreignID(for: bookmark.id, type: .bookmarks, guid: bookmark.guid, attempt: attempt)
    }
    foreignIDs[bookmark.id] = id
    return id
  }

  /// What is there with the store's word for what both have; what only the profile knows stays.
  private static func target(_ there: Bookmark, _ item: Bookmark) -> Bookmark {
    var target = there
    target.title = item.title
    target.url = item.url
    if Set(target.tags) != Set(item.tags) { target.tags = item.tags }
    target.keyword = item.keyword
    target.postData = item.postData
    return target
  }

  private static func name(of folder: HeldFolder) -> String {
    switch folder {
    case .root(let id): id.description
    case .item(let foreignID): foreignID
    }
  }
}
