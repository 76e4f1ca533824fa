package import BrowsingData

/// The bookmark tree as it is shown: a pure function of the records. The same records give the same view on every
/// device: lost children are lifted, circles are cut, equal siblings are one item. Nothing is recursive.
package struct BookmarkView: Sendable {
  /// One item of the tree: one record, or equal siblings shown as one.
  package struct Item: Sendable {
    /// The index of the node that gives id, place and content.
    package let node: Int
    /// The indices of all nodes shown as this item, that one first.
    package let members: [Int]
    /// The item it is in; nil for one directly below a root.
    package let parent: Int?
    /// The root or folder it is in.
    package let parentID: RecordID
    /// Rank among its siblings, from 0.
    package let position: Int
    /// Its children: a range of `items`.
    package fileprivate(set) var children: Range<Int>
  }

  /// The living records, in the order given.
  package private(set) var nodes: [BookmarkNode]
  /// All items: each folder's children stand together, in their order.
  package private(set) var items: [Item] = []
  /// The top items of the four roots: ranges of `items`, in the order of `RecordID.roots`.
  package private(set) var roots: [Range<Int>] = []
  /// Nodes whose circle was cut and the parent they hang below now: to be written before anything else is moved.
  package let repairs: [(node: Int, parent: RecordID)]

  /// The view of these records; `graves` are the deleted folders' former parents.
  package init(_ nodes: [BookmarkNode], graves: [RecordID: RecordID] = [:]) {
    self.nodes = nodes
    var parents = BookmarkParents(nodes, graves: graves)
    repairs = parents.cutCircles()
    build(parents.slots)
  }

  /// Calls `body` for every item, depth first, siblings in order, roots toolbar, menu, other, mobile.
  package func walk(_ body: (Item) throws -> Void) rethrows {
    for root in roots {
      var open: [Range<Int>] = [root]
      while let range = open.popLast() {
        guard let first = range.first else { continue }
        open.append(range.dropFirst())
        try body(items[first])
        if !items[first].children.isEmpty { open.append(items[first].children) }
      }
    }
  }

  /// Takes another content of a record whose place is the same.
  mutating func replace(_ node: Int, by content: BookmarkNode) { nodes[node] = content }

  // MARK: -

  /// `slots`: for each node 0...3 for a root, else 4 + the index of its parent's node.
  private mutating func build(_ slots: [Int]) {
    let children = ChildLists(slots, slotCount: nodes.count + 4)
    items.reserveCapacity(nodes.count)
    for (slot, root) in RecordID.roots.enumerated() {
      roots.append(append(Array(children[slot]), parent: nil, parentID: root.id))
    }
    var next = 0
    while next < items.count {
      let item = items[next]
      if nodes[item.node].kind == .folder {
        var found: [Int] = []
        for member in item.members { found += children[member + 4] }
        items[next].children = append(found, parent: next, parentID: nodes[item.node].id)
      }
      next += 1
    }
  }

  private mutating func append(_ children: [Int], parent: Int?, parentID: RecordID) -> Range<Int> {
    let groups = grouped(children).sorted { left, right in
      let (first, second) = (nodes[left[0]], nodes[right[0]])
      return first.order != second.order ? first.order < second.order : first.id < second.id
    }
    let start = items.count
    for (position, members) in groups.enumerated() {
      items.append(
        Item(
          node: members[0], members: members, parent: parent, parentID: parentID, position: position,
          children: 0..<0))
    }
    return start..<items.count
  }

  /// Equal siblings together; of each group that one first which was placed by the smallest replica.
  private func grouped(_ children: [Int]) -> [[Int]] {
    guard children.count > 1 else { return children.map { [$0] } }
    var places: [GroupKey: Int] = [:]
    places.reserveCapacity(children.count)
    var groups: [[Int]] = []
    groups.reserveCapacity(children.count)
    for child in children {
      let node = nodes[child]
      guard node.kind != .separator else {
        groups.append([child])
        continue
      }
      let key = GroupKey(content: node.content, occurrence: node.occurrence)
      if let place = places[key] {
        groups[place].append(child)
      } else {
        places[key] = groups.count
        groups.append([child])
      }
    }
    for place in groups.indices where groups[place].count > 1 {
      groups[place].sort { left, right in
        let (first, second) = (nodes[left], nodes[right])
        let (mine, theirs) = (first.placed.dot.replica, second.placed.dot.replica)
        return mine != theirs ? mine < theirs : first.id < second.id
      }
    }
    return groups
  }
}

private struct GroupKey: Hashable {
  let content: ContentKey
  let occurrence: Int
}

/// The nodes of each slot, in one array.
private struct ChildLists {
  private var starts: [Int]
  private var nodes: [Int]

  init(_ slots: [Int], slotCount: Int) {
    starts = [Int](repeating: 0, count: slotCount + 1)
    for slot in slots { starts[slot + 1] += 1 }
    for slot in 0..<slotCount { starts[slot + 1] += starts[slot] }
    var next = starts
    nodes = [Int](repeating: 0, count: slots.count)
    for (node, slot) in slots.enumerated() {
      nodes[next[slot]] = node
      next[slot] += 1
    }
  }

  subscript(slot: Int) -> ArraySlice<Int> { nodes[starts[slot]..<starts[slot + 1]] }
}
