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
  /// How the items that were bound before were then.
  private var shadows: [String: Shadow] = [:]
  private var shown: ShownBookmarks
  /// Records that came since `shown` was made.
  private var added: Set<RecordID> = []

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
    let known = held.items.filter { !isNew($0) && isShown($0.foreignID) }
    let moving = moving(known)
    try bindUnknown(moving)
    try takeContents(known)
    try takePlaces(moving)
    try deleteMissing(missing)
    return held.items.compactMap { item in
      records[item.foreignID].map { Bond(foreignID: item.foreignID, id: $0, shadow: item.shadow.bytes) }
    }
  }

  private func isShown(_ foreignID: String) -> Bool { records[foreignID].flatMap { shown.shownID(of: $0) } != nil }

  /// The edits have changed what is shown.
  private mutating func look() throws {
    shown = try edits.bookmarks()
    added = []
  }

  // MARK: - Items that are not known

  private struct Place: Hashable {
    var folder: RecordID
    var kind: Bookmark.Kind
    var title: String
    var url: String?
  }

  /// An item that is not bound is a record of ours that was written before it could be noted, or one with the same content
  /// in the same folder, or new. `moving`: items that do not stay where they are.
  private mutating func bindUnknown(_ moving: Set<String>) throws {
    guard held.items.contains(where: isNew) else { return }
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
    for name in held.folders {
      var new: Set<String> = []
      for item in (held.children[name] ?? []).compactMap({ held[$0] }) where isNew(item) {
        guard let folder = folder(name) else { continue }
        let place = Place(
          folder: folder, kind: item.bookmark.kind, title: item.bookmark.title, url: item.bookmark.url)
        let candidates = [byDerivedID[item.foreignID]].compactMap { $0 } + (byContent[place] ?? [])
        if let known = candidates.first(where: { !taken.contains($0) }) {
          // What else differs is the profile's word.
          taken.insert(known)
          records[item.foreignID] = known
        } else {
          new.insert(item.foreignID)
        }
      }
      if !new.isEmpty { try add(new, to: name, moving) }
    }
    if !added.isEmpty { try look() }
  }

  /// Whether an item has no record, or one that was deleted while it was changed here: an edit beats a deletion.
  private func isNew(_ item: HeldTree.Item) -> Bool {
    guard let record = records[item.foreignID] else { return true }
    guard shown.shownID(of: record) == nil, let shadow = shadows[item.foreignID] else { return false }
    return !shadow.hasContent(of: item.shadow)
  }

  /// Adds what is new in a folder, all at once: each edit by itself would look through the whole tree.
  private mutating func add(_ new: Set<String>, to name: String, _ moving: Set<String>) throws {
    let rows = rows(of: new, in: name, leavingOut: moving)
    let items = rows.map { row in row.elements.compactMap { held[$0]?.bookmark } }
    let ids = try edits.add(
      rows: zip(rows, items).map { BookmarkRow(in: $0.folder, behind: $0.behind, $1) })
    for (foreignID, id) in zip(rows.flatMap(\.elements), ids.joined()) {
      records[foreignID] = id
      added.insert(id)
    }
  }

  /// The record of a folder; nil when there is none.
  private func folder(_ name: String) -> RecordID? {
    if let root = RecordID.roots.first(where: { $0.id.description == name }) { return root.id }
    return records[name].flatMap { added.contains($0) ? $0 : shown.shownID(of: $0) }
  }

  /// Some items of a folder in the rows in which they are to stand, each behind the sibling that it stands behind in the
  /// profile, if that one stays where it is.
  private func rows(
    of some: Set<String>, in name: String, leavingOut moving: Set<String>
  ) -> [BookmarkRow<String>] {
    guard let folder = folder(name) else { return [] }
    let there = Set(shown.children(of: folder) ?? [])
    let going = Set(moving.compactMap { records[$0].flatMap { shown.shownID(of: $0) } })
    var rows: [BookmarkRow<String>] = []
    var behind: RecordID?
    var isOpen = false
    for foreignID in held.children[name] ?? [] {
      if some.contains(foreignID) {
        if !isOpen { rows.append(BookmarkRow(in: folder, behind: behind, [])) }
        rows[rows.count - 1].elements.append(foreignID)
        isOpen = true
      } else if let id = records[foreignID].flatMap({ shown.shownID(of: $0) }), there.contains(id), !going.contains(id)
      {
        isOpen = isOpen && behind == id
        behind = id
      }
    }
    return rows
  }

  // MARK: - Items that are known

  /// Only what differs from the shadow was changed in the profile.
  private mutating func takeContents(_ known: [HeldTree.Item]) throws {
    var isChanged = false
    for item in known {
      let now = item.shadow
      guard let shadow = shadows[item.foreignID], !shadow.hasContent(of: now),
        let shownID = records[item.foreignID].flatMap({ shown.shownID(of: $0) })
      else { continue }
      try edits.update(bookmark: shownID, seen: try seen(shownID, shadow)) { bookmark in
        if now.title != shadow.title { bookmark.title = now.title }
        if now.url != shadow.url { bookmark.url = now.url }
        if now.tags != shadow.tags { bookmark.tags = now.tags }
        if now.keyword != shadow.keyword { bookmark.keyword = now.keyword }
        if now.postData != shadow.postData { bookmark.postData = now.postData }
      }
      isChanged = true
    }
    if isChanged { try look() }
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

  /// The items that were put elsewhere: into another folder, or of those that stay in their folder the fewest that do not
  /// stand in their former order any more.
  private func moving(_ known: [HeldTree.Item]) -> Set<String> {
    var moving: Set<String> = []
    var staying: [String: [(foreignID: String, rank: Int)]] = [:]
    for item in known {
      guard let shadow = shadows[item.foreignID] else { continue }
      if shadow.folder == item.shadow.folder {
        staying[shadow.folder, default: []].append((item.foreignID, shadow.rank))
      } else {
        moving.insert(item.foreignID)
      }
    }
    for children in staying.values {
      let inOrder = Set(LongestIncreasingSubsequence.indices(of: children.map(\.rank)))
      for (place, child) in children.enumerated() where !inOrder.contains(place) { moving.insert(child.foreignID) }
    }
    return moving
  }

  private mutating func takePlaces(_ some: Set<String>) throws {
    var moving = some
    guard !moving.isEmpty else { return }
    // Folders that come into other ones one by one, those above first: what is below what changes by it.
    for item in held.items where moving.contains(item.foreignID) && item.bookmark.kind == .folder {
      guard let target = folder(item.shadow.folder),
        let id = records[item.foreignID].flatMap({ shown.shownID(of: $0) }),
        shown.parent(of: id) != target
      else { continue }
      let row = rows(of: [item.foreignID], in: item.shadow.folder, leavingOut: moving)
      moving.remove(item.foreignID)
      do {
        try edits.move(rows: row.map { BookmarkRow(in: $0.folder, behind: $0.behind, [id]) })
        try look()
      } catch StoreError.noSuchRecord {
        // Elsewhere the folder was put into this very item meanwhile: that stands, and the profile follows it.
      }
    }
    var taken: Set<RecordID> = []
    let names = Set(moving.compactMap { held[$0]?.shadow.folder })
    let planned = held.folders.filter(names.contains).flatMap { name in
      rows(of: moving, in: name, leavingOut: moving).map { row in
        // Several items may be one record's by now: the first one counts.
        let ids = row.elements.compactMap { records[$0].flatMap { shown.shownID(of: $0) } }
        return BookmarkRow(in: row.folder, behind: row.behind, ids.filter { taken.insert($0).inserted })
      }
    }
    guard planned.contains(where: { !$0.elements.isEmpty }) else { return }
    try edits.move(rows: planned.filter { !$0.elements.isEmpty })
    try look()
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
    var going: Set<RecordID> = []
    var ids: [RecordID] = []
    for one in order.sorted(by: { ($0.depth, $0.foreignID) > ($1.depth, $1.foreignID) }) {
      guard let id = shown.shownID(of: one.id), try isUnchanged(id, one.foreignID) else { continue }
      if shown.isFolder(id), !(shown.children(of: id) ?? []).allSatisfy(going.contains) { continue }
      if going.insert(id).inserted { ids.append(id) }
    }
    guard !ids.isEmpty else { return }
    try edits.delete(bookmarks: ids)
    try look()
  }

  /// Whether a record still has the content that the profile's owner saw.
  private func isUnchanged(_ id: RecordID, _ foreignID: String) throws -> Bool {
    guard let shadow = shadows[foreignID], let bookmark = try shown.bookmark(id) else { return false }
    return shadow.kind == bookmark.kind.rawValue && shadow.title == bookmark.title && shadow.url == bookmark.url
  }
}
