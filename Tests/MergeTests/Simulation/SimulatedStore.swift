import BrowsingData
import Merge

/// One device of a schedule: the record table, counters and cursors of a store in memory.
final class SimulatedStore {
  unowned let world: World
  let index: Int
  let skew: Int64
  var records: [RecordID: SimulatedRecord] = [:]
  var sequences: [RecordID: Int64] = [:]
  /// Who is known to have it so.
  var from: [RecordID: RecordID] = [:]
  var sequence: Int64 = 0
  /// How far each peer's log has come, by its incarnation.
  var cursors: [RecordID: Int64] = [:]
  /// The greatest edit number seen of each incarnation.
  var knows: [RecordID: Int64] = [:]
  var counter: Int64 = 0
  var sent: Set<RecordID> = []
  var incarnation = RecordID(high: 0, low: 0)
  private var cached: BookmarkTree?

  init(_ world: World, _ index: Int, skew: Int64) {
    self.world = world
    self.index = index
    self.skew = skew
    takeNewName()
  }

  func takeNewName() {
    incarnation = RecordID(high: UInt64(index + 1) << 32, low: UInt64(world.fresh()))
  }

  var now: Int64 { world.time + skew }

  /// What is put back when the store is restored.
  struct Backup {
    var records: [RecordID: SimulatedRecord]
    var sequences: [RecordID: Int64]
    var from: [RecordID: RecordID]
    var sequence: Int64
    var cursors: [RecordID: Int64]
    var knows: [RecordID: Int64]
    var counter: Int64
    var incarnation: RecordID
    var sent: Set<RecordID>
  }

  var backup: Backup {
    get {
      Backup(
        records: records, sequences: sequences, from: from, sequence: sequence, cursors: cursors, knows: knows,
        counter: counter, incarnation: incarnation, sent: sent)
    }
    set {
      (records, sequences, from, sequence) = (newValue.records, newValue.sequences, newValue.from, newValue.sequence)
      (cursors, knows, counter) = (newValue.cursors, newValue.knows, newValue.counter)
      (incarnation, sent) = (newValue.incarnation, newValue.sent)
      cached = nil
    }
  }

  // MARK: - The view

  func tree() -> BookmarkTree {
    if let cached { return cached }
    var nodes: [BookmarkNode] = []
    nodes.reserveCapacity(records.count)
    var graves: [RecordID: RecordID] = [:]
    for (id, record) in records {
      if let node = record.node {
        nodes.append(node)
      } else if let grave = record.state.grave {
        graves[id] = grave.parent
      }
    }
    // Nothing may depend on the order in which records are read; that it does not is seen in the end.
    if world.options.has(.noCycleRepair) { nodes = nodes.filter { !isInCircle($0, nodes) } }
    let made = BookmarkTree(nodes, graves: graves)
    cached = made
    return made
  }

  private func isInCircle(_ node: BookmarkNode, _ nodes: [BookmarkNode]) -> Bool {
    let parents = Dictionary(uniqueKeysWithValues: nodes.map { ($0.id, $0.parent) })
    var next: RecordID? = node.parent
    for _ in nodes {
      guard let id = next else { return false }
      if id == node.id { return true }
      next = parents[id]
    }
    return false
  }

  // MARK: - Committed writes

  func put(_ id: RecordID, _ record: SimulatedRecord, from peer: RecordID? = nil) {
    var record = record
    record.refresh(id, world.options, salt: UInt64(index))
    cached = nil
    sequence += 1
    records[id] = record
    sequences[id] = sequence
    from[id] = peer
    for entry in record.state.context.entries where knows[entry.replica, default: -1] < entry.counter {
      knows[entry.replica] = entry.counter
    }
  }

  private func nextCounter() -> Int64 {
    counter = world.options.has(.plainCounter) ? counter + 1 : max(counter + 1, now * 1_000)
    knows[incarnation] = counter
    return counter
  }

  func edit(_ id: RecordID, _ changes: [UInt64: [UInt8]]) {
    var record = records[id] ?? SimulatedRecord()
    let dot = Dot(replica: incarnation, counter: nextCounter())
    let newest = record.state.newest
    if world.options.has(.wallClockStamps) { record.state.newest = 0 }
    if world.options.has(.stampsByField) {
      record.state.newest = record.state.fields.filter { changes[$0.number] != nil }.map(\.stamp.time).max() ?? 0
    }
    _ = record.state.write(changes.map { FieldChange(number: $0.key, value: $0.value) }, dot: dot, now: now)
    record.state.newest = max(record.state.newest, newest)
    let operation = world.logEdit(id, record.history, record.state.versions[0].fields)
    world.operationOf[World.DotOf(id: id, dot: dot)] = operation
    record.history.insert(operation)
    put(id, record)
  }

  func delete(_ id: RecordID) {
    guard var record = records[id] else { return }
    let place = record.state.fields.first { $0.number == Field.place }
    let isFolder = record.field(Field.kind) == [Bookmark.Kind.folder.rawValue]
    let grave = isFolder ? place.map { Grave(stamp: $0.stamp, parent: Place($0.value!).parent) } : nil
    let operation = world.logDelete(id, record.history)
    record.history.insert(operation)
    if world.options.has(.deleteByTime) { world.deletedAt[id] = max(world.deletedAt[id] ?? .min, now) }
    record.state.delete(grave: grave)
    if world.options.has(.forgottenContext) { record.state.context = VersionVector() }
    put(id, record)
  }

  func forget(_ id: RecordID) {
    records[id] = nil
    sequences[id] = nil
    from[id] = nil
    cached = nil
  }
}
