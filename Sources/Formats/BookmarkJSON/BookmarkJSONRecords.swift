internal import BrowsingData

/// Makes records of the nodes of a file: each under its root, in its order, with its id.
struct BookmarkJSONRecords {
  private let nodes: [BookmarkJSONNode]
  private var ids: BookmarkIDs
  private var children: [[Int]]
  private var batch: [Bookmark] = []
  private var remarks: [Remark] = []

  private static let batchCount = 2048

  /// Of nodes whose ids are of this namespace.
  init(_ nodes: [BookmarkJSONNode], namespace: String) {
    self.nodes = nodes
    ids = BookmarkIDs(namespace: namespace, expected: nodes.count)
    children = Array(repeating: [], count: nodes.count)
    for (number, node) in nodes.enumerated() {
      if let parent = node.parent { children[parent].append(number) }
    }
    for number in children.indices where children[number].contains(where: { nodes[$0].index != nil }) {
      children[number].sort { (nodes[$0].index ?? .max, $0) < (nodes[$1].index ?? .max, $1) }
    }
  }

  /// The nodes right below one.
  func nodes(below number: Int) -> [Int] { children[number] }

  /// Hands over what is below these nodes, which stand for roots.
  mutating func read(_ roots: [(node: Int, id: RecordID)], into consume: (RecordBatch) throws -> Void) throws {
    var counts: [RecordID: Int] = [:]
    for root in roots {
      var levels: [(id: RecordID, children: [Int], next: Int, position: Int)] = [
        (root.id, children[root.node], 0, counts[root.id] ?? 0)
      ]
      while let level = levels.last {
        let last = levels.count - 1
        if level.next == level.children.count {
          if last == 0 { counts[root.id] = level.position }
          levels.removeLast()
          continue
        }
        levels[last].next += 1
        let number = level.children[level.next]
        guard let id = take(number, parent: level.id, position: level.position) else { continue }
        levels[last].position += 1
        if nodes[number].bookmark.kind == .folder { levels.append((id, children[number], 0, 0)) }
        if batch.count >= BookmarkJSONRecords.batchCount { try flush(into: consume) }
      }
    }
    try flush(into: consume)
  }

  /// Says of everything below a node that it is left out.
  mutating func skip(_ number: Int, _ reason: String, into consume: (RecordBatch) throws -> Void) throws {
    var open = nodes[number].hasChildren ? children[number] : [number]
    while let next = open.popLast() {
      remark(.skipped, reason, next)
      open += children[next]
      if remarks.count >= BookmarkJSONRecords.batchCount { try flush(into: consume) }
    }
    try flush(into: consume)
  }

  private mutating func flush(into consume: (RecordBatch) throws -> Void) throws {
    if !batch.isEmpty { try consume(.bookmarks(batch)) }
    batch.removeAll(keepingCapacity: true)
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
    remarks = []
  }

  /// Adds a node to the batch and gives its id; nil when it is skipped.
  private mutating func take(_ number: Int, parent: RecordID, position: Int) -> RecordID? {
    let node = nodes[number]
    var bookmark = node.bookmark
    if !node.hasKind { bookmark.kind = node.hasChildren ? .folder : .bookmark }
    if bookmark.kind == .bookmark {
      guard let url = bookmark.url, !url.isEmpty else {
        remark(.skipped, "a bookmark without an address", number)
        return nil
      }
      if SeparatorAddress.isOne(url) {
        bookmark.kind = .separator
        bookmark.title = ""
      } else if let oddity = oddity(ofAddress: url) {
        remark(.warning, oddity, number)
      }
    }
    if bookmark.kind != .bookmark { bookmark.url = nil }
    bookmark.parent = parent
    bookmark.position = position
    if !ids.identify(&bookmark) { remark(.warning, "its id was used before in the file", number) }
    batch.append(bookmark)
    return bookmark.id
  }

  private mutating func remark(_ kind: Remark.Kind, _ reason: String, _ number: Int) {
    let place = nodes[number].bookmark.guid.map { Remark.Place.id(String($0.prefix(64))) } ?? .none
    remarks.append(Remark(kind, type: .bookmarks, place: place, reason: reason))
  }
}

extension BookmarkJSONNotes {
  /// What was noticed, as remarks on the file.
  var remarks: [Remark] {
    var remarks: [Remark] = []
    func warn(_ reason: String) { remarks.append(Remark(.warning, type: .bookmarks, reason: reason)) }
    if hasRepairs { warn("some text is no UTF-8; wrong bytes were replaced") }
    if implausibleDates > 0 { warn("\(implausibleDates) dates cannot be and were left out") }
    if strangeChildren > 0 { warn("\(strangeChildren) values among the children are no nodes") }
    if strangeLists > 0 { warn("\(strangeLists) folders have something else in place of a list of children") }
    if strangeRoots > 0 { warn("\(strangeRoots) values in the place of roots are no nodes") }
    if partialMetaInfo > 0 { warn("of \(partialMetaInfo) bookmarks some of the browser's own notes were left out") }
    return remarks
  }
}
