internal import BrowsingData

/// A profile's bookmarks while they are edited: the device's file and, where there is one, the account's. New items go
/// into the device's unless their folder is the account's.
struct ChromiumBookmarkEditing {
  /// Folders above an item. A file that is nested deeper Chromium neither reads nor saves; some levels are its own.
  static let maximumDepth = 94
  /// In words, for one that is nested deeper.
  static let tooDeep = "nested deeper than Chromium keeps bookmarks"

  private struct Place: Hashable {
    var file: Int
    var node: Int
  }

  private var files: [BookmarksFile]
  private var changed: Set<Int> = []
  private var inserted: Set<Place> = []
  /// Nodes without a GUID of their own, by the foreign ids they were given.
  private var nameless: [String: Place] = [:]
  private var foreignIDs: [Place: String] = [:]
  private let now: String
  private var result = EditResult()

  /// Reads the files of a profile. `now` is the time that changed folders get. Throws `secretsLocked` where only an
  /// encrypted copy is there and does not open.
  init(_ folder: ProfileFolder, secrets: ChromiumSecrets, now: Timestamp) throws(ProfileError) {
    self.now = String(now.webKit)
    files = []
    for (index, file) in ChromiumBookmarks.files.enumerated() {
      if let document = try JSONValue.read(folder.path + "/" + file.plain) {
        files.append(try BookmarksFile(document, name: file.plain))
      } else if let sealed = try ProfileFile.read(folder.path + "/" + file.sealed) {
        let bytes: [UInt8]
        do { bytes = try secrets.bytes(sealed) } catch {
          throw .secretsLocked(.keyring("\(file.sealed): \(secrets.reason(error))"))
        }
        files.append(try BookmarksFile(JSONValue.parse(bytes, file: file.sealed), name: file.plain))
      } else if index == 0 {
        files.append(BookmarksFile(emptyNamed: file.plain))
      }
    }
  }

  /// The files that changed, with their bytes.
  var changedFiles: [(name: String, bytes: [UInt8])] {
    changed.sorted().map { (files[$0].name, files[$0].bytes()) }
  }

  // MARK: - What is there

  /// Everything below the roots, parents before children and siblings in order.
  mutating func held(_ reader: ChromiumBookmarks) -> [Held<Bookmark>] {
    var reader = reader
    var held: [Held<Bookmark>] = []
    var menus: [Place] = []
    for root in BookmarksFile.roots {
      var children: [Place] = []
      for (file, tree) in files.enumerated() {
        children += (tree.root(root.id).map { tree.nodes[$0].children } ?? []).map { Place(file: file, node: $0) }
        if root.id == .other {
          children += ChromiumBookmarkEditing.furtherRoots(tree).map { Place(file: file, node: $0) }
        }
      }
      walk(children, under: root.id, &reader, &held, &menus)
    }
    while let menu = menus.popLast() {
      let children = files[menu.file].nodes[menu.node].children.map { Place(file: menu.file, node: $0) }
      walk(children, under: .menu, &reader, &held, &menus)
    }
    return held
  }

  /// Roots that only some browsers have, but for the waste bin and empty ones.
  private static func furtherRoots(_ tree: BookmarksFile) -> [Int] {
    tree.rootNodes.sorted { $0.key < $1.key }.filter { name, index in
      !BookmarksFile.roots.contains { $0.name == name } && name != "trash" && !tree.nodes[index].children.isEmpty
    }.map(\.value)
  }

  private mutating func walk(
    _ children: [Place], under root: RecordID, _ reader: inout ChromiumBookmarks, _ held: inout [Held<Bookmark>],
    _ menus: inout [Place]
  ) {
    var levels = [(children: children, next: 0, parent: root, rank: 0)]
    while let level = levels.last {
      let top = levels.count - 1
      guard level.next < level.children.count else {
        levels.removeLast()
        continue
      }
      levels[top].next += 1
      let place = level.children[level.next]
      let node = files[place.file].nodes[place.node]
      let value = JSONValue.object(node.members)
      if ChromiumBookmarks.isMenu(value) {
        menus.append(place)
        continue
      }
      guard let bookmark = reader.bookmark(value, parent: level.parent, position: level.rank) else { continue }
      levels[top].rank += 1
      held.append(Held(foreignID(of: place), bookmark))
      if bookmark.kind == .folder {
        let children = node.children.map { Place(file: place.file, node: $0) }
        levels.append((children: children, next: 0, parent: bookmark.id, rank: 0))
      }
    }
  }

  private mutating func foreignID(of place: Place) -> String {
    if let guid = files[place.file].nodes[place.node].guid, files[place.file].node(guid) == place.node,
      place.file == 0 || files[0].node(guid) == nil
    {
      return guid
    }
    let id = "\(place.file)/\(place.node)"
    nameless[id] = place
    return id
  }

  // MARK: - Edits

  /// Carries them out.
  mutating func apply(_ edits: BookmarkEdits) -> EditResult {
    result = EditResult()
    for insertion in edits.insertions { insert(insertion) }
    for update in edits.updates { self.update(update) }
    for (id, folder) in edits.moves.sorted(by: { $0.key < $1.key }) { move(id, to: folder) }
    remove(edits.removals)
    if !edits.removals.isEmpty { removeEmptyMenu() }
    for (folder, children) in edits.order { order(children, in: folder) }
    return result
  }

  private func place(_ id: String) -> Place? {
    if let place = nameless[id] { return place }
    for (file, tree) in files.enumerated() {
      if let node = tree.node(id) { return Place(file: file, node: node) }
    }
    return nil
  }

  private mutating func place(of folder: HeldFolder) -> Place? {
    switch folder {
    case .item(let id):
      return place(id).flatMap { files[$0.file].nodes[$0.node].isFolder ? $0 : nil }
    case .root(.menu):
      return menu()
    case .root(let id):
      return files[0].root(id).map { Place(file: 0, node: $0) }
    }
  }

  /// The folder that stands for the menu; made when it is first needed.
  private mutating func menu() -> Place? {
    if let place = place(BookmarksFile.menuGUID) { return place }
    guard let other = files[0].root(.other) else { return nil }
    files[0].insert(
      [
        "date_added": .string(now), "date_last_used": .string("0"), "date_modified": .string(now),
        "name": .string(BookmarksFile.menuTitle), "type": .string("folder"),
      ], guid: BookmarksFile.menuGUID, into: other)
    return place(BookmarksFile.menuGUID)
  }

  private mutating func insert(_ insertion: BookmarkEdits.Insertion) {
    let (id, bookmark) = (insertion.held.foreignID, insertion.held.item)
    guard let folder = place(of: insertion.folder) else {
      result.refused[id] = "its folder was left out"
      return
    }
    guard files[folder.file].depth(folder.node) + 1 <= ChromiumBookmarkEditing.maximumDepth else {
      result.refused[id] = ChromiumBookmarkEditing.tooDeep
      return
    }
    guard place(id) == nil, !BookmarksFile.reserved.contains(id) else {
      result.refused[id] = "another bookmark has its id"
      return
    }
    var members = ChromiumBookmarkEditing.members(bookmark)
    members["type"] = .string(bookmark.kind == .folder ? "folder" : "url")
    files[folder.file].insert(members, guid: id, into: folder.node)
    if let place = place(id) { inserted.insert(place) }
    touch(folder)
  }

  /// The members that a record speaks of.
  private static func members(_ bookmark: Bookmark) -> [String: JSONValue] {
    var members: [String: JSONValue] = [
      "name": .string(bookmark.title), "date_added": .string(String(bookmark.dateAdded?.webKit ?? 0)),
      "date_last_used": .string(String(bookmark.lastVisitedAt?.webKit ?? 0)),
    ]
    if bookmark.kind == .folder {
      members["date_modified"] = .string(String(bookmark.dateModified?.webKit ?? 0))
    } else {
      members["url"] = .string(bookmark.url ?? "")
    }
    return members
  }

  private mutating func update(_ held: Held<Bookmark>) {
    guard let place = place(held.foreignID) else {
      result.refused[held.foreignID] = "it is not there any more"
      return
    }
    var members = ChromiumBookmarkEditing.members(held.item)
    // What is not known takes nothing away.
    if held.item.dateAdded == nil { members["date_added"] = nil }
    if held.item.dateModified == nil { members["date_modified"] = nil }
    if held.item.lastVisitedAt == nil { members["date_last_used"] = nil }
    let node = files[place.file].nodes[place.node]
    guard members.contains(where: { node.members[$0.key] != $0.value }) else { return }
    files[place.file].set(members, of: place.node)
    changed.insert(place.file)
  }

  private mutating func move(_ id: String, to folder: HeldFolder) {
    guard let place = place(id), let target = self.place(of: folder) else {
      result.refused[id] = "it or its folder is not there any more"
      return
    }
    let node = files[place.file].nodes[place.node]
    guard place.file == target.file, node.parent >= 0 else {
      result.refused[id] = "it belongs to the account"
      return
    }
    guard !files[place.file].isNode(target.node, inside: place.node) else {
      result.refused[id] = "it would lie in itself"
      return
    }
    guard node.parent != target.node else { return }
    let old = Place(file: place.file, node: node.parent)
    files[place.file].move(place.node, into: target.node)
    touch(old)
    touch(target)
  }

  private mutating func remove(_ ids: Set<String>) {
    var nodes: [Int: Set<Int>] = [:]
    for id in ids {
      // One that is gone is as it shall be; a root stays.
      guard let place = place(id), files[place.file].nodes[place.node].parent >= 0 else { continue }
      nodes[place.file, default: []].insert(place.node)
    }
    for (file, nodes) in nodes {
      let parents = Set(nodes.map { files[file].nodes[$0].parent })
      files[file].remove(nodes)
      for parent in parents where !files[file].nodes[parent].isRemoved { touch(Place(file: file, node: parent)) }
    }
  }

  /// The folder that stands for the menu goes with the last that was in it: nobody put it there.
  private mutating func removeEmptyMenu() {
    guard let menu = place(BookmarksFile.menuGUID), files[menu.file].nodes[menu.node].children.isEmpty else { return }
    remove([BookmarksFile.menuGUID])
  }

  private mutating func order(_ children: [String], in folder: HeldFolder) {
    let places = children.compactMap { place($0) }
    for file in files.indices {
      let parent: Int?
      switch folder {
      case .root(.menu): parent = files[file].node(BookmarksFile.menuGUID)
      case .root(let id): parent = files[file].root(id)
      case .item(let id): parent = place(id).flatMap { $0.file == file ? $0.node : nil }
      }
      guard let parent else { continue }
      let wanted = places.filter { $0.file == file && files[file].nodes[$0.node].parent == parent }.map(\.node)
      if files[file].order(wanted, in: parent) { changed.insert(file) }
    }
  }

  /// A folder's contents have changed. One that is new keeps the time it came with.
  private mutating func touch(_ folder: Place) {
    changed.insert(folder.file)
    guard !inserted.contains(folder) else { return }
    files[folder.file].set(["date_modified": .string(now)], of: folder.node)
  }
}
