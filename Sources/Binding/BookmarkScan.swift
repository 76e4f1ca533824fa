internal import BrowsingData
internal import Merge
internal import Store

/// Takes into the store what was changed in an attached profile's bookmarks since both last agreed: three ways, the
/// profile, its shadow and what the store shows (sync.md 4.7).
struct BookmarkScan {
  private let held: HeldTree
  private let edits: RecordEdits
  private let derived: (RecordID, String?) -> String
  /// The record of each foreign id.
  private var records: [String: RecordID] = [:]
  private var shadows: [String: Shadow] = [:]
  private var shown: ShownBookmarks

  /// `derived` gives the foreign id that a record would get.
  init(
    _ held: HeldTree, bonds: [Bond], in edits: RecordEdits, derived: @escaping (RecordID, String?) -> String
  ) throws {
    self.held = held
    self.edits = edits
    self.derived = derived
    shown = try edits.bookmarks()
    for bond in bonds {
      records[bond.foreignID] = bond.id
      shadows[bond.foreignID] = Shadow(bond)
    }
  }

  /// Carries the changes out; gives the bonds as they are now. Throws `tooManyMissing`, and nothing is done, unless forced.
  mutating func run(force: Bool) throws -> [Bond] {
    let missing = records.filter { held[$0.key] == nil && shown.shownID(of: $0.value) != nil }
    if !force { try MassDeletionGuard.check(missing: missing.count, of: records.count, left: held.items.count) }
    try bindUnknown()
    try takeChanges()
    try takeOrder()
    try deleteMissing(missing)
    return held.items.compactMap { item in
      records[item.foreignID].map { Bond(foreignID: item.foreignID, id: $0, shadow: item.shadow.bytes) }
    }
  }

  // MARK: - Items that are not known

  private struct Place: Hashable {
    var folder: RecordID
    var kind: Bookmark.Kind
    var title: String
    var url: String?
  }

  /// An item that is not bound is a record of ours that was written before it could be noted, or one with the same content
  /// in the same folder, or new.
  private mutating func bindUnknown() throws {
    let bound = Set(records.values.compactMap { shown.shownID(of: $0) })
    var byDerivedID: [String: RecordID] = [:]
    var byContent: [Place: [RecordID]] = [:]
    try shown.walk { bookmark in
      guard !bound.contains(bookmark.id) else { return }
      byDerivedID[derived(bookmark.id, bookmark.guid)] = bookmark.id
      byContent[
        Place(folder: bookmark.parent, kind: bookmark.kind, title: bookmark.title, url: bookmark.url), default: []
      ].append(bookmark.id)
    }
    var taken: Set<RecordID> = []
    var row: [HeldTree.Item] = []
    for item in held.items where isNew(item) {
      if let last = row.last, last.shadow.folder != item.shadow.folder || last.shadow.rank + 1 != item.shadow.rank {
        try add(row)
        row = []
      }
      guard let folder = folder(of: item) else { continue }
      let place = Place(
        folder: folder, kind: item.bookmark.kind, title: item.bookmark.title, url: item.bookmark.url)
      let candidates = [byDerivedID[item.foreignID]].compactMap { $0 } + (byContent[place] ?? [])
      if let known = candidates.first(where: { !taken.contains($0) }) {
        taken.insert(known)
        records[item.foreignID] = known
        // What else differs is the profile's word.
        shadows[item.foreignID] = item.shadow
      } else {
        row.append(item)
      }
    }
    try add(row)
  }

  /// Whether an item has no record, or one that was deleted while it was changed here: an edit beats a deletion.
  private func isNew(_ item: HeldTree.Item) -> Bool {
    guard let record = records[item.foreignID] else { return true }
    guard shown.shownID(of: record) == nil, let shadow = shadows[item.foreignID] else { return false }
    return !shadow.hasContent(of: item.shadow)
  }

  /// Adds siblings that stand in a row, at once: each edit by itself would look through the whole tree.
  private mutating func add(_ row: [HeldTree.Item]) throws {
    guard let first = row.first, let folder = folder(of: first) else { return }
    let ids = try edits.add(
      row.map(\.bookmark), into: folder, at: try index(of: first, in: folder, moving: nil))
    shown = try edits.bookmarks()
    for (item, id) in zip(row, ids) {
      records[item.foreignID] = id
      shadows[item.foreignID] = item.shadow
    }
  }

  /// The record of the folder that an item is in; nil when there is none.
  private func folder(of item: HeldTree.Item) -> RecordID? {
    if let root = RecordID.roots.first(where: { $0.id.description == item.shadow.folder }) { return root.id }
    return records[item.shadow.folder].flatMap { shown.shownID(of: $0) }
  }

  /// Where in a folder an item goes: behind the sibling that it stands behind in the profile.
  private func index(of item: HeldTree.Item, in folder: RecordID, moving: RecordID?) throws -> Int {
    let siblings = held.children[item.shadow.folder] ?? []
    let there = (shown.children(of: folder) ?? []).filter { $0 != moving }
    for sibling in siblings.prefix(item.shadow.rank).reversed() {
      guard let record = records[sibling].flatMap({ shown.shownID(of: $0) }),
        let place = there.firstIndex(of: record)
      else { continue }
      return place + 1
    }
    return 0
  }

  // MARK: - Items that are known

  /// Only what differs from the shadow was changed in the profile.
  private mutating func takeChanges() throws {
    for item in held.items {
      guard let shadow = shadows[item.foreignID], let record = records[item.foreignID],
        let shownID = shown.shownID(of: record)
      else { continue }
      let now = item.shadow
      if !shadow.hasContent(of: now) {
        try edits.update(bookmark: shownID, seen: try seen(shownID, shadow)) { bookmark in
          if now.title != shadow.title { bookmark.title = now.title }
          if now.url != shadow.url { bookmark.url = now.url }
          if now.tags != shadow.tags { bookmark.tags = now.tags }
          if now.keyword != shadow.keyword { bookmark.keyword = now.keyword }
          if now.postData != shadow.postData { bookmark.postData = now.postData }
        }
        shown = try edits.bookmarks()
      }
      if now.folder != shadow.folder { try move(item, record) }
    }
  }

  /// The item as the profile's owner saw it when changing it: what was changed elsewhere since is not in it.
  private func seen(_ id: RecordID, _ shadow: Shadow) throws -> Bookmark? {
    guard var bookmark = try shown.bookmark(id) else { return nil }
    bookmark.title = shadow.title
    bookmark.url = shadow.url
    bookmark.tags = shadow.tags
    bookmark.keyword = shadow.keyword
    bookmark.postData = shadow.postData
    return bookmark
  }

  private mutating func move(_ item: HeldTree.Item, _ record: RecordID) throws {
    guard let folder = folder(of: item), let shownID = shown.shownID(of: record), shownID != folder else { return }
    let index = try index(of: item, in: folder, moving: shownID)
    do {
      try edits.move(bookmark: shownID, into: folder, at: index)
    } catch StoreError.noSuchRecord {
      // Elsewhere the folder was put into this very item meanwhile: that stands, and the profile follows it.
      return
    }
    shown = try edits.bookmarks()
  }

  /// Of siblings that stay in their folder only those are moved that do not stand in their former order any more.
  private mutating func takeOrder() throws {
    for (folder, children) in held.children.sorted(by: { $0.key < $1.key }) {
      let staying = children.filter { shadows[$0]?.folder == folder && records[$0] != nil }
      let ranks = staying.map { shadows[$0]?.rank ?? 0 }
      let inOrder = Set(LongestIncreasingSubsequence.indices(of: ranks))
      for (place, foreignID) in staying.enumerated() where !inOrder.contains(place) {
        if let item = held[foreignID], let record = records[foreignID] { try move(item, record) }
      }
    }
  }

  // MARK: - Items that are gone

  /// Deletes what is gone from the profile, unless it was changed elsewhere since; a folder only when nothing is in it
  /// that the profile never had.
  private mutating func deleteMissing(_ missing: [String: RecordID]) throws {
    var order: [(depth: Int, foreignID: String, id: RecordID)] = []
    for (foreignID, record) in missing {
      var depth = 0
      var at = shown.parent(of: record)
      while let parent = at, !parent.isRoot, depth < 10_000 {
        depth += 1
        at = shown.parent(of: parent)
      }
      order.append((depth, foreignID, record))
    }
    for one in order.sorted(by: { ($0.depth, $0.foreignID) > ($1.depth, $1.foreignID) }) {
      guard let id = shown.shownID(of: one.id), try isUnchanged(id, one.foreignID) else { continue }
      if shown.isFolder(id), !(shown.children(of: id) ?? []).isEmpty { continue }
      try edits.delete(bookmark: id)
      shown = try edits.bookmarks()
    }
  }

  /// Whether a record still has the content that the profile's owner saw.
  private func isUnchanged(_ id: RecordID, _ foreignID: String) throws -> Bool {
    guard let shadow = shadows[foreignID], let bookmark = try shown.bookmark(id) else { return false }
    return shadow.kind == bookmark.kind.rawValue && shadow.title == bookmark.title && shadow.url == bookmark.url
  }
}
