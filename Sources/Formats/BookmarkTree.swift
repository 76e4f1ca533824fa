internal import BrowsingData

/// Bookmarks that came in any order, as a tree. Whatever has no way up to a root is put under Other: nothing is lost and
/// nothing is walked twice, even where parents go round in a circle.
struct BookmarkTree {
  /// A step of a walk, depth first.
  enum Step {
    /// A folder, before its children.
    case open(Bookmark)
    /// A folder, after its children.
    case close(Bookmark)
    /// A bookmark or separator.
    case leaf(Bookmark)
  }

  private var bookmarks: [Bookmark] = []
  private var indexes: [RecordID: Int] = [:]
  private var children: [RecordID: [Int]] = [:]
  /// How many had no way up to a root; known after `link`.
  private(set) var strays = 0

  /// How many there are.
  var count: Int { bookmarks.count }

  /// Adds bookmarks; one whose id is there already takes its place.
  mutating func add(_ more: [Bookmark]) {
    for bookmark in more {
      if let index = indexes[bookmark.id] {
        bookmarks[index] = bookmark
      } else {
        indexes[bookmark.id] = bookmarks.count
        bookmarks.append(bookmark)
      }
    }
  }

  /// Puts what is right below a root into a new folder, the first one of another root, and says how many those are.
  /// Nothing is made when there are none. Call it before `link`.
  mutating func moveRoot(_ root: RecordID, toFolder title: String, in parent: RecordID) -> Int {
    let moved = bookmarks.indices.filter { bookmarks[$0].parent == root }
    if moved.isEmpty { return 0 }
    let identity = RecordIdentity.bookmark(guid: root.description, namespace: "root")
    let folder = Bookmark(id: RecordID(hashing: identity), kind: .folder, parent: parent, position: -1, title: title)
    for index in moved { bookmarks[index].parent = folder.id }
    add([folder])
    return moved.count
  }

  /// Orders the children. Call it once, after the last `add`.
  mutating func link() {
    children = [:]
    strays = 0
    for (index, bookmark) in bookmarks.enumerated() { children[bookmark.parent, default: []].append(index) }
    for id in Array(children.keys) {
      children[id]?.sort { (bookmarks[$0].position, $0) < (bookmarks[$1].position, $1) }
    }
    var isReached = [Bool](repeating: false, count: bookmarks.count)
    for root in RecordID.roots { reach(children[root.id] ?? [], &isReached) }
    for index in bookmarks.indices where !isReached[index] && !hasFolder(index) { adopt(index, &isReached) }
    // What is left goes round in a circle: the first of each is taken out of it.
    for index in bookmarks.indices where !isReached[index] {
      children[bookmarks[index].parent]?.removeAll { $0 == index }
      adopt(index, &isReached)
    }
  }

  private func hasFolder(_ index: Int) -> Bool {
    indexes[bookmarks[index].parent].map { bookmarks[$0].kind == .folder } ?? false
  }

  /// Marks what is below; folders alone have children.
  private func reach(_ first: [Int], _ isReached: inout [Bool]) {
    var open = first
    while let index = open.popLast() {
      if isReached[index] { continue }
      isReached[index] = true
      if bookmarks[index].kind == .folder { open += children[bookmarks[index].id] ?? [] }
    }
  }

  /// Moves one to the end of Other.
  private mutating func adopt(_ index: Int, _ isReached: inout [Bool]) {
    strays += 1
    bookmarks[index].parent = .other
    children[.other, default: []].append(index)
    reach([index], &isReached)
  }

  /// Whether a folder or root has no children.
  func isEmpty(_ id: RecordID) -> Bool { children[id]?.isEmpty ?? true }

  /// Walks what is below a root. `depth` counts folders around an item, 0 for a child of the root.
  func walk<Failure>(
    _ root: RecordID, _ visit: (Step, _ depth: Int) throws(Failure) -> Void
  ) throws(Failure) {
    var levels: [(folder: Int?, children: [Int], next: Int)] = [(nil, children[root] ?? [], 0)]
    while let level = levels.last {
      let depth = levels.count - 1
      if level.next == level.children.count {
        levels.removeLast()
        if let folder = level.folder { try visit(.close(bookmarks[folder]), depth - 1) }
        continue
      }
      levels[depth].next += 1
      let index = level.children[level.next]
      if bookmarks[index].kind == .folder {
        try visit(.open(bookmarks[index]), depth)
        levels.append((index, children[bookmarks[index].id] ?? [], 0))
      } else {
        try visit(.leaf(bookmarks[index]), depth)
      }
    }
  }
}
