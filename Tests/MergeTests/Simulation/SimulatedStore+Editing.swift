import BrowsingData
import Merge

// What a person does, expressed on the view; each operation checks what the person sees afterwards.
extension SimulatedStore {
  private func treeAfterRepairs() -> BookmarkTree {
    let tree = tree()
    guard !world.options.has(.noCommittedRepairs), !tree.repairs.isEmpty else { return tree }
    for repair in tree.repairs {
      let node = tree.view.nodes[repair.node]
      edit(node.id, [Field.place: Place(repair.parent, records[node.id]!.place!.order).bytes])
    }
    return self.tree()
  }

  private func folders(_ tree: BookmarkTree) -> [RecordID] {
    RecordID.roots.map(\.id)
      + tree.view.items.indices.filter { tree.node($0).kind == .folder }.map { tree.node($0).id }.sorted()
  }

  private func pick(_ tree: BookmarkTree, withSeparators: Bool) -> Int? {
    let items = tree.view.items.indices.filter { withSeparators || tree.node($0).kind != .separator }
    guard !items.isEmpty else { return nil }
    return items.sorted { tree.node($0).id < tree.node($1).id }[world.random.below(items.count)]
  }

  private func placing(_ tree: BookmarkTree, _ folder: RecordID, _ index: Int, except: Int? = nil) -> OrderKey {
    let tag = UInt32(truncatingIfNeeded: incarnation.high &* 31 &+ incarnation.low &* 7 &+ UInt64(world.fresh()))
    let placing = tree.placing(1, in: folder, at: index, except: except, tag: tag)!
    for (node, order) in placing.rekeyed {
      let id = tree.view.nodes[node].id
      let place = records[id]!.place!
      edit(id, [Field.place: Place(place.parent, order, place.previous).bytes])
    }
    return placing.orders[0]
  }

  private func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

  private func content(_ kind: Bookmark.Kind, _ title: Int, _ url: Int) -> ContentKey {
    ContentKey(high: UInt64(kind.rawValue) << 32 | UInt64(url), low: UInt64(title))
  }

  func add(_ kind: Bookmark.Kind, title: Int, url: Int) throws {
    let tree = treeAfterRepairs()
    let all = folders(tree)
    let folder = all[world.random.below(all.count)]
    let count = tree.children(of: folder)!.count
    let index = world.random.below(count + 1)
    let order = placing(tree, folder, index)
    let id = RecordID(high: world.random.next() | 1 << 63, low: 0)
    let occurrence = tree.freeOccurrence(of: content(kind, title, url), in: folder)
    edit(
      id,
      [
        Field.kind: [kind.rawValue], Field.title: number(title), Field.url: number(url),
        Field.place: Place(folder, order).bytes, Field.occurrence: number(occurrence),
      ])
    let after = self.tree()
    guard let children = after.children(of: folder), children.count == count + 1,
      after.node(children.lowerBound + index).id == id
    else { throw Violation("a local insert is not at its index, or collapsed") }
  }

  func change(titles: Int, urls: Int) throws -> Bool {
    let tree = treeAfterRepairs()
    guard let item = pick(tree, withSeparators: false) else { return false }
    let node = tree.node(item)
    let (oldTitle, oldURL) = (value(node.id, Field.title), value(node.id, Field.url))
    var (title, url) = (oldTitle, oldURL)
    if world.random.chance(0.6) || node.kind == .folder {
      title = world.random.below(titles)
    } else {
      url = world.random.below(urls)
    }
    let folder = tree.view.items[item].parentID
    let occurrence = tree.freeOccurrence(of: content(node.kind, title, url), in: folder, except: item)
    var changes: [UInt64: [UInt8]] = [:]
    if title != oldTitle { changes[Field.title] = number(title) }
    if url != oldURL { changes[Field.url] = number(url) }
    if occurrence != value(node.id, Field.occurrence) { changes[Field.occurrence] = number(occurrence) }
    guard !changes.isEmpty else { return false }
    for member in tree.members(item) { edit(member, changes) }
    let after = self.tree()
    guard let now = after.item(node.id), value(after.node(now).id, Field.title) == title,
      value(after.node(now).id, Field.url) == url
    else { throw Violation("an own edit is not visible") }
    guard after.view.items.count == tree.view.items.count else {
      throw Violation("a local edit collapsed or split items")
    }
    return true
  }

  func move() throws -> Bool {
    let tree = treeAfterRepairs()
    guard let item = pick(tree, withSeparators: true) else { return false }
    let node = tree.node(item)
    let targets = folders(tree).filter { !tree.isFolder($0, within: item) }
    let folder = targets[world.random.below(targets.count)]
    let count = tree.children(of: folder)!.count { $0 != item }
    let index = world.random.below(count + 1)
    let order = placing(tree, folder, index, except: item)
    let occurrence = tree.freeOccurrence(of: node.content, in: folder, except: item)
    let members = tree.members(item)
    for member in members {
      var changes = [Field.place: Place(folder, order, tree.view.items[item].parentID).bytes]
      if node.kind != .separator, occurrence != value(member, Field.occurrence) {
        changes[Field.occurrence] = number(occurrence)
      }
      edit(member, changes)
    }
    try checkMove(of: node.id, to: folder, at: index, from: tree)
    return true
  }

  private func checkMove(of id: RecordID, to folder: RecordID, at index: Int, from tree: BookmarkTree) throws {
    let after = self.tree()
    guard let item = after.item(id), after.children(of: folder)?.contains(item) == true else {
      throw Violation("a local move did not land in its folder")
    }
    guard after.view.items[item].position == index else { throw Violation("a local move is not at its index") }
    guard after.view.items.count == tree.view.items.count else {
      throw Violation("a local move collapsed or split items")
    }
    for other in tree.view.items.indices where !tree.members(other).contains(id) {
      guard let now = after.item(tree.node(other).id) else { throw Violation("a local move lost an item") }
      if isSameFolder(parents(tree, other), parents(after, now)) { continue }
      throw Violation("a local move displaced another item")
    }
  }

  private func parents(_ tree: BookmarkTree, _ item: Int) -> Set<RecordID> {
    let id = tree.view.items[item].parentID
    return Set(tree.item(id).map { tree.members($0) } ?? [id])
  }

  private func isSameFolder(_ left: Set<RecordID>, _ right: Set<RecordID>) -> Bool { !left.isDisjoint(with: right) }

  func remove() throws -> Bool {
    let tree = treeAfterRepairs()
    guard let item = pick(tree, withSeparators: true) else { return false }
    let dead = tree.whole(item).flatMap { tree.members($0) }
    for id in dead { delete(id) }
    let after = self.tree()
    guard dead.allSatisfy({ after.item($0) == nil }) else { throw Violation("what was deleted is still shown") }
    return true
  }

  private func value(_ id: RecordID, _ number: UInt64) -> Int {
    records[id]!.field(number)!.reduce(0) { $0 << 8 | Int($1) }
  }
}
