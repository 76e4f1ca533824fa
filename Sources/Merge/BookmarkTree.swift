package import BrowsingData

/// The bookmark view with what is needed to edit it: items are found by the id of any record shown as them, and an edit
/// of an item is told in edits of records. Pure: the same tree and the same wish give the same edits.
package struct BookmarkTree: Sendable {
  /// The view.
  package private(set) var view: BookmarkView
  private var places: [RecordID: Int] = [:]

  /// Of these records.
  package init(_ nodes: [BookmarkNode], graves: [RecordID: RecordID] = [:]) {
    view = BookmarkView(nodes, graves: graves)
    places.reserveCapacity(nodes.count)
    for (index, item) in view.items.enumerated() {
      for member in item.members { places[view.nodes[member].id] = index }
    }
  }

  // MARK: - Finding

  /// The item that shows a record; nil when none does.
  package func item(_ id: RecordID) -> Int? { places[id] }

  /// The record that gives an item its id, place and content.
  package func node(_ item: Int) -> BookmarkNode { view.nodes[view.items[item].node] }

  /// The ids of all records shown as an item.
  package func members(_ item: Int) -> [RecordID] { view.items[item].members.map { view.nodes[$0].id } }

  /// The items of a root or of the folder that shows this record, in order; nil when there is no such folder.
  package func children(of folder: RecordID) -> Range<Int>? {
    if folder.isRoot { return view.roots[Int(folder.low) - 1] }
    guard let item = places[folder], node(item).kind == .folder else { return nil }
    return view.items[item].children
  }

  /// An item and everything below it, that one first.
  package func whole(_ item: Int) -> [Int] {
    var found = [item]
    var next = 0
    while next < found.count {
      found += view.items[found[next]].children
      next += 1
    }
    return found
  }

  /// Whether a folder is an item or below it.
  package func isFolder(_ folder: RecordID, within item: Int) -> Bool {
    var next = places[folder]
    while let one = next {
      if one == item { return true }
      next = view.items[one].parent
    }
    return false
  }

  // MARK: - Placing

  /// Keys for items that are to stand in a row at an index of a folder, and the records of it that need another key first.
  package struct Placing: Sendable {
    /// The keys, in order.
    package var orders: [OrderKey]
    /// Indices of nodes and the keys that they get.
    package var rekeyed: [(node: Int, order: OrderKey)] = []
  }

  /// Where `count` items go. The index counts the folder's children but for `except`, which is being moved; an index
  /// beyond the end is the end.
  package func placing(
    _ count: Int, in folder: RecordID, at index: Int, except: Int? = nil, tag: UInt32
  ) -> Placing? {
    placing(count, in: folder, at: index, leavingOut: except.map { [$0] } ?? [], tag: tag)
  }

  /// The same, where several are being moved.
  package func placing(
    _ count: Int, in folder: RecordID, at index: Int, leavingOut moving: Set<Int>, tag: UInt32
  ) -> Placing? {
    guard let range = children(of: folder) else { return nil }
    let siblings = range.filter { !moving.contains($0) }
    let index = min(max(0, index), siblings.count)
    let low = index > 0 ? node(siblings[index - 1]).order : nil
    let high = index < siblings.count ? node(siblings[index]).order : nil
    if let low, let high, low >= high {
      // Two devices gave equal keys: all that stand behind get new ones, up to the next greater one.
      let end = siblings[index...].firstIndex { node($0).order > low } ?? siblings.endIndex
      let next = end < siblings.endIndex ? node(siblings[end]).order : nil
      if let keys = OrderKeys.spread(count + end - index, low, next, tag: tag) {
        return placing(Array(keys[..<count]), siblings[index..<end], keys[count...])
      }
    } else if let keys = OrderKeys.spread(count, low, high, tag: tag) {
      return Placing(orders: keys)
    }
    // No keys are left between the two that are short enough: the folder begins anew.
    let keys = OrderKeys.fresh(siblings.count + count, tag: tag)
    let others = keys[..<index] + keys[(index + count)...]
    return placing(Array(keys[index..<index + count]), siblings[...], others)
  }

  /// Keys for items that are to stand in a row right behind one of a folder's items (nil: before all), which is not among
  /// those that are moved away. Nil when others would need other keys for it.
  package func orders(
    _ count: Int, in folder: RecordID, behind: Int?, leavingOut moving: Set<Int>, tag: UInt32
  ) -> [OrderKey]? {
    guard let range = children(of: folder), behind.map(range.contains) ?? true else { return nil }
    var next = behind.map { $0 + 1 } ?? range.lowerBound
    while next < range.upperBound, moving.contains(next) { next += 1 }
    let high = next < range.upperBound ? node(next).order : nil
    return OrderKeys.spread(count, behind.map { node($0).order }, high, tag: tag)
  }

  private func placing(
    _ orders: [OrderKey], _ items: ArraySlice<Int>, _ keys: some Sequence<OrderKey>
  ) -> Placing {
    var placing = Placing(orders: orders)
    for (item, key) in zip(items, keys) {
      for member in view.items[item].members { placing.rekeyed.append((node: member, order: key)) }
    }
    return placing
  }

  /// The occurrence numbers that items of a folder with this content have.
  package func occurrences(of content: ContentKey, in folder: RecordID, except: Int? = nil) -> Set<Int> {
    var used: Set<Int> = []
    for item in children(of: folder) ?? 0..<0 where item != except && node(item).content == content {
      used.insert(node(item).occurrence)
    }
    return used
  }

  /// The smallest occurrence number by which an item is no other one of a folder.
  package func freeOccurrence(of content: ContentKey, in folder: RecordID, except: Int? = nil) -> Int {
    BookmarkTree.free(occurrences(of: content, in: folder, except: except))
  }

  /// The smallest number that is not used.
  package static func free(_ used: Set<Int>) -> Int {
    var free = 0
    while used.contains(free) { free += 1 }
    return free
  }

  /// Takes another content of a record whose place is the same, as an edit of a whole item gives it: nothing else moves,
  /// comes together or falls apart by that. `node` is its index in the view.
  package mutating func replace(_ node: Int, by content: BookmarkNode) { view.replace(node, by: content) }

  /// What must be written before anything is moved: the places that cut circles have in the view. Otherwise a later move
  /// could close an old circle elsewhere.
  package var repairs: [(node: Int, parent: RecordID)] { view.repairs }
}
