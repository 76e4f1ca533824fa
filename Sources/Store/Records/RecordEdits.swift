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
  private var nodes: [BookmarkNode] = []
  private var places: [RecordID: Int] = [:]
  private var graves: [RecordID: RecordID] = [:]
  private var replicas: [Int64: RecordID] = [:]
  private var isLoaded = false
  private var known: BookmarkTree?

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
    guard let placing = try tree().placing(bookmarks.count, in: folder, at: index ?? .max, tag: tag()) else {
      throw StoreError.noSuchRecord
    }
    try rekey(placing)
    let target = try shownID(folder)
    let tree = try tree()
    var used: [ContentKey: Set<Int>] = [:]
    var ids: [RecordID] = []
    for (bookmark, order) in zip(bookmarks, placing.orders) {
      let content = ContentHash.of(bookmark)
      var occurrence = 0
      if bookmark.kind != .separator {
        // Several equal ones of one call are several.
        occurrence = BookmarkTree.free(used[content] ?? tree.occurrences(of: content, in: folder))
        used[content, default: tree.occurrences(of: content, in: folder)].insert(occurrence)
      }
      var fields = RecordContent.fields(bookmark)
      fields.set(FieldNumber.place, BookmarkPlace(parent: target, order: order).bytes)
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
    let tree = try tree()
    guard let item = tree.item(id), let row = try table.row(tree.node(item).id) else { throw StoreError.noSuchRecord }
    let list = try table.fields(row)
    let before = RecordContent.bookmark(row.id, list, parent: .other, position: 0)
    var after = before
    change(&after)
    var target = RecordContent.fields(after)
    target.set(FieldNumber.place, list[FieldNumber.place])
    target.set(FieldNumber.occurrence, list[FieldNumber.occurrence])
    let content = ContentHash.of(after)
    if content != tree.node(item).content, after.kind != .separator {
      let folder = tree.view.items[item].parentID
      let occurrence = tree.freeOccurrence(of: content, in: folder, except: item)
      target.set(FieldNumber.occurrence, RecordEdits.bytes(occurrence))
    }
    let changes = RecordImport.changes(from: list, to: target)
    guard changes.contains(where: { !FieldNumber.isFact($0.number) }) else { return }
    let known = seen.map { RecordContent.fields($0) } ?? list
    let unseen = Set(changes.map(\.number)).filter { number in
      number != FieldNumber.occurrence && !FieldNumber.isFact(number) && known[number] != list[number]
    }
    for member in tree.members(item) { try write(member, changes, unseen: unseen) }
    report[.bookmarks].changed += 1
    if !unseen.isEmpty { report[.bookmarks].conflicts += 1 }
  }

  /// Moves an item to an index of a folder (nil: its end); the index counts the folder's other children. Throws
  /// `noSuchRecord` when one of them is not there, or the folder is in the item.
  package func move(bookmark id: RecordID, into folder: RecordID, at index: Int? = nil) throws {
    try writeRepairs()
    let before = try tree()
    guard let item = before.item(id), !before.isFolder(folder, within: item),
      let placing = before.placing(1, in: folder, at: index ?? .max, except: item, tag: tag()),
      let order = placing.orders.first
    else { throw StoreError.noSuchRecord }
    let node = before.node(item)
    let former = before.view.items[item].parentID
    let members = before.members(item)
    let occurrence =
      node.kind == .separator ? 0 : before.freeOccurrence(of: node.content, in: folder, except: item)
    let target = try shownID(folder)
    try rekey(placing)
    for member in members {
      let place = BookmarkPlace(parent: target, order: order, previousParent: former)
      var changes = [FieldChange(number: FieldNumber.place, value: place.bytes)]
      if occurrence != node.occurrence {
        changes.append(FieldChange(number: FieldNumber.occurrence, value: RecordEdits.bytes(occurrence)))
      }
      try write(member, changes)
    }
    report[.bookmarks].changed += 1
  }

  /// Deletes an item, of a folder with everything that is shown in it.
  package func delete(bookmark id: RecordID) throws {
    try writeRepairs()
    let tree = try tree()
    guard let item = tree.item(id) else { throw StoreError.noSuchRecord }
    for one in tree.whole(item) {
      for member in tree.members(one) { try delete(member) }
      report[.bookmarks].removed += 1
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

  private func tree() throws -> BookmarkTree {
    if !isLoaded {
      replicas = try store.replicaIDs()
      let records = try store.bookmarkRecords()
      nodes = records.nodes
      graves = records.graves
      for (index, node) in nodes.enumerated() { places[node.id] = index }
      isLoaded = true
    }
    if let known { return known }
    let made = BookmarkTree(nodes, graves: graves)
    known = made
    return made
  }

  /// The id of the folder's first record: what is put into the folder is put there.
  private func shownID(_ folder: RecordID) throws -> RecordID {
    if folder.isRoot { return folder }
    let tree = try tree()
    guard let item = tree.item(folder) else { throw StoreError.noSuchRecord }
    return tree.node(item).id
  }

  private func writeRepairs() throws {
    let tree = try tree()
    for repair in tree.repairs {
      let node = tree.view.nodes[repair.node]
      let place = BookmarkPlace(parent: repair.parent, order: node.order)
      try write(node.id, [FieldChange(number: FieldNumber.place, value: place.bytes)])
    }
  }

  private func rekey(_ placing: BookmarkTree.Placing) throws {
    guard !placing.rekeyed.isEmpty else { return }
    let nodes = try tree().view.nodes
    for (node, order) in placing.rekeyed {
      let one = nodes[node]
      let place = BookmarkPlace(parent: one.parent, order: order, previousParent: one.previousParent)
      try write(one.id, [FieldChange(number: FieldNumber.place, value: place.bytes)])
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

  private func write(_ id: RecordID, _ changes: [FieldChange], unseen: Set<UInt64> = []) throws {
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
    known = nil
    guard isLoaded, let row = try table.row(id) else { return }
    guard let body = row.body else {
      if let place = places.removeValue(forKey: id) {
        nodes.swapAt(place, nodes.count - 1)
        nodes.removeLast()
        if place < nodes.count { places[nodes[place].id] = place }
      }
      graves[id] = row.grave.flatMap { GraveCodec.parent($0) }
      return
    }
    if replicas.values.contains(store.replica) == false { replicas = try store.replicaIDs() }
    let node = try RecordStore.bookmarkNode(id, body, replicas)
    if let place = places[id] {
      nodes[place] = node
    } else {
      places[id] = nodes.count
      nodes.append(node)
    }
  }

  /// Tells the keys of this store's edits from those of others.
  private func tag() -> UInt32 {
    UInt32(
      truncatingIfNeeded: ContentHash.another(store.replica, Int(truncatingIfNeeded: store.lastSequence)).low)
  }

  private static func bytes(_ occurrence: Int) -> [UInt8]? {
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
