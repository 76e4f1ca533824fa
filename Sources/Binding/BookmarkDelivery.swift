internal import BrowsingData
internal import Merge

/// Decides what of bookmarks that come a profile is to take: what is there already, by id or by content below matching
/// folders, stays as it is but for tags and keywords that it lacks; the rest is added in the source's order. Only decides.
struct BookmarkDelivery {
  /// How an incoming one met the profile.
  enum Outcome: Hashable {
    case added
    case changed
    case unchanged
  }

  /// What was decided on one.
  struct Decision: Hashable {
    var id: RecordID
    var foreignID: String
    var outcome: Outcome
  }

  /// Gives a foreign id: for a record's id, its own GUID, and how many were taken already.
  typealias ForeignID = (RecordID, String?, Int) -> String

  private let held: [Held<Bookmark>]
  private let foreignID: ForeignID
  private var heldIndex: [RecordID: Int] = [:]
  private var numbers = ContentNumbers()
  private var plan: BookmarkImportPlan
  /// The foreign ids of the plan's items.
  private var foreignIDs: [Int: String] = [:]
  private var used: Set<String> = []
  private var incoming: [Bookmark] = []
  private var locals: [Int] = []
  private var isNew: [Bool] = []

  /// Over what a profile holds.
  init(_ held: [Held<Bookmark>], foreignID: @escaping ForeignID) {
    self.held = held
    self.foreignID = foreignID
    var nodes: [BookmarkNode] = []
    var ranks: [RecordID: Int] = [:]
    var occurrences: [Sibling: Int] = [:]
    var childCounts: [RecordID: Int] = [:]
    for one in held { childCounts[one.item.parent, default: 0] += 1 }
    let keys = OrderKeys.fresh(childCounts.values.max() ?? 0, tag: 1)
    let stamp = Stamp(time: 0, dot: Dot(replica: .other, counter: 0))
    for (index, one) in held.enumerated() {
      let content = numbers.key(of: one.item)
      let sibling = Sibling(parent: one.item.parent, content: content)
      let occurrence = occurrences[sibling, default: 0]
      occurrences[sibling] = occurrence + 1
      let rank = ranks[one.item.parent, default: 0]
      ranks[one.item.parent] = rank + 1
      heldIndex[one.item.id] = index
      used.insert(one.foreignID)
      nodes.append(
        BookmarkNode(
          id: one.item.id, parent: one.item.parent, kind: one.item.kind, content: content, occurrence: occurrence,
          order: keys[rank], placed: stamp))
    }
    plan = BookmarkImportPlan(BookmarkView(nodes), tag: 2, repeatsAreResent: false)
    for (index, local) in plan.locals.enumerated() {
      if let place = heldIndex[local.id] { foreignIDs[index] = held[place].foreignID }
    }
  }

  private struct Sibling: Hashable {
    var parent: RecordID
    var content: ContentKey
  }

  // MARK: - Deciding

  /// Decides on all of them: parents before children, siblings in their order, as the profile would hold them.
  mutating func decide(_ bookmarks: [Bookmark]) -> [Decision] {
    incoming = bookmarks
    locals = [Int](repeating: -1, count: bookmarks.count)
    isNew = [Bool](repeating: false, count: bookmarks.count)
    var byForeignID: [String: RecordID] = [:]
    for one in held { byForeignID[one.foreignID] = one.item.id }
    var items: [IncomingBookmark] = []
    for (index, bookmark) in bookmarks.enumerated() {
      var item = IncomingBookmark(
        id: bookmark.id, parent: bookmark.parent, position: index, kind: bookmark.kind,
        content: numbers.key(of: bookmark))
      let own = [foreignID(bookmark.id, bookmark.guid, 0), foreignID(bookmark.id, nil, 0)]
      if let known = own.lazy.compactMap({ byForeignID[$0] }).first { item.localID = known }
      items.append(item)
    }
    plan.reserve(items.map(\.localID))
    var separators: [(index: Int, item: IncomingBookmark)] = []
    for index in items.indices { take(index, &items[index], &separators) }
    plan.endReservations()
    for (separator, decision) in zip(separators, plan.settle(separators.map(\.item))) {
      note(separator.index, decision)
    }
    return decisions()
  }

  private mutating func take(
    _ index: Int, _ item: inout IncomingBookmark, _ separators: inout [(index: Int, item: IncomingBookmark)]
  ) {
    var attempt: UInt64 = 0
    while true {
      var decision = plan.take(item)
      if decision == .waits { decision = plan.takeOrphan(item) }
      switch decision {
      case .known, .sameID, .sameContent, .added: return note(index, decision)
      case .held: return separators.append((index, item))
      case .waits: return
      case .idTaken:
        attempt += 1
        item.localID = RecordID(high: item.id.high ^ attempt << 32, low: ~item.id.low)
      case .repeated:
        attempt += 1
        item.id = RecordID(high: item.id.high ^ attempt << 32, low: item.id.low ^ attempt)
        item.localID = item.id
      }
    }
  }

  private mutating func note(_ index: Int, _ decision: BookmarkDecision) {
    switch decision {
    case .known(let local), .sameContent(let local): locals[index] = local
    case .sameID(let local):
      // The profile's owner may have put it elsewhere.
      plan.keepPlace(local)
      locals[index] = local
    case .added(let local):
      locals[index] = local
      isNew[index] = true
      var attempt = 0
      var id = foreignID(incoming[index].id, incoming[index].guid, attempt)
      while !used.insert(id).inserted {
        attempt += 1
        id = foreignID(incoming[index].id, incoming[index].guid, attempt)
      }
      foreignIDs[local] = id
    case .waits, .held, .idTaken, .repeated: break
    }
  }

  private func decisions() -> [Decision] {
    incoming.indices.compactMap { index in
      guard let id = foreignIDs[locals[index]] else { return nil }
      let outcome: Outcome = isNew[index] ? .added : target(index) == nil ? .unchanged : .changed
      return Decision(id: incoming[index].id, foreignID: id, outcome: outcome)
    }
  }

  /// The held one that an incoming one fills in, as it shall be; nil when it lacks nothing.
  private func target(_ index: Int) -> Held<Bookmark>? {
    guard !isNew[index], locals[index] >= 0, let place = heldIndex[plan.locals[locals[index]].id] else { return nil }
    var target = held[place]
    let came = incoming[index]
    let known = Set(target.item.tags.map { $0.lowercased() })
    target.item.tags += came.tags.filter { !known.contains($0.lowercased()) }
    if target.item.keyword == nil {
      target.item.keyword = came.keyword
      target.item.postData = came.postData
    }
    return target == held[place] ? nil : target
  }

  // MARK: - Edits

  /// What carries the decisions out.
  mutating func edits() -> BookmarkEdits {
    var edits = BookmarkEdits()
    var touched: Set<Int> = []
    for index in incoming.indices where locals[index] >= 0 {
      let local = locals[index]
      guard let id = foreignIDs[local] else { continue }
      if isNew[index] {
        let slot = plan.locals[local].slot
        edits.insertions.append(BookmarkEdits.Insertion(Held(id, incoming[index]), into: folder(slot)))
        touched.insert(slot)
      } else if let target = target(index) {
        edits.updates.append(target)
      }
    }
    for placement in plan.arrange() { touched.insert(plan.locals[placement.local].slot) }
    guard !touched.isEmpty else { return edits }
    var children: [Int: [Int]] = [:]
    for (local, item) in plan.locals.enumerated() where touched.contains(item.slot) && !item.isDeleted {
      children[item.slot, default: []].append(local)
    }
    for (slot, list) in children {
      let sorted = list.sorted { (plan.locals[$0].order, $0) < (plan.locals[$1].order, $1) }
      edits.order[folder(slot)] = sorted.compactMap { foreignIDs[$0] }
    }
    return edits
  }

  private func folder(_ slot: Int) -> HeldFolder {
    guard slot >= 4 else { return .root(RecordID.roots[slot].id) }
    return .item(foreignIDs[slot - 4] ?? "")
  }
}
