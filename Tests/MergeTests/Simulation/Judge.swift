import BrowsingData
import Merge

/// Knows of every operation which others its author had seen, and says what must hold in the end.
struct Judge {
  private let world: World

  init(_ world: World) { self.world = world }

  /// Alive if and only if some edit was seen by no deletion; exactly the edits that no other has seen are left; every
  /// value of theirs is shown, listed, or was seen by the author of the shown one.
  func check(_ id: RecordID, _ record: SimulatedRecord) throws {
    let all = world.operations.indices.filter { record.history.contains($0) }
    var maximal: [[[UInt8]?]] = []
    var isAlive = false
    for one in all {
      guard let values = world.operations[one].values else { continue }
      let later = all.filter { world.operations[$0].observed.contains(one) && $0 != one }
      if later.isEmpty { maximal.append(values) }
      if later.allSatisfy({ world.operations[$0].values != nil }) { isAlive = true }
    }
    guard isAlive == record.state.isAlive else {
      throw Violation("a record is \(record.state.isAlive ? "alive" : "deleted") and should not be")
    }
    let left = record.state.versions.map { $0.fields.map(\.value) }
    guard count(left) == count(maximal) else { throw Violation("the versions left are not the latest edits") }
    if record.state.versions.count > 1 { try checkValues(id, record.state) }
  }

  private func count(_ values: [[[UInt8]?]]) -> [[[UInt8]?]: Int] {
    values.reduce(into: [:]) { $0[$1, default: 0] += 1 }
  }

  private func checkValues(_ id: RecordID, _ state: RecordState) throws {
    let conflicts = state.conflicts
    for field in state.fields {
      guard let winner = state.versions.first(where: { $0.fields.contains { $0 == field } }),
        let winning = world.operationOf[World.DotOf(id: id, dot: winner.dot)],
        let origin = world.operationOf[World.DotOf(id: id, dot: field.stamp.dot)]
      else { throw Violation("what is shown was never written") }
      for version in state.versions {
        for other in version.fields where other.number == field.number {
          guard let source = world.operationOf[World.DotOf(id: id, dot: other.stamp.dot)] else {
            throw Violation("a value was never written")
          }
          if source != origin, world.operations[source].observed.contains(origin) {
            throw Violation("a value that was overwritten is shown")
          }
          guard other.value != field.value, !world.operations[winning].observed.contains(source) else { continue }
          guard conflicts.contains(where: { $0.number == other.number && $0.value == other.value }) else {
            throw Violation("a concurrent value is neither shown nor listed")
          }
        }
      }
    }
  }

  /// Every living record is shown once, no two equal siblings, the order is total. Gives the shape.
  func checkView(_ store: SimulatedStore) throws -> [ShownItem] {
    let tree = store.tree()
    var shown: Set<RecordID> = []
    var shape: [ShownItem] = []
    for item in tree.view.items.indices {
      let node = tree.node(item)
      for id in tree.members(item) where !shown.insert(id).inserted { throw Violation("a record is shown twice") }
      shape.append(
        ShownItem(
          folder: tree.view.items[item].parentID, position: tree.view.items[item].position, id: node.id,
          members: tree.members(item).sorted()))
    }
    let living = store.records.filter { $0.value.state.isAlive }
    guard shown.count == living.count else { throw Violation("a living record is not shown") }
    for folder in RecordID.roots.map(\.id) + shape.map(\.id) {
      guard let children = tree.children(of: folder) else { continue }
      var contents: Set<[[UInt8]?]> = []
      for child in children where tree.node(child).kind != .separator {
        guard let record = store.records[tree.node(child).id] else { continue }
        let content = [Field.kind, Field.title, Field.url, Field.occurrence].map { record.field($0) }
        guard contents.insert(content).inserted else { throw Violation("two siblings are equal") }
      }
    }
    return shape.sorted()
  }

  /// Two neighbours that nobody has moved stand in the order in which they stood.
  func checkNeighbours(_ neighbours: [World.Neighbours], _ store: SimulatedStore) throws {
    let tree = store.tree()
    for pair in neighbours {
      guard let first = tree.item(pair.first), let second = tree.item(pair.second), first != second,
        tree.members(first).count == 1, tree.members(second).count == 1,
        tree.view.items[first].parent == tree.view.items[second].parent,
        tree.view.items[first].parentID == tree.view.items[second].parentID,
        store.records[pair.first]?.field(Field.place) == pair.firstPlace,
        store.records[pair.second]?.field(Field.place) == pair.secondPlace
      else { continue }
      world.statistics.neighbours += 1
      guard tree.view.items[first].position < tree.view.items[second].position else {
        throw Violation("two siblings that nobody touched changed places")
      }
    }
  }
}

/// An item of a view, to be compared with another device's.
struct ShownItem: Hashable, Comparable {
  var folder: RecordID
  var position: Int
  var id: RecordID
  var members: [RecordID]

  static func < (left: ShownItem, right: ShownItem) -> Bool {
    left.folder != right.folder ? left.folder < right.folder : left.position < right.position
  }
}
