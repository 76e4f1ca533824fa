internal import BrowsingData

/// The children of one folder at the source, as far as they have come.
struct SourceFolder: Sendable {
  /// Their ids there, in the order of arrival; some may have moved away since.
  var ids: [RecordID] = []
  /// While true, every child came after all before it, at the source and here: nothing is to be placed anew.
  var isInOrder = true
  var lastPosition: (rank: UInt8, position: Int)?
  var lastOrder: OrderKey?
}

extension BookmarkImportPlan {
  /// The folder here that an incoming parent is; nil when it has not come.
  func slot(ofIncoming parent: RecordID) -> Int? {
    if parent.isRoot { return rootFolder.map { $0 + 4 } ?? Int(parent.low) - 1 }
    guard let arrival = arrivals[parent] else { return nil }
    guard arrival.local >= 0, locals[arrival.local].kind == .folder, !locals[arrival.local].isDeleted else { return 2 }
    return arrival.local + 4
  }

  /// With a folder in place of the roots their children are one list: toolbar's first.
  func place(_ incoming: IncomingBookmark) -> (parent: RecordID, rank: UInt8) {
    guard rootFolder != nil, incoming.parent.isRoot else { return (incoming.parent, 0) }
    return (.other, UInt8(truncatingIfNeeded: incoming.parent.low))
  }

  /// Takes note of where an incoming one stands at the source.
  mutating func note(_ incoming: IncomingBookmark, as local: Int) {
    let (parent, rank) = place(incoming)
    let former = arrivals[incoming.id]
    sequence &+= 1
    arrivals[incoming.id] = Arrival(
      local: local, parent: parent, position: incoming.position, rank: rank, sequence: former?.sequence ?? sequence)
    guard local >= 0 else { return }
    var folder = sourceFolders[parent] ?? SourceFolder()
    sourceFolders[parent] = nil
    if former?.parent != parent || former?.local == -1 { folder.ids.append(incoming.id) }
    let order = locals[local].order
    let isAfter = folder.lastPosition.map { $0 < (rank, incoming.position) } ?? true
    let isAfterHere = folder.lastOrder.map { $0 < order } ?? true
    if former == nil, isAfter, isAfterHere {
      folder.lastPosition = (rank, incoming.position)
      folder.lastOrder = order
    } else {
      folder.isInOrder = false
    }
    sourceFolders[parent] = folder
    touched.insert(parent)
  }

  /// The folder of this one is looked at when the batch is settled.
  mutating func touch(_ incoming: IncomingBookmark) {
    let parent = place(incoming).parent
    sourceFolders[parent]?.isInOrder = false
    touched.insert(parent)
  }

  // MARK: - Equal siblings

  mutating func claim(_ local: Int, followsSource: Bool) {
    locals[local].isClaimed = true
    locals[local].followsSource = followsSource
  }

  /// The first equal sibling, in their order, that is no incoming one yet.
  mutating func firstUnclaimed(_ key: EqualKey) -> Int? {
    guard var entry = equals[key] else { return nil }
    while entry.first >= 0, locals[Int(entry.first)].isClaimed { entry.first = locals[Int(entry.first)].nextEqual }
    equals[key] = entry
    var at = entry.first
    while at >= 0, locals[Int(at)].isClaimed || reserved.contains(at) { at = locals[Int(at)].nextEqual }
    return at >= 0 ? Int(at) : nil
  }

  mutating func add(_ incoming: IncomingBookmark, to slot: Int) -> Int {
    let index = append(incoming.localID, incoming.kind, incoming.content, to: slot)
    note(incoming, as: index)
    return index
  }

  mutating func append(_ id: RecordID, _ kind: Bookmark.Kind, _ content: ContentKey, to slot: Int) -> Int {
    let index = locals.count
    let key = EqualKey(slot: slot, content: content)
    locals.append(
      Local(
        id: id, kind: kind, content: content, occurrence: kind == .separator ? 0 : freeOccurrence(key),
        order: nextOrder(slot), slot: slot, isClaimed: true, followsSource: true))
    places[id] = Int32(index)
    link(index)
    return index
  }

  func freeOccurrence(_ key: EqualKey) -> Int { equals[key]?.nextOccurrence ?? 0 }

  /// A key after all siblings.
  func nextOrder(_ slot: Int) -> OrderKey {
    // Without room at the end it stands beside the last one until the folder is arranged.
    OrderKeys.between(lastOrders[slot], nil, tag: tag) ?? lastOrders[slot] ?? OrderKeys.fresh(1, tag: tag)[0]
  }

  mutating func link(_ index: Int) {
    let local = locals[index]
    children[local.slot, default: []].append(Int32(index))
    if let last = lastOrders[local.slot], last > local.order {} else { lastOrders[local.slot] = local.order }
    linkEqual(index)
  }

  private mutating func linkEqual(_ index: Int) {
    let key = EqualKey(slot: locals[index].slot, content: locals[index].content)
    locals[index].nextEqual = -1
    guard var entry = equals[key] else {
      equals[key] = Equals(
        first: Int32(index), last: Int32(index), nextOccurrence: locals[index].occurrence &+ 1)
      return
    }
    if entry.last >= 0 { locals[Int(entry.last)].nextEqual = Int32(index) }
    if entry.first < 0 { entry.first = Int32(index) }
    entry.last = Int32(index)
    entry.nextOccurrence = max(entry.nextOccurrence, locals[index].occurrence &+ 1)
    equals[key] = entry
  }

  mutating func unlink(_ index: Int) {
    let local = locals[index]
    if let at = children[local.slot]?.firstIndex(of: Int32(index)) { children[local.slot]?.remove(at: at) }
    let key = EqualKey(slot: local.slot, content: local.content)
    guard var entry = equals[key] else { return }
    var before: Int32 = -1
    var at = entry.first
    while at >= 0, at != Int32(index) {
      before = at
      at = locals[Int(at)].nextEqual
    }
    if at < 0 {
      // It is among the claimed ones in front, which nothing looks at again; only the end may have to move.
      if entry.last == Int32(index) { entry.last = -1 }
    } else {
      if before >= 0 { locals[Int(before)].nextEqual = local.nextEqual } else { entry.first = local.nextEqual }
      if entry.last == Int32(index) { entry.last = before }
    }
    equals[key] = entry
  }

  mutating func rebuildEquals() {
    equals = [:]
    let order = children.values.flatMap { siblings in
      siblings.sorted { (locals[Int($0)].order, $0) < (locals[Int($1)].order, $1) }
    }
    for index in order { linkEqual(Int(index)) }
  }
}
