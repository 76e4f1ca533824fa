internal import BrowsingData

/// Where every node hangs once lost parents are replaced and circles are cut.
struct BookmarkParents {
  /// For each node 0...3 for a root, else 4 + the index of its parent's node.
  private(set) var slots: [Int]
  private let nodes: [BookmarkNode]
  private let graves: [RecordID: RecordID]
  private let places: [RecordID: Int]
  private static let fallback = 2

  init(_ nodes: [BookmarkNode], graves: [RecordID: RecordID]) {
    self.nodes = nodes
    self.graves = graves
    var places: [RecordID: Int] = [:]
    places.reserveCapacity(nodes.count)
    for (index, node) in nodes.enumerated() { places[node.id] = index }
    self.places = places
    slots = []
    slots = nodes.map { lifted($0.parent) }
  }

  /// The closest surviving folder or root: the parent, else where its grave says it stood, and so on.
  private func lifted(_ parent: RecordID) -> Int {
    var id = parent
    var seen: Set<RecordID> = []
    while true {
      if id.isRoot { return Int(id.low) - 1 }
      if let place = places[id], nodes[place].kind == .folder { return place + 4 }
      guard seen.insert(id).inserted, let next = graves[id] else { return BookmarkParents.fallback }
      id = next
    }
  }

  /// Every component has at most one circle. Cuts each at its newest move, then hangs the cut ones, oldest first, below
  /// their former parent where that makes no circle, else below "other".
  mutating func cutCircles() -> [(node: Int, parent: RecordID)] {
    let cut = circles().compactMap { circle in circle.max { nodes[$0].placed < nodes[$1].placed } }
    for node in cut { slots[node] = BookmarkParents.fallback }
    for node in cut.sorted(by: { nodes[$0].placed < nodes[$1].placed }) {
      guard let former = nodes[node].previousParent else { continue }
      let slot = lifted(former)
      if !hangs(slot, below: node) { slots[node] = slot }
    }
    return cut.sorted().map { (node: $0, parent: id(of: slots[$0])) }
  }

  private func circles() -> [[Int]] {
    var found: [[Int]] = []
    var walk = [Int](repeating: 0, count: nodes.count)
    for start in nodes.indices where walk[start] == 0 {
      var path: [Int] = []
      var slot = start + 4
      while slot >= 4, walk[slot - 4] == 0 {
        walk[slot - 4] = start + 1
        path.append(slot - 4)
        slot = slots[slot - 4]
      }
      if slot >= 4, walk[slot - 4] == start + 1, let first = path.firstIndex(of: slot - 4) {
        found.append(Array(path[first...]))
      }
    }
    return found
  }

  private func hangs(_ slot: Int, below node: Int) -> Bool {
    var slot = slot
    while slot >= 4 {
      if slot - 4 == node { return true }
      slot = slots[slot - 4]
    }
    return false
  }

  private func id(of slot: Int) -> RecordID { slot < 4 ? RecordID.roots[slot].id : nodes[slot - 4].id }
}
