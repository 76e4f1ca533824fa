internal import BrowsingData
internal import Merge

/// The bookmark tree while it is edited. It is built anew only where an edit changes more than can be followed: looking
/// through the whole tree for each of many edits would take too long.
struct EditedTree {
  private var nodes: [BookmarkNode]
  private var places: [RecordID: Int] = [:]
  private var graves: [RecordID: RecordID]
  private var known: BookmarkTree?
  /// Records added since `known` was built, and the folders that they were added to.
  private var added: Set<RecordID> = []
  private var filled: Set<RecordID> = []
  /// Parents that records name, be they there or not.
  private var awaited: Set<RecordID>
  /// The occurrence numbers in use, by the folder's first record.
  private var occurrences: [RecordID: [ContentKey: Set<Int>]] = [:]

  init(_ nodes: [BookmarkNode], graves: [RecordID: RecordID]) {
    self.nodes = nodes
    self.graves = graves
    awaited = Set(nodes.map(\.parent))
    for (index, node) in nodes.enumerated() { places[node.id] = index }
  }

  /// As it is now.
  mutating func tree() -> BookmarkTree {
    if let known, added.isEmpty { return known }
    forget()
    let made = BookmarkTree(nodes, graves: graves)
    known = made
    return made
  }

  private mutating func forget() {
    known = nil
    (added, filled, occurrences) = ([], [], [:])
  }

  // MARK: - Adding

  /// A tree that is good enough to add to a folder: since it was built nothing was added there.
  enum Ground {
    /// This one.
    case tree(BookmarkTree)
    /// The folder is new and nothing is in it.
    case empty
  }

  /// Nil when the tree must be built anew.
  func ground(in folder: RecordID) -> Ground? {
    guard let known else { return nil }
    if added.contains(folder) { return filled.contains(folder) ? nil : .empty }
    guard let first = known.firstID(of: folder) else { return nil }
    return filled.contains(first) ? nil : .tree(known)
  }

  /// A record was written: it is new, or has another content or place.
  mutating func put(_ node: BookmarkNode) {
    guard let place = places[node.id] else { return append(node) }
    let before = nodes[place]
    nodes[place] = node
    var moved = before
    (moved.content, moved.occurrence) = (node.content, node.occurrence)
    guard moved == node else {
      awaited.insert(node.parent)
      return forget()
    }
    // A second hold on it would make each edit copy it.
    if let count = known?.view.nodes.count, place < count { known?.replace(place, by: node) }
  }

  private mutating func append(_ node: BookmarkNode) {
    places[node.id] = nodes.count
    nodes.append(node)
    // What waited for it goes below it.
    if awaited.contains(node.id) || graves[node.id] != nil { forget() }
    awaited.insert(node.parent)
    guard known != nil else { return }
    added.insert(node.id)
    filled.insert(node.parent)
  }

  /// A record was deleted; where it left word that it had been.
  mutating func remove(_ id: RecordID, grave: RecordID?) {
    if let place = places.removeValue(forKey: id) {
      nodes.swapAt(place, nodes.count - 1)
      nodes.removeLast()
      if place < nodes.count { places[nodes[place].id] = place }
    }
    graves[id] = grave
    forget()
  }

  // MARK: - Occurrence numbers

  /// The smallest number by which an item is no other one of a folder, which is named by its first record. It is in use
  /// from now on.
  mutating func takeOccurrence(of content: ContentKey, in folder: RecordID) -> Int {
    readOccurrences(in: folder)
    let free = BookmarkTree.free(occurrences[folder]?[content] ?? [])
    occurrences[folder]?[content, default: []].insert(free)
    return free
  }

  /// An item leaves its folder or changes its content.
  mutating func giveBackOccurrence(_ number: Int, of content: ContentKey, in folder: RecordID) {
    readOccurrences(in: folder)
    occurrences[folder]?[content]?.remove(number)
  }

  private mutating func readOccurrences(in folder: RecordID) {
    guard occurrences[folder] == nil else { return }
    var found: [ContentKey: Set<Int>] = [:]
    if let known, !added.contains(folder) {
      for item in known.children(of: folder) ?? 0..<0 {
        let node = known.node(item)
        if node.kind != .separator { found[node.content, default: []].insert(node.occurrence) }
      }
    }
    occurrences[folder] = found
  }
}

extension BookmarkTree {
  /// The id of the first record that is shown as a folder: what is put into the folder is put there.
  func firstID(of folder: RecordID) -> RecordID? {
    folder.isRoot ? folder : item(folder).map { node($0).id }
  }
}
