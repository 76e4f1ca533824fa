import BrowsingData
import Merge

/// One schedule: devices, what they do and when they meet, all a function of the seed, and a judge who knows of every
/// operation which others its author had seen. The same as the executable model of the design in Python.
final class World {
  struct Operation {
    var id: RecordID
    /// What was written; nil for a deletion.
    var values: [[UInt8]?]?
    /// The operations of the same record that its author had seen.
    var observed: BitSet
  }
  struct DotOf: Hashable {
    var id: RecordID
    var dot: Dot
  }
  /// Two neighbours that a person saw, and where they stood.
  struct Neighbours {
    var first: RecordID
    var firstPlace: [UInt8]
    var second: RecordID
    var secondPlace: [UInt8]
  }

  let options: SimulationOptions
  var random: SeededRandom
  var time: Int64 = 1_700_000_000_000
  var operations: [Operation] = []
  var operationOf: [DotOf: Int] = [:]
  var deletedAt: [RecordID: Int64] = [:]
  var stores: [SimulatedStore] = []
  var edges: [(Int, Int)] = []
  var statistics = SimulationStatistics()
  private var neighbours: [Neighbours] = []
  private var number = 0

  init(seed: UInt64, _ options: SimulationOptions) {
    self.options = options
    random = SeededRandom(seed: seed)
  }

  func fresh() -> Int {
    number += 1
    return number
  }

  func logEdit(_ id: RecordID, _ observed: BitSet, _ fields: [StampedField]) -> Int {
    operations.append(Operation(id: id, values: fields.map(\.value), observed: observed))
    return operations.count - 1
  }

  func logDelete(_ id: RecordID, _ observed: BitSet) -> Int {
    operations.append(Operation(id: id, values: nil, observed: observed))
    return operations.count - 1
  }

  /// Runs a schedule of this many steps among this many devices, and judges its end.
  func run(steps: Int, devices: Int) throws {
    let skews: [Int64] = [0, 0, 37, -5_000, 86_400_000, -86_400_000 * 30, 400_000_000_000]
    stores = (0..<devices).map { SimulatedStore(self, $0, skew: skews[random.below(skews.count)]) }
    connect()
    let profile = Profile.all[random.below(Profile.all.count)]
    if profile.startsWithFolders { try startWithFolders() }
    let contact = profile.contact[random.below(profile.contact.count)]
    let isFaulty = random.chance(0.8)
    var backups: [Int: SimulatedStore.Backup] = [:]
    for step in 0..<steps {
      time += Int64(random.below(21))
      let store = stores[random.below(stores.count)]
      if let action = profile.action(random.fraction(), restores: options.restores) {
        try perform(action, on: store, profile, &backups)
      } else {
        let edge = edges[random.below(edges.count)]
        guard random.chance(contact) else { continue }
        statistics.sessions += 1
        if try sync(edge, isFaulty: isFaulty) == nil { statistics.brokenSessions += 1 }
      }
      if step % 7 == 3 { rememberNeighbours(store) }
    }
    try settle()
    try judge()
  }

  private func perform(
    _ action: Profile.Action, on store: SimulatedStore, _ profile: Profile,
    _ backups: inout [Int: SimulatedStore.Backup]
  ) throws {
    switch action {
    case .add:
      let kind = profile.kinds[random.below(profile.kinds.count)]
      let url = kind == .bookmark ? random.below(profile.urls) : 0
      try store.add(kind, title: kind == .separator ? 0 : random.below(profile.titles), url: url)
      statistics.operations += 1
    case .edit: if try store.change(titles: profile.titles, urls: profile.urls) { statistics.operations += 1 }
    case .move: if try store.move() { statistics.operations += 1 }
    case .delete: if try store.remove() { statistics.operations += 1 }
    case .save: backups[store.index] = store.backup
    case .restore:
      guard let backup = backups.removeValue(forKey: store.index) else { return }
      store.backup = backup
      statistics.restores += 1
      if !options.hasNoLease { store.takeNewName() }
    }
  }

  /// Any connected topology.
  private func connect() {
    var pairs: Set<[Int]> = Set((1..<max(2, stores.count)).map { [$0, random.below($0)] })
    for _ in 0..<random.below(stores.count + 1) {
      let first = random.below(stores.count)
      let second = (first + 1 + random.below(stores.count - 1)) % stores.count
      pairs.insert([max(first, second), min(first, second)])
    }
    edges = pairs.sorted { $0.lexicographicallyPrecedes($1) }.map { ($0[0], $0[1]) }
  }

  private func startWithFolders() throws {
    for _ in 0..<3 + random.below(4) { try stores[0].add(.folder, title: 1_000 + fresh(), url: 0) }
    for _ in stores {
      for edge in edges { _ = try sync(edge, isFaulty: false) }
    }
  }

  private func sync(_ edge: (Int, Int), isFaulty: Bool) throws -> Int? {
    try SimulatedSession(self, isFaulty: isFaulty).run(stores[edge.0], stores[edge.1])
  }

  /// Meets over the topology's edges until nothing moves; then one more round must move nothing at all.
  private func settle() throws {
    for round in 0..<4 * stores.count + 8 {
      var moved = 0
      for edge in edges { moved += try sync(edge, isFaulty: false) ?? 1 }
      if moved == 0, round > 0 {
        let sequences = stores.map(\.sequence)
        for edge in edges where try sync(edge, isFaulty: false) != 0 {
          throw Violation("rows are sent after all are equal")
        }
        guard stores.map(\.sequence) == sequences else { throw Violation("an idle sync wrote something") }
        return
      }
    }
    throw Violation("the devices do not come to rest")
  }

  private func rememberNeighbours(_ store: SimulatedStore) {
    let tree = store.tree()
    let folders = RecordID.roots.map(\.id) + tree.view.items.indices.map { tree.node($0).id }
    for folder in folders {
      guard let children = tree.children(of: folder) else { continue }
      let single = children.filter { tree.members($0).count == 1 }.map { tree.node($0).id }
      for (first, second) in zip(single, single.dropFirst()) {
        neighbours.append(
          Neighbours(
            first: first, firstPlace: store.records[first]?.field(Field.place) ?? [], second: second,
            secondPlace: store.records[second]?.field(Field.place) ?? []))
      }
    }
  }

  // MARK: - Judging

  private func judge() throws {
    let first = stores[0]
    for store in stores.dropFirst() {
      guard store.records.count == first.records.count else { throw Violation("states diverge") }
      for (id, record) in first.records {
        guard let other = store.records[id], other.state.isSame(as: record.state),
          zip(other.state.versions, record.state.versions).allSatisfy({ $0.fields == $1.fields }),
          other.history == record.history
        else { throw Violation("states diverge") }
      }
    }
    let judge = Judge(self)
    for (id, record) in first.records { try judge.check(id, record) }
    let shape = try judge.checkView(first)
    for store in stores.dropFirst() where try judge.checkView(store) != shape { throw Violation("views diverge") }
    try judge.checkNeighbours(neighbours, first)
    statistics.count(first)
  }
}

/// What happened, summed up: a generator that makes nothing happen proves nothing.
struct SimulationStatistics {
  var operations = 0
  var sessions = 0
  var brokenSessions = 0
  var restores = 0
  var records = 0
  var concurrent = 0
  var circles = 0
  var deleted = 0
  var grouped = 0
  var lifted = 0
  var conflicts = 0
  var neighbours = 0
  var rows = 0
  var echoes = 0
  var healed = 0

  mutating func count(_ store: SimulatedStore) {
    let tree = store.tree()
    records += store.records.count
    for record in store.records.values {
      if record.state.versions.count > 1 { concurrent += 1 }
      if !record.state.isAlive { deleted += 1 }
      conflicts += record.state.conflicts.count
    }
    circles += tree.repairs.count
    for item in tree.view.items {
      grouped += item.members.count - 1
      for member in item.members {
        let parent = tree.view.nodes[member].parent
        if !parent.isRoot, tree.item(parent) == nil { lifted += 1 }
      }
    }
  }

  mutating func add(_ other: SimulationStatistics) {
    operations += other.operations
    sessions += other.sessions
    brokenSessions += other.brokenSessions
    restores += other.restores
    records += other.records
    concurrent += other.concurrent
    circles += other.circles
    deleted += other.deleted
    grouped += other.grouped
    lifted += other.lifted
    conflicts += other.conflicts
    neighbours += other.neighbours
    rows += other.rows
    echoes += other.echoes
    healed += other.healed
  }
}
