package import BrowsingData
internal import Merge
internal import SQLite

/// Edits of records as a person or an attached browser makes them: of what is shown. An item that shows several equal
/// records is edited as one. All edits of one `RecordStore.edit` are one transaction and one journal entry.
package final class RecordEdits {
  let store: RecordStore
  let table: RecordTable
  /// What the edits did so far.
  package internal(set) var report = ApplyReport()
  private var replicas: [Int64: RecordID] = [:]
  private var edited: EditedTree?

  init(_ store: RecordStore, entry: Int64, now: Timestamp) {
    self.store = store
    table = RecordTable(store, entry: entry, now: now)
  }

  // MARK: - Bookmarks

  /// The tree as it is now, with all edits made so far.
  package func bookmarks() throws -> ShownBookmarks { ShownBookmarks(try tree(), store) }

  /// Adds bookmarks in a row at an index of a folder (nil: at its end); their own parents and positions mean nothing.
  /// Gives the ids they have: their own, or another where that one is taken. Throws `noSuchRecord` for what is no folder.
  @discardableResult
  package func add(_ bookmarks: [Bookmark], into folder: RecordID, at index: Int? = nil) throws -> [RecordID] {
    try writeRepairs()
    let (orders, rekeyed, target) = try places(bookmarks.count, in: folder, at: index ?? .max)
    for (id, place) in rekeyed { try write(id, [FieldChange(number: FieldNumber.place, value: place.bytes)]) }
    return try add(bookmarks, orders, into: target)
  }

  private func places(
    _ count: Int, in folder: RecordID, at index: Int
  ) throws -> (orders: [OrderKey], rekeyed: Rekeyed, target: RecordID) {
    let tree = try tree()
    guard let placing = tree.placing(count, in: folder, at: index, tag: tag()) else { throw StoreError.noSuchRecord }
    return (placing.orders, rekeyed(placing, tree), try shownID(folder))
  }

  /// `folder` is the first record of what is shown as one.
  func add(_ bookmarks: [Bookmark], _ orders: [OrderKey], into folder: RecordID) throws -> [RecordID] {
    var ids: [RecordID] = []
    for (bookmark, order) in zip(bookmarks, orders) {
      // Several equal ones are several.
      let occurrence =
        bookmark.kind == .separator ? 0 : try takeOccurrence(of: ContentHash.of(bookmark), in: folder)
      var fields = RecordContent.fields(bookmark)
      fields.set(FieldNumber.place, BookmarkPlace(parent: folder, order: order).bytes)
      fields.set(FieldNumber.occurrence, RecordEdits.bytes(occurrence))
      ids.append(try insert(.bookmarks, bookmark.id, fields))
    }
    return ids
  }

  /// Changes an item's content; its place stays. What the closure leaves as it is stays as it is. `seen`: the item as the
  /// author of the change knew it, where that may be older than what is shown: what has changed since then and is changed
  /// now becomes a conflict.
  package func update(
    bookmark id: RecordID, seen: Bookmark? = nil, _ change: (inout Bookmark) -> Void
  ) throws {
    let former = try part(id)
    guard let row = try table.row(former.members[0]) else { throw StoreError.noSuchRecord }
    let list = try table.fields(row)
    let before = RecordContent.bookmark(row.id, list, parent: .other, position: 0)
    var after = before
    change(&after)
    var target = RecordContent.fields(after)
    target.set(FieldNumber.place, list[FieldNumber.place])
    target.set(FieldNumber.occurrence, list[FieldNumber.occurrence])
    let content = ContentHash.of(after)
    if content != former.node.content, after.kind != .separator {
      try giveBackOccurrence(of: former)
      target.set(FieldNumber.occurrence, RecordEdits.bytes(try takeOccurrence(of: content, in: former.folder)))
    }
    let changes = RecordImport.changes(from: list, to: target)
    guard changes.contains(where: { !FieldNumber.isFact($0.number) }) else { return }
    let known = seen.map { RecordContent.fields($0) } ?? list
    let unseen = Set(changes.map(\.number)).filter { number in
      number != FieldNumber.occurrence && !FieldNumber.isFact(number) && known[number] != list[number]
    }
    for member in former.members { try write(member, changes, unseen: unseen) }
    report[.bookmarks].changed += 1
    if !unseen.isEmpty { report[.bookmarks].conflicts += 1 }
  }

  /// Moves an item to an index of a folder (nil: its end); the index counts the folder's other children. Throws
  /// `noSuchRecord` when one of them is not there, or the folder is in the item.
  package func move(bookmark id: RecordID, into folder: RecordID, at index: Int? = nil) throws {
    try move([id], into: folder, at: index ?? .max)
  }

  /// Moves items so that they stand in a row.
  func move(_ ids: [RecordID], into folder: RecordID, at index: Int) throws {
    try writeRepairs()
    let (moves, rekeyed) = try moves(ids, into: folder, at: index)
    for (id, place) in rekeyed { try write(id, [FieldChange(number: FieldNumber.place, value: place.bytes)]) }
    for move in moves { try write(move) }
  }

  private typealias Rekeyed = [(id: RecordID, place: BookmarkPlace)]

  private func moves(
    _ ids: [RecordID], into folder: RecordID, at index: Int
  ) throws -> (moves: [BookmarkMove], rekeyed: Rekeyed) {
    let tree = try tree()
    let items = try ids.map { id in
      guard let item = tree.item(id), !tree.isFolder(folder, within: item) else { throw StoreError.noSuchRecord }
      return item
    }
    guard let placing = tree.placing(ids.count, in: folder, at: index, leavingOut: Set(items), tag: tag()) else {
      throw StoreError.noSuchRecord
    }
    let target = try shownID(folder)
    let moves = try zip(ids, placing.orders).map { id, order in try plan(part(id), into: target, order) }
    return (moves, rekeyed(placing, tree))
  }

  /// The number is taken with the plan: once something is moved the tree must be looked through for it.
  func plan(_ part: Part, into folder: RecordID, _ order: OrderKey) throws -> BookmarkMove {
    var move = BookmarkMove(part: part, folder: folder, order: order, occurrence: 0)
    guard part.node.kind != .separator else { return move }
    try giveBackOccurrence(of: part)
    move.occurrence = try takeOccurrence(of: part.node.content, in: folder)
    return move
  }

  func write(_ move: BookmarkMove) throws {
    let place = BookmarkPlace(parent: move.folder, order: move.order, previousParent: move.part.folder)
    var changes = [FieldChange(number: FieldNumber.place, value: place.bytes)]
    if move.occurrence != move.part.node.occurrence {
      changes.append(FieldChange(number: FieldNumber.occurrence, value: RecordEdits.bytes(move.occurrence)))
    }
    for member in move.part.members { try write(member, changes) }
    report[.bookmarks].changed += 1
  }

  /// Deletes an item, of a folder with everything that is shown in it.
  package func delete(bookmark id: RecordID) throws { try delete(bookmarks: [id]) }

  /// Deletes items, of a folder with everything that is shown in it.
  package func delete(bookmarks ids: [RecordID]) throws {
    try writeRepairs()
    let tree = try tree()
    var seen: Set<Int> = []
    for id in ids {
      // What goes with its folder is gone already.
      guard let item = tree.item(id) else { throw StoreError.noSuchRecord }
      for one in tree.whole(item) where seen.insert(one).inserted {
        for member in tree.members(one) { try delete(member) }
        report[.bookmarks].removed += 1
      }
    }
  }

  // MARK: - Other kinds

  /// A record as it is shown; nil when there is none, or it is deleted.
  package func record(_ type: DataType, _ id: RecordID) throws -> Record? {
    guard let row = try table.row(id), row.type == type, row.body != nil else { return nil }
    return Record(type, id, try table.fields(row))
  }

  /// Adds a record of a kind that has no places. Gives the id it has: its own, or another where that one is taken.
  @discardableResult
  package func add(_ record: Record) throws -> RecordID {
    guard let id = record.id, let fields = record.storedFields else { throw StoreError.noSuchRecord }
    return try insert(record.type, id, fields)
  }

  /// Changes a record; what the closure leaves as it is stays as it is. A change of nothing but times and counts of use is
  /// none: looking at a record on one device must not bring it back where it was deleted.
  package func update(_ type: DataType, _ id: RecordID, _ change: (inout Record) -> Void) throws {
    guard type != .bookmarks, var record = try record(type, id), let row = try table.row(id) else {
      throw StoreError.noSuchRecord
    }
    change(&record)
    guard let target = record.storedFields else { throw StoreError.noSuchRecord }
    let changes = RecordImport.changes(from: try table.fields(row), to: target)
    guard changes.contains(where: { !FieldNumber.isFact($0.number) }) else { return }
    try table.update(row, changes)
    report[type].changed += 1
  }

  /// Deletes a record of a kind that has no places.
  package func delete(_ type: DataType, _ id: RecordID) throws {
    guard type != .bookmarks, let row = try table.row(id), row.type == type, row.body != nil else {
      throw StoreError.noSuchRecord
    }
    try table.delete(row)
    report[type].removed += 1
  }

  // MARK: - Records of the tree

  /// An item as it was before an edit.
  struct Part {
    var members: [RecordID]
    /// The first member.
    var node: BookmarkNode
    /// The root or folder it is in.
    var folder: RecordID
  }

  /// Throws `noSuchRecord` when nothing shows the record.
  func part(_ id: RecordID) throws -> Part {
    let tree = try tree()
    guard let item = tree.item(id) else { throw StoreError.noSuchRecord }
    return Part(members: tree.members(item), node: tree.node(item), folder: tree.view.items[item].parentID)
  }

  /// The tree as it is now. Whoever keeps it while it is edited makes each edit copy it.
  func tree() throws -> BookmarkTree {
    try load()
    // Never nil after that.
    return edited?.tree() ?? BookmarkTree([])
  }

  /// Where bookmarks may be added without looking through the whole tree anew.
  func ground(in folder: RecordID) throws -> EditedTree.Ground {
    try load()
    if let ground = edited?.ground(in: folder) { return ground }
    try writeRepairs()
    return .tree(try tree())
  }

  private func load() throws {
    guard edited == nil else { return }
    replicas = try store.replicaIDs()
    let records = try store.bookmarkRecords()
    edited = EditedTree(records.nodes, graves: records.graves)
  }

  func takeOccurrence(of content: ContentKey, in folder: RecordID) throws -> Int {
    try load()
    return edited?.takeOccurrence(of: content, in: folder) ?? 0
  }

  func giveBackOccurrence(of part: Part) throws {
    guard part.node.kind != .separator else { return }
    try load()
    edited?.giveBackOccurrence(part.node.occurrence, of: part.node.content, in: part.folder)
  }

  /// The id of the folder's first record: what is put into the folder is put there.
  func shownID(_ folder: RecordID) throws -> RecordID {
    guard let id = try tree().firstID(of: folder) else { throw StoreError.noSuchRecord }
    return id
  }

  func writeRepairs() throws {
    let tree = try tree()
    for repair in tree.repairs {
      let node = tree.view.nodes[repair.node]
      let place = BookmarkPlace(parent: repair.parent, order: node.order)
      try write(node.id, [FieldChange(number: FieldNumber.place, value: place.bytes)])
    }
  }

  private func rekeyed(_ placing: BookmarkTree.Placing, _ tree: BookmarkTree) -> Rekeyed {
    placing.rekeyed.map { index, order in
      let node = tree.view.nodes[index]
      return (node.id, BookmarkPlace(parent: node.parent, order: order, previousParent: node.previousParent))
    }
  }

  private func insert(_ type: DataType, _ wished: RecordID, _ fields: FieldList) throws -> RecordID {
    var id = wished
    var number = 0
    while try id.isRoot || !table.insert(type, id, fields, isKnownNew: false) {
      number += 1
      id = ContentHash.another(wished, number)
    }
    if type == .bookmarks { try reread(id) }
    report[type].added += 1
    return id
  }

  func write(_ id: RecordID, _ changes: [FieldChange], unseen: Set<UInt64> = []) throws {
    guard let row = try table.row(id), row.body != nil else { throw StoreError.corrupt }
    try table.update(row, changes, unseen: unseen)
    try reread(id)
  }

  private func delete(_ id: RecordID) throws {
    guard let row = try table.row(id), row.body != nil else { throw StoreError.corrupt }
    try table.delete(row)
    try reread(id)
  }

  /// The record as it is now, in memory, too.
  private func reread(_ id: RecordID) throws {
    guard edited != nil, let row = try table.row(id) else { return }
    guard let body = row.body else {
      edited?.remove(id, grave: row.grave.flatMap { GraveCodec.parent($0) })
      return
    }
    if replicas.values.contains(store.replica) == false { replicas = try store.replicaIDs() }
    edited?.put(try RecordStore.bookmarkNode(id, body, replicas))
  }

  /// Tells the keys of this store's edits from those of others.
  func tag() -> UInt32 {
    UInt32(
      truncatingIfNeeded: ContentHash.another(store.replica, Int(truncatingIfNeeded: store.lastSequence)).low)
  }

  static func bytes(_ occurrence: Int) -> [UInt8]? {
    occurrence == 0 ? nil : FieldList.bigEndian(UInt64(occurrence))
  }
}

extension RecordStore {
  /// Edits records as one transaction and one journal entry, which `undo` takes back; without an edit there is no entry.
  /// Gives what the edits did.
  @discardableResult
  package func edit(
    _ kind: JournalEntry.Kind = .edit, label: String, now: Timestamp = WallClock.now,
    _ body: (RecordEdits) throws -> Void
  ) throws -> ApplyReport {
    try writing {
      let entry = try beginEntry(kind, label: label, token: nil, at: now)
      let start = lastSequence
      let edits = RecordEdits(self, entry: entry, now: now)
      try body(edits)
      guard lastSequence > start else {
        let delete = try statement("DELETE FROM journal WHERE entry = ?1")
        try delete.bind(1, entry)
        try delete.run()
        return edits.report
      }
      for type in edits.report.types.keys {
        edits.report[type].found =
          edits.report[type].added + edits.report[type].changed + edits.report[type].removed
      }
      try updateEntry(entry, edits.report, isDone: true)
      return edits.report
    }
  }
}

extension Record {
  /// Its fields as they are stored, in clear; nil for a bookmark, which has a place, and a visit.
  var storedFields: FieldList? {
    switch self {
    case .bookmark, .historyVisit: nil
    case .readingListItem(let one): RecordContent.fields(one)
    case .browserExtension(let one): RecordContent.fields(one)
    case .login(let one): RecordContent.fields(one)
    case .paymentCard(let one): RecordContent.fields(one)
    }
  }
}
