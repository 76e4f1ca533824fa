internal import BrowsingData
internal import Merge
internal import SQLite

extension SyncRun {
  /// At first contact: own records that nobody was ever sent and that are the peer's, too, become the peer's, and what is
  /// left of ours is placed around them. Nobody can tell afterwards that there were two.
  func adopt() throws {
    try store.writing {
      let number = try openEntry(options.clock())
      let before = report
      let start = store.lastSequence
      let adopting = BookmarkAdoption(
        store, RecordTable(store, entry: number, now: options.clock()))
      if waits.contains(.bookmarks) { report[.bookmarks].changed += try adopting.adopt() }
      if waits.contains(.cards) { report[.cards].changed += try adopting.adoptCards() }
      try closeEntry(number, before, hasRows: store.lastSequence > start)
    }
  }
}

/// Makes own bookmarks and cards a peer's.
final class BookmarkAdoption {
  private let store: RecordStore
  private let table: RecordTable
  private var changed = 0

  init(_ store: RecordStore, _ table: RecordTable) {
    self.store = store
    self.table = table
    // All that is written here was there before, in this transaction or an earlier one.
    table.committed = .max
  }

  // MARK: - Bookmarks

  /// Gives how many records changed.
  func adopt() throws -> Int {
    let view = try store.bookmarkRecords().view
    let own = try ownIDs(.bookmarks)
    var kept: [RecordID: RecordID] = [:]
    for item in view.items where item.members.count > 1 {
      let ids = item.members.map { view.nodes[$0].id }
      guard let target = ids.filter({ !own.contains($0) }).min() else { continue }
      for id in ids where own.contains(id) { kept[id] = target }
    }
    let yielding = try yieldingRecords(in: view, own: own)
    let places = newPlaces(view, own, kept, yielding)
    for (id, target) in kept.sorted(by: { $0.key < $1.key }) { try drop(id, for: target) }
    try hangChildren(of: kept)
    for (id, _) in yielding { try yield(id) }
    for place in places { try move(place.id, to: place.order, kept) }
    return changed
  }

  /// Records that were never sent: made here, and nobody else has edited them.
  private func ownIDs(_ type: DataType) throws -> Set<RecordID> {
    let me = try store.replicaNumber(store.incarnation)
    let read = try store.statement("SELECT rid, ctx FROM rec WHERE seq BETWEEN ?1 AND ?2 AND body IS NOT NULL")
    try read.bind(1, ChangeLog(type).sequences.lowerBound)
    try read.bind(2, ChangeLog(type).sequences.upperBound)
    var ids: Set<RecordID> = []
    while try read.step() {
      let context = try ContextCodec.decode(read.bytes(1) ?? [])
      if context.allSatisfy({ $0.0 == me }) { ids.insert(try read.requiredRecordID(0)) }
    }
    return ids
  }

  /// Records that both have by one id, each from the same source, and that differ in nothing but their order: with the
  /// place each has among ours.
  private func yieldingRecords(in view: BookmarkView, own: Set<RecordID>) throws -> [RecordID: OrderKey] {
    var places: [RecordID: OrderKey] = [:]
    for node in view.nodes where !own.contains(node.id) {
      guard let row = try table.row(node.id), row.hasVersions else { continue }
      let state = try table.states.state(of: row)
      guard let mine = state.versions.first(where: { $0.dot.replica == store.replica }),
        state.versions.count(where: { $0.dot.replica == store.replica }) == 1, state.versions.count > 1,
        !state.conflicts.contains(where: { loser in
          ConflictText.isListed(loser, shown: state.fields.first { $0.number == loser.number })
        }),
        let value = mine.fields.first(where: { $0.number == FieldNumber.place })?.value,
        let place = BookmarkPlace(value)
      else { continue }
      places[node.id] = place.order
    }
    return places
  }

  private func newPlaces(
    _ view: BookmarkView, _ own: Set<RecordID>, _ kept: [RecordID: RecordID], _ yielding: [RecordID: OrderKey]
  ) -> [(id: RecordID, order: OrderKey)] {
    var keys: [RecordID: OrderKey] = [:]
    for node in view.nodes { keys[node.id] = node.order }
    var items: [RecordID: [Adoption.Item]] = [:]
    var others: [RecordID: [OrderKey]] = [:]
    for item in view.items {
      for member in item.members {
        let node = view.nodes[member]
        let folder = item.parentID
        if let target = kept[node.id] {
          items[folder, default: []].append(Adoption.Item(id: node.id, order: node.order, anchor: keys[target]))
        } else if own.contains(node.id) {
          items[folder, default: []].append(Adoption.Item(id: node.id, order: node.order, anchor: nil))
        } else {
          others[folder, default: []].append(node.order)
          if let mine = yielding[node.id] {
            items[folder, default: []].append(Adoption.Item(id: node.id, order: mine, anchor: theirOrder(node.id)))
          }
        }
      }
    }
    let tag = UInt32(truncatingIfNeeded: ContentHash.another(store.replica, 0).low)
    return items.keys.sorted().flatMap { folder in
      Adoption.places(of: items[folder] ?? [], among: others[folder] ?? [], tag: tag)
    }
  }

  /// The place that a record has once its own version is gone.
  private func theirOrder(_ id: RecordID) -> OrderKey? {
    guard let row = try? table.row(id), let state = try? table.states.state(of: row) else { return nil }
    var rest = state
    rest.versions.removeAll { $0.dot.replica == store.replica }
    let place = rest.fields.first { $0.number == FieldNumber.place }?.value
    return place.flatMap { BookmarkPlace($0) }?.order
  }

  /// What is hung below a folder that is now another one hangs below that one.
  private func hangChildren(of kept: [RecordID: RecordID]) throws {
    guard !kept.isEmpty else { return }
    for node in try store.bookmarkRecords().nodes {
      guard let target = kept[node.parent], let row = try table.row(node.id) else { continue }
      let place = BookmarkPlace(
        parent: target, order: node.order, previousParent: node.previousParent.map { kept[$0] ?? $0 })
      try table.update(row, [FieldChange(number: FieldNumber.place, value: place.bytes)])
      changed += 1
    }
  }

  private func move(_ id: RecordID, to order: OrderKey, _ kept: [RecordID: RecordID]) throws {
    guard let row = try table.row(id), row.body != nil,
      var place = try table.fields(row)[FieldNumber.place].flatMap({ BookmarkPlace($0) }), place.order != order
    else { return }
    place.order = order
    try table.update(row, [FieldChange(number: FieldNumber.place, value: place.bytes)])
    changed += 1
  }

  /// Takes the own version away: nobody has seen it.
  private func yield(_ id: RecordID) throws {
    guard let row = try table.row(id) else { return }
    let old = try table.states.state(of: row)
    var state = old
    state.versions.removeAll { $0.dot.replica == store.replica }
    state.context = VersionVector(state.context.entries.filter { $0.replica != store.replica })
    guard state.isAlive else { return }
    try table.save(state, over: row, was: old, from: nil)
  }

  /// An own record goes; what only it had goes to the other.
  private func drop(_ id: RecordID, for target: RecordID) throws {
    guard let row = try table.row(id), let other = try table.row(target), other.body != nil else { return }
    let mine = RecordContent.bookmark(id, try table.fields(row), parent: .other, position: 0)
    let fields = try table.fields(other)
    let known = RecordContent.bookmark(target, fields, parent: .other, position: 0)
    let merged = RecordContent.fields(BookmarkMerge.merged(mine, over: known, .fill, sameID: false))
    let changes = BookmarkAdoption.carried.compactMap { number -> FieldChange? in
      guard let value = merged[number], value != fields[number] else { return nil }
      return FieldChange(number: number, value: value)
    }
    try table.update(other, changes)
    try table.remove(row)
    try repointBindings(id, to: target)
    changed += 1
  }

  private static let carried = [
    FieldNumber.tags, FieldNumber.keyword, FieldNumber.postData, FieldNumber.description,
  ]

  private func repointBindings(_ id: RecordID, to target: RecordID) throws {
    let update = try store.statement("UPDATE bind SET rid = ?2 WHERE rid = ?1")
    try update.bind(1, id.bytes)
    try update.bind(2, target.bytes)
    try update.run()
  }

  // MARK: - Cards

  /// Own cards with the number of one of the peer's.
  func adoptCards() throws -> Int {
    let own = try ownIDs(.cards)
    var theirs: [ContentKey: RecordID] = [:]
    var mine: [(id: RecordID, key: ContentKey)] = []
    let read = try store.database.prepare("SELECT rid, body FROM rec WHERE seq BETWEEN ?1 AND ?2 AND body IS NOT NULL")
    try read.bind(1, ChangeLog.cards.sequences.lowerBound)
    try read.bind(2, ChangeLog.cards.sequences.upperBound)
    while try read.step() {
      let id = try read.requiredRecordID(0)
      let key = PaymentCard(id, try store.openedFields(read.bytes(1) ?? [], .cards, id)).key
      if own.contains(id) { mine.append((id, key)) } else { theirs[key] = min(theirs[key] ?? id, id) }
    }
    for (id, key) in mine {
      guard let target = theirs[key], let row = try table.row(id), let other = try table.row(target) else { continue }
      let fields = try table.fields(other)
      let merged = PaymentCard(id, try table.fields(row)).merged(over: PaymentCard(target, fields), .fill)
      try table.update(other, RecordImport.changes(from: fields, to: merged.fields))
      try table.remove(row)
      try repointBindings(id, to: target)
      changed += 1
    }
    return changed
  }
}
