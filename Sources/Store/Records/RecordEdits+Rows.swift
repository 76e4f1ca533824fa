package import BrowsingData
internal import Merge

/// Bookmarks that are to stand in a row in a folder.
package struct BookmarkRow<Element> {
  /// The root or folder.
  package var folder: RecordID
  /// The folder's item that they come right behind, which is not moved itself; nil: they come first.
  package var behind: RecordID?
  /// In their order.
  package var elements: [Element]

  /// From its parts.
  package init(in folder: RecordID, behind: RecordID?, _ elements: [Element]) {
    self.folder = folder
    self.behind = behind
    self.elements = elements
  }
}

/// Many edits at once, without looking through the whole tree for each.
extension RecordEdits {
  /// Adds rows of bookmarks, all to one folder; their own parents and positions mean nothing. Gives the ids of each row:
  /// their own, or another where that one is taken. Throws `noSuchRecord` for what is no folder or not in it.
  package func add(rows: [BookmarkRow<Bookmark>]) throws -> [[RecordID]] {
    var found: [[RecordID]] = []
    let (all, folder) = try orders(for: rows)
    for (row, orders) in zip(rows, all) {
      if let orders {
        found.append(try add(row.elements, orders, into: folder))
      } else {
        // Others need other keys for it.
        let index = try place(behind: row.behind, in: row.folder, leavingOut: [])
        found.append(try add(row.elements, into: row.folder, at: index))
      }
    }
    return found
  }

  /// Nil for a row that there is no room for; and the folder's first record.
  private func orders(for rows: [BookmarkRow<Bookmark>]) throws -> (orders: [[OrderKey]?], folder: RecordID) {
    guard let folder = rows.first?.folder else { return ([], .other) }
    precondition(rows.allSatisfy { $0.folder == folder }, "all rows are for one folder")
    switch try ground(in: folder) {
    case .empty:
      // Nothing is there yet, so there is one row at most.
      return (rows.map { OrderKeys.spread($0.elements.count, nil, nil, tag: tag()) }, folder)
    case .tree(let tree):
      guard let first = tree.firstID(of: folder), tree.children(of: first) != nil else { throw StoreError.noSuchRecord }
      let orders = try rows.map { row in
        tree.orders(
          row.elements.count, in: first, behind: try tree.item(of: row.behind), leavingOut: [], tag: tag())
      }
      return (orders, first)
    }
  }

  /// Moves rows of items. None of them may be a folder that comes into itself, and each may be named once. Throws
  /// `noSuchRecord` when something is not there.
  package func move(rows: [BookmarkRow<RecordID>]) throws {
    try writeRepairs()
    let (moves, late) = try moves(rows)
    for move in moves { try write(move) }
    for row in late {
      // Others need other keys for it.
      let items = Set(row.elements)
      let index = try place(behind: row.behind, in: row.folder, leavingOut: items)
      try move(row.elements, into: row.folder, at: index)
    }
  }

  private func moves(
    _ rows: [BookmarkRow<RecordID>]
  ) throws -> (moves: [BookmarkMove], late: [BookmarkRow<RecordID>]) {
    let tree = try tree()
    var moving: Set<Int> = []
    for id in rows.lazy.flatMap(\.elements) {
      guard let item = tree.item(id) else { throw StoreError.noSuchRecord }
      moving.insert(item)
    }
    var moves: [BookmarkMove] = []
    var late: [BookmarkRow<RecordID>] = []
    for row in rows {
      let target = try shownID(row.folder)
      guard tree.children(of: target) != nil,
        !row.elements.contains(where: { tree.item($0).map { tree.isFolder(target, within: $0) } ?? true })
      else { throw StoreError.noSuchRecord }
      let behind = try tree.item(of: row.behind)
      let orders = tree.orders(row.elements.count, in: target, behind: behind, leavingOut: moving, tag: tag())
      guard let orders else {
        late.append(row)
        continue
      }
      for (id, order) in zip(row.elements, orders) { moves.append(try plan(part(id), into: target, order)) }
    }
    return (moves, late)
  }

  private func place(behind: RecordID?, in folder: RecordID, leavingOut moving: Set<RecordID>) throws -> Int {
    guard let behind else { return 0 }
    let tree = try tree()
    guard let children = tree.children(of: folder), let last = tree.item(behind), children.contains(last) else {
      throw StoreError.noSuchRecord
    }
    let others = Set(moving.compactMap { tree.item($0) })
    return children.prefix { $0 <= last }.count { !others.contains($0) }
  }
}

/// An item that gets another place.
struct BookmarkMove {
  var part: RecordEdits.Part
  /// The folder's first record.
  var folder: RecordID
  var order: OrderKey
  var occurrence: Int
}

extension BookmarkTree {
  /// The item that shows a record, of which there may be none to look for. Throws `noSuchRecord` when nothing shows it.
  fileprivate func item(of id: RecordID?) throws(StoreError) -> Int? {
    guard let id else { return nil }
    guard let found = item(id) else { throw .noSuchRecord }
    return found
  }
}
