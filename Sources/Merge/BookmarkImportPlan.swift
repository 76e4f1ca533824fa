package import BrowsingData

/// Decides how incoming bookmarks meet those that are there: by id, then by content below matching parents, equal ones
/// one for one and in order, never collapsed. Roots are themselves. It only decides; its user writes.
package struct BookmarkImportPlan: Sendable {
  /// An item that was there, or was added.
  package struct Local: Sendable {
    /// Its id here.
    package internal(set) var id: RecordID
    /// What it is.
    package let kind: Bookmark.Kind
    /// Equal for equal kind, title and address.
    package internal(set) var content: ContentKey
    /// Tells it from equal siblings.
    package internal(set) var occurrence: Int
    /// Its place among its siblings.
    package internal(set) var order: OrderKey
    /// What it is in: 0...3 a root, else 4 + an index of `locals`.
    package internal(set) var slot: Int
    /// Whether an incoming one is it.
    var isClaimed: Bool
    /// Whether the source says where it stands: true for what came from it or has its id.
    var followsSource: Bool
    /// The next equal sibling, -1 at the end.
    var nextEqual: Int32 = -1
    /// Whether it is gone.
    package internal(set) var isDeleted = false
  }

  /// Where an incoming one was at the source and which local one it is.
  struct Arrival: Sendable {
    var local: Int
    var parent: RecordID
    var position: Int
    var rank: UInt8
    var sequence: Int32
  }

  struct EqualKey: Hashable, Sendable {
    var slot: Int
    var content: ContentKey
  }

  /// Equal siblings: the first unclaimed one, the last one, the next free occurrence.
  struct Equals: Sendable {
    var first: Int32
    var last: Int32
    var nextOccurrence: Int
  }

  /// All items, those that were there in tree order first.
  package internal(set) var locals: [Local] = []
  var places: [RecordID: Int32] = [:]
  var equals: [EqualKey: Equals] = [:]
  var children: [Int: [Int32]] = [:]
  var lastOrders: [Int: OrderKey] = [:]
  var arrivals: [RecordID: Arrival] = [:]
  var sourceFolders: [RecordID: SourceFolder] = [:]
  var touched: Set<RecordID> = []
  var reserved: Set<Int32> = []
  var sequence: Int32 = 0
  /// How many items were there before this source.
  var existing = 0
  /// Told from other runs' order keys by this.
  let tag: UInt32
  /// Whether a repeated id is the same item sent again (a transfer) or another one (a file).
  let repeatsAreResent: Bool
  /// What stands for the four roots; nil for themselves.
  package var rootFolder: Int?

  /// Over what is there. `tag` differs from run to run; `repeatsAreResent`: a known id is the same item once more.
  package init(_ view: BookmarkView, tag: UInt32, repeatsAreResent: Bool) {
    self.tag = tag
    self.repeatsAreResent = repeatsAreResent
    locals.reserveCapacity(view.items.count)
    places.reserveCapacity(view.items.count)
    for (index, item) in view.items.enumerated() {
      let node = view.nodes[item.node]
      let slot = item.parent.map { $0 + 4 } ?? Int(item.parentID.low) - 1
      locals.append(
        Local(
          id: node.id, kind: node.kind, content: node.content, occurrence: node.occurrence, order: node.order,
          slot: slot, isClaimed: false, followsSource: false))
      for member in item.members { places[view.nodes[member].id] = Int32(index) }
      link(index)
    }
    existing = locals.count
  }

  /// Another source begins: what the last one brought can be matched, and an id may come again.
  package mutating func beginSource() {
    arrivals = [:]
    sourceFolders = [:]
    touched = []
    existing = locals.count
    for index in locals.indices {
      locals[index].isClaimed = false
      locals[index].followsSource = false
    }
    rebuildEquals()
  }

  /// The local item with this id, if there is one.
  package func local(_ id: RecordID) -> Int? {
    guard let place = places[id], !locals[Int(place)].isDeleted else { return nil }
    return Int(place)
  }

  /// The local item that this incoming one is, if it has come.
  package func local(ofIncoming id: RecordID) -> Int? { arrivals[id]?.local }

  /// The id of a folder or root by its slot.
  package func id(ofSlot slot: Int) -> RecordID { slot < 4 ? RecordID.roots[slot].id : locals[slot - 4].id }

  // MARK: - Taking

  /// Keeps items whose ids will come from being taken for their content.
  package mutating func reserve(_ ids: some Sequence<RecordID>) {
    for id in ids {
      if arrivals[id] == nil, let place = places[id], !locals[Int(place)].isClaimed { reserved.insert(place) }
    }
  }

  /// The batch is over: nothing is reserved any more.
  package mutating func endReservations() { reserved = [] }

  /// Decides on one.
  package mutating func take(_ incoming: IncomingBookmark) -> BookmarkDecision {
    if let arrival = arrivals[incoming.id] {
      guard repeatsAreResent else { return .repeated }
      if !incoming.parent.isRoot, arrivals[incoming.parent] == nil { return .waits }
      note(incoming, as: arrival.local)
      return .known(arrival.local)
    }
    guard let slot = slot(ofIncoming: incoming.parent) else { return .waits }
    if let place = places[incoming.localID] {
      let local = locals[Int(place)]
      guard !local.isClaimed, local.kind == incoming.kind, !local.isDeleted else { return .idTaken }
      claim(Int(place), followsSource: true)
      note(incoming, as: Int(place))
      return .sameID(Int(place))
    }
    let key = EqualKey(slot: slot, content: incoming.content)
    if let found = firstUnclaimed(key) {
      if incoming.kind == .separator { return .held }
      claim(found, followsSource: false)
      note(incoming, as: found)
      return .sameContent(found)
    }
    return .added(add(incoming, to: slot))
  }

  /// Takes one whose parent never came: it goes where the parent's id is known here, else below "other".
  package mutating func takeOrphan(_ incoming: IncomingBookmark) -> BookmarkDecision {
    var adopted = incoming
    adopted.parent = .other
    guard let parent = local(incoming.parent), locals[parent].kind == .folder else { return take(adopted) }
    arrivals[incoming.parent] = Arrival(local: parent, parent: .other, position: 0, rank: 0, sequence: 0)
    return take(incoming)
  }

  /// Remembers from an earlier run of the same transfer what an incoming one was found to be.
  /// `isOurs`: this transfer brought it and nobody has changed it since.
  package mutating func restore(_ incoming: RecordID, as id: RecordID, parent: RecordID, position: Int, isOurs: Bool) {
    guard let local = local(id) else {
      // The person has deleted it. What was in it goes to "other".
      arrivals[incoming] = Arrival(local: -1, parent: parent, position: position, rank: 0, sequence: 0)
      return
    }
    claim(local, followsSource: isOurs || incoming == id)
    note(
      IncomingBookmark(
        id: incoming, parent: parent, position: position, kind: locals[local].kind, content: locals[local].content),
      as: local)
  }

  /// Adds a folder that no source has: what `rootFolder` names.
  package mutating func addFolder(_ id: RecordID, content: ContentKey, below root: RecordID) -> Int {
    let slot = root.isRoot ? Int(root.low) - 1 : 2
    if let found = firstUnclaimed(EqualKey(slot: slot, content: content)) {
      claim(found, followsSource: false)
      return found
    }
    return append(id, .folder, content, to: slot)
  }

  // MARK: - Changing

  /// Moves a matched one to where its parent at the source is. False, and nothing done, when it is there already or
  /// would come to lie below itself.
  package mutating func move(_ local: Int, toParentOf incoming: IncomingBookmark) -> Bool {
    guard let slot = slot(ofIncoming: incoming.parent), slot != locals[local].slot, !locals[local].isDeleted else {
      return false
    }
    var above = slot
    while above >= 4 {
      if above - 4 == local { return false }
      above = locals[above - 4].slot
    }
    unlink(local)
    locals[local].slot = slot
    locals[local].order = nextOrder(slot)
    locals[local].followsSource = true
    locals[local].occurrence = freeOccurrence(EqualKey(slot: slot, content: locals[local].content))
    link(local)
    touch(incoming)
    return true
  }

  /// Gives a matched one other content. True when it needed another occurrence among its siblings.
  package mutating func change(_ local: Int, to content: ContentKey) -> Bool {
    guard locals[local].content != content else { return false }
    unlink(local)
    locals[local].content = content
    let old = locals[local].occurrence
    locals[local].occurrence = freeOccurrence(EqualKey(slot: locals[local].slot, content: content))
    link(local)
    return locals[local].occurrence != old
  }

  /// It keeps its place, whatever the source says.
  package mutating func keepPlace(_ local: Int) { locals[local].followsSource = false }

  /// Gives one that was just added another id: the one it had is taken after all.
  package mutating func rename(_ local: Int, to id: RecordID) {
    if places[locals[local].id] == Int32(local) { places[locals[local].id] = nil }
    locals[local].id = id
    places[id] = Int32(local)
  }

  /// Takes away what an incoming one was; what is in it moves to where it was.
  package mutating func delete(_ local: Int, incoming: RecordID) {
    arrivals[incoming] = nil
    if places[locals[local].id] == Int32(local) { places[locals[local].id] = nil }
    unlink(local)
    locals[local].isDeleted = true
    for child in children[local + 4] ?? [] {
      let index = Int(child)
      unlink(index)
      locals[index].slot = locals[local].slot
      locals[index].occurrence = freeOccurrence(EqualKey(slot: locals[index].slot, content: locals[index].content))
      link(index)
    }
  }
}
