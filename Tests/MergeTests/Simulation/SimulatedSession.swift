import BrowsingData
import Merge

/// A meeting of two simulated stores: rows in ascending sequence, echo suppressed, rows and cursor at once; it may break
/// at any batch.
struct SimulatedSession {
  private enum Fault {
    case cut
    case crash
    case crashAfterwards
    case doubled
    case reordered
  }

  private let world: World
  private let isFaulty: Bool
  private var options: SimulationOptions { world.options }

  init(_ world: World, isFaulty: Bool) {
    self.world = world
    self.isFaulty = isFaulty
  }

  /// How many rows moved; nil when the link broke.
  func run(_ one: SimulatedStore, _ other: SimulatedStore) throws -> Int? {
    if !options.hasNoRollbackCheck {
      for (store, peer) in [(one, other), (other, one)] {
        if peer.knows[store.incarnation, default: 0] > store.counter
          || peer.cursors[store.incarnation, default: 0] > store.sequence
        {
          store.takeNewName()
        }
      }
    }
    let (first, second) = world.random.chance(0.5) ? (one, other) : (other, one)
    guard let pulled = pull(first, from: second) else { return nil }
    if options.adopts { SimulatedAdoption(first).run() }
    guard let pushed = pull(second, from: first) else { return nil }
    if options.heals, !isEqual(one, other) {
      world.statistics.healed += 1
      for (store, peer) in [(one, other), (other, one)] { store.cursors[peer.incarnation] = nil }
      _ = SimulatedSession(world, isFaulty: false).pull(first, from: second, whole: true)
      _ = SimulatedSession(world, isFaulty: false).pull(second, from: first, whole: true)
      return nil
    }
    return pulled + pushed
  }

  private func isEqual(_ one: SimulatedStore, _ other: SimulatedStore) -> Bool {
    guard one.records.count == other.records.count else { return false }
    return one.records.allSatisfy { id, record in
      other.records[id].map { $0.state.isSame(as: record.state) } ?? false
    }
  }

  private func fault() -> Fault? {
    guard isFaulty else { return nil }
    switch world.random.fraction() {
    case ..<0.06: return .cut
    case ..<0.12: return .crash
    case ..<0.18: return .crashAfterwards
    case ..<0.24: return .doubled
    case ..<0.34: return .reordered
    default: return nil
    }
  }

  private func pull(_ receiver: SimulatedStore, from sender: SimulatedStore, whole: Bool = false) -> Int? {
    var cursor = receiver.cursors[sender.incarnation] ?? 0
    var count = 0
    while true {
      var rows = sender.sequences.filter { $0.value > cursor }.sorted { $0.value < $1.value }
      if options.has(.unorderedRows) { rows.shuffle(using: &world.random) }
      rows = Array(rows.prefix(1 + world.random.below(4)))
      guard !rows.isEmpty else {
        receiver.cursors[sender.incarnation] = max(cursor, sender.sequence)
        return count
      }
      let top = rows.map(\.value).max() ?? cursor
      var batch = rows.map(\.key).filter { whole || sender.from[$0] != receiver.incarnation }
      world.statistics.echoes += rows.count - batch.count
      sender.sent.formUnion(batch)
      count += batch.count
      world.statistics.rows += batch.count
      let fault = fault()
      if fault == .cut { return nil }
      if options.has(.cursorFirst) { receiver.cursors[sender.incarnation] = top }
      if fault == .crash { return nil }
      if fault == .doubled { batch += batch }
      if fault == .reordered { batch.shuffle(using: &world.random) }
      for id in batch { take(id, from: sender, into: receiver) }
      if !options.has(.cursorFirst) { receiver.cursors[sender.incarnation] = top }
      cursor = top
      if fault == .crashAfterwards { return nil }
    }
  }

  private func take(_ id: RecordID, from sender: SimulatedStore, into receiver: SimulatedStore) {
    guard let incoming = sender.records[id] else { return }
    guard let mine = receiver.records[id] else {
      var fresh = incoming
      if options.has(.deleteByTime) { deleteByTime(id, &fresh.state) }
      let isSame = fresh.state.isSame(as: incoming.state)
      return receiver.put(id, fresh, from: isSame || options.has(.echoAlways) ? sender.incarnation : nil)
    }
    var joined = mine
    joined.state = mine.state.joined(with: incoming.state)
    if options.has(.deleteByTime) { deleteByTime(id, &joined.state) }
    joined.history.formUnion(incoming.history)
    guard !joined.state.isSame(as: mine.state) || joined.history != mine.history else { return }
    let isSame = joined.state.isSame(as: incoming.state) && joined.history == incoming.history
    receiver.put(id, joined, from: isSame || options.has(.echoAlways) ? sender.incarnation : nil)
  }

  private func deleteByTime(_ id: RecordID, _ state: inout RecordState) {
    guard let time = world.deletedAt[id], state.isAlive,
      (state.fields.map(\.stamp.time).max() ?? 0) < time
    else { return }
    state.versions = []
  }
}

/// First contact: own records that were never sent and that the peer has, too, become the peer's.
struct SimulatedAdoption {
  private let store: SimulatedStore

  init(_ store: SimulatedStore) { self.store = store }

  func run() {
    let tree = store.tree()
    var kept: [RecordID: RecordID] = [:]
    for item in tree.view.items.indices where tree.members(item).count > 1 {
      let members = tree.members(item)
      guard let target = members.filter({ !isOwn($0) }).min() else { continue }
      for id in members where isOwn(id) { kept[id] = target }
    }
    guard !kept.isEmpty else { return }
    let places = places(tree, kept)
    for id in kept.keys {
      // The judge forgets it, too: it never was.
      store.forget(id)
    }
    for (id, record) in store.records.sorted(by: { $0.key < $1.key }) {
      guard record.state.isAlive, let place = record.place, let target = kept[place.parent] else { continue }
      store.edit(id, [Field.place: Place(target, place.order, place.previous.map { kept[$0] ?? $0 }).bytes])
    }
    for (id, order) in places {
      guard let place = store.records[id]?.place else { continue }
      store.edit(id, [Field.place: Place(place.parent, order, place.previous).bytes])
    }
  }

  private func isOwn(_ id: RecordID) -> Bool {
    guard !store.sent.contains(id), let context = store.records[id]?.state.context else { return false }
    return context.entries.allSatisfy { $0.replica == store.incarnation }
  }

  private func places(_ tree: BookmarkTree, _ kept: [RecordID: RecordID]) -> [(RecordID, OrderKey)] {
    var items: [RecordID: [Adoption.Item]] = [:]
    var others: [RecordID: [OrderKey]] = [:]
    for item in tree.view.items.indices {
      let folder = tree.view.items[item].parentID
      for id in tree.members(item) {
        guard let order = store.records[id]?.place?.order else { continue }
        if isOwn(id) {
          let anchor = kept[id].flatMap { store.records[$0]?.place?.order }
          items[folder, default: []].append(Adoption.Item(id: id, order: order, anchor: anchor))
        } else {
          others[folder, default: []].append(order)
        }
      }
    }
    return items.keys.sorted().flatMap { folder in
      Adoption.places(of: items[folder] ?? [], among: others[folder] ?? [], tag: UInt32(store.index + 1))
        .map { ($0.id, $0.order) }
    }
  }
}
