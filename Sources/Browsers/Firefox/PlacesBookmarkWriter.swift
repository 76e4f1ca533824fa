internal import BrowsingData
internal import SQLite

/// Carries out edits of bookmarks in places.sqlite, as Firefox's own functions would: positions without gaps, tags as
/// folders, what Sync must know.
final class PlacesBookmarkWriter {
  private let places: PlacesFile
  private let tags: PlacesTags
  private var rows: [String: Row] = [:]
  /// Folders whose children change: they are numbered anew and marked as changed.
  private var touched: Set<Int64> = []
  private var nextPositions: [Int64: Int64] = [:]
  /// Pages that lost a bookmark.
  private var left: Set<Int64> = []
  private var result = EditResult()

  private struct Row {
    var id: Int64
    var kind: Int64
    var page: Int64?
    var parent: Int64
    var syncStatus: Int64
  }

  /// The four roots.
  static let roots: [(guid: String, id: RecordID)] = [
    ("toolbar_____", .toolbar), ("menu________", .menu), ("unfiled_____", .other), ("mobile______", .mobile),
  ]

  /// In the transaction that is open.
  init(_ places: PlacesFile) throws {
    self.places = places
    tags = try PlacesTags(places)
    let read = try places.statement("SELECT guid, id, type, fk, parent, syncStatus FROM moz_bookmarks")
    while try read.step() {
      guard let guid = read.text(0) else { continue }
      rows[guid] = Row(
        id: read.int64(1), kind: read.int64(2), page: read.optionalInt64(3), parent: read.int64(4),
        syncStatus: read.int64(5))
    }
  }

  /// Carries them out; what could not be is in the result.
  func apply(_ edits: BookmarkEdits) throws -> EditResult {
    for insertion in edits.insertions { try insert(insertion) }
    for update in edits.updates { try self.update(update) }
    for (id, folder) in edits.moves.sorted(by: { $0.key < $1.key }) { try move(id, to: folder) }
    for id in edits.removals.sorted() { try remove(id) }
    var orders: [Int64: [String]] = [:]
    for (folder, order) in edits.order {
      guard let row = row(of: folder) else { continue }
      orders[row] = order
      touched.insert(row)
    }
    for folder in touched.sorted() { try number(folder, orders[folder] ?? []) }
    for page in left.sorted() { try places.removeIfFree(page) }
    return result
  }

  // MARK: - One item

  private func insert(_ insertion: BookmarkEdits.Insertion) throws {
    let (guid, bookmark) = (insertion.held.foreignID, insertion.held.item)
    guard let parent = row(of: insertion.folder) else { return refuse(guid, "its folder is not there") }
    guard rows[guid] == nil else { return refuse(guid, "its id is taken") }
    var page: Int64?
    if bookmark.kind == .bookmark {
      guard let url = bookmark.url else { return refuse(guid, "it has no address") }
      page = try places.page(url)
    }
    let added = milliseconds(bookmark.dateAdded) ?? places.now
    let modified = max(added, milliseconds(bookmark.dateModified) ?? added)
    let title = bookmark.kind == .separator ? "" : bookmark.title
    try places.run(
      """
      INSERT INTO moz_bookmarks(type, fk, parent, position, title, dateAdded, lastModified, guid, syncStatus,
        syncChangeCounter) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 1, 1)
      """, .number(Int64(bookmark.kind.placesType)), .number(page), .number(parent),
      .number(try nextPosition(parent)), .text(title), .number(added), .number(modified), .text(guid))
    let id = places.database.lastInsertedRow
    rows[guid] = Row(id: id, kind: bookmark.kind.placesType, page: page, parent: parent, syncStatus: 1)
    touched.insert(parent)
    guard let page else { return }
    try places.hold(page, by: 1)
    try tags.add(bookmark.tags, to: page, except: id)
    if let keyword = bookmark.keyword { try addKeyword(keyword, bookmark.postData, to: page) }
  }

  private func update(_ held: Held<Bookmark>) throws {
    guard let row = rows[held.foreignID] else { return refuse(held.foreignID, "it is no longer there") }
    let bookmark = held.item
    var page = row.page
    if row.kind == 1, let url = bookmark.url {
      let target = try places.page(url)
      if target != row.page { page = target }
    }
    let title = row.kind == 3 ? "" : bookmark.title
    let known = try contents(row.id)
    let hasChanged =
      known.title != title || known.page != page
      || (bookmark.dateAdded != nil && known.added != milliseconds(bookmark.dateAdded))
    if hasChanged {
      try places.run(
        """
        UPDATE moz_bookmarks SET title = ?2, fk = ?3, dateAdded = ifnull(?4, dateAdded),
          lastModified = max(ifnull(?5, ?6), ifnull(?4, dateAdded)), syncChangeCounter = syncChangeCounter + 1
        WHERE id = ?1
        """, .number(row.id), .text(title), .number(page), .number(milliseconds(bookmark.dateAdded)),
        .number(milliseconds(bookmark.dateModified)), .number(places.now))
    }
    guard row.kind == 1, let page else { return }
    if page != row.page {
      try places.hold(page, by: 1)
      if let old = row.page { try letGo(old) }
      rows[held.foreignID]?.page = page
    }
    try tags.set(bookmark.tags, of: page)
    try setKeyword(bookmark.keyword, bookmark.postData, of: page)
  }

  /// What stands in a row; half a character in a title is read as the reader reads it.
  private func contents(_ row: Int64) throws -> (title: String, page: Int64?, added: Int64) {
    let read = try places.statement("SELECT title, fk, dateAdded FROM moz_bookmarks WHERE id = ?1")
    try read.bind(1, row)
    defer { read.reset() }
    guard try read.step() else { return ("", nil, 0) }
    let title = read.withText(0) { $0.map { RepairedText.string($0) } } ?? ""
    return (title, read.optionalInt64(1), read.int64(2))
  }

  private func move(_ guid: String, to folder: HeldFolder) throws {
    guard let row = rows[guid] else { return refuse(guid, "it is no longer there") }
    guard let parent = self.row(of: folder) else { return refuse(guid, "its folder is not there") }
    guard try !isBelow(parent, row.id) else { return refuse(guid, "it would come to lie below itself") }
    try places.run(
      """
      UPDATE moz_bookmarks SET parent = ?2, position = ?3, lastModified = ?4, syncChangeCounter = syncChangeCounter + 1
      WHERE id = ?1
      """, .number(row.id), .number(parent), .number(try nextPosition(parent)), .number(places.now))
    touched.insert(row.parent)
    touched.insert(parent)
    rows[guid]?.parent = parent
  }

  private func remove(_ guid: String) throws {
    guard let row = rows[guid] else { return }
    guard !PlacesBookmarkWriter.isRoot(guid) else { return refuse(guid, "a root cannot go") }
    try places.run("DELETE FROM moz_bookmarks WHERE id = ?1", .number(row.id))
    if row.syncStatus == 2 {
      // Sync must tell other devices.
      try places.run(
        "INSERT OR IGNORE INTO moz_bookmarks_deleted(guid, dateRemoved) VALUES (?1, ?2)", .text(guid),
        .number(places.now))
    }
    touched.insert(row.parent)
    touched.remove(row.id)
    rows[guid] = nil
    if let page = row.page { try letGo(page) }
  }

  /// A bookmark no longer holds a page; tags and keywords go with the last one.
  private func letGo(_ page: Int64) throws {
    try places.hold(page, by: -1)
    left.insert(page)
    let isHeld = try places.number(
      "SELECT 1 FROM moz_bookmarks b WHERE b.fk = ?1 AND NOT EXISTS (SELECT 1 FROM moz_bookmarks t, moz_bookmarks r "
        + "WHERE t.id = b.parent AND r.id = t.parent AND r.guid = 'tags________')", .number(page))
    guard isHeld == nil else { return }
    try tags.set([], of: page)
    try setKeyword(nil, nil, of: page)
  }

  // MARK: - Folders

  private func row(of folder: HeldFolder) -> Int64? {
    switch folder {
    case .root(let id):
      let guid = PlacesBookmarkWriter.roots.first { $0.id == id }?.guid
      return guid.flatMap { rows[$0]?.id }
    case .item(let guid):
      guard let row = rows[guid], row.kind == 2 else { return nil }
      return row.id
    }
  }

  private static func isRoot(_ guid: String) -> Bool {
    roots.contains { $0.guid == guid } || guid == "root________" || guid == "tags________"
  }

  private func isBelow(_ folder: Int64, _ ancestor: Int64) throws -> Bool {
    var next = folder
    for _ in 0...rows.count {
      if next == ancestor { return true }
      guard let parent = try places.number("SELECT parent FROM moz_bookmarks WHERE id = ?1", .number(next)),
        parent != 0
      else { return false }
      next = parent
    }
    return true
  }

  private func nextPosition(_ folder: Int64) throws -> Int64 {
    let next: Int64
    if let known = nextPositions[folder] {
      next = known
    } else {
      next =
        try places.number(
          "SELECT ifnull(max(position), -1) + 1 FROM moz_bookmarks WHERE parent = ?1", .number(folder)) ?? 0
    }
    nextPositions[folder] = next + 1
    return next
  }

  /// Numbers the children of a folder without gaps, those of `order` first, and marks it as changed.
  private func number(_ folder: Int64, _ order: [String]) throws {
    var places: [(id: Int64, rank: Int, position: Int64)] = []
    var ranks: [String: Int] = [:]
    for (rank, guid) in order.enumerated() where ranks[guid] == nil { ranks[guid] = rank }
    let read = try self.places.statement(
      "SELECT id, guid, position FROM moz_bookmarks WHERE parent = ?1 ORDER BY position, id")
    try read.bind(1, folder)
    while try read.step() {
      places.append((read.int64(0), read.text(1).flatMap { ranks[$0] } ?? Int.max, read.int64(2)))
    }
    let sorted = places.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
    for (position, child) in sorted.map(\.element).enumerated() where child.position != Int64(position) {
      try self.places.run(
        "UPDATE moz_bookmarks SET position = ?2 WHERE id = ?1", .number(child.id), .number(Int64(position)))
    }
    try self.places.run(
      """
      UPDATE moz_bookmarks SET lastModified = max(lastModified, ?2), syncChangeCounter = syncChangeCounter + 1
      WHERE id = ?1
      """, .number(folder), .number(self.places.now))
  }

  // MARK: - Keywords

  /// Gives a page a keyword; one that it has stays.
  private func addKeyword(_ keyword: String, _ postData: String?, to page: Int64) throws {
    let other = try places.number(
      "SELECT 1 FROM moz_keywords WHERE place_id = ?1 AND keyword <> ?2", .number(page), .text(keyword))
    guard other == nil else { return lose(FieldLoss("keyword", "the page has another keyword in the profile")) }
    try setKeyword(keyword, postData, of: page)
  }

  private func setKeyword(_ keyword: String?, _ postData: String?, of page: Int64) throws {
    let known = try places.number(
      "SELECT id FROM moz_keywords WHERE place_id = ?1 ORDER BY id LIMIT 1", .number(page))
    if let keyword, let known {
      let isEqual =
        try places.number(
          "SELECT 1 FROM moz_keywords WHERE id = ?1 AND keyword = ?2 AND ifnull(post_data, '') = ?3", .number(known),
          .text(keyword), .text(postData ?? "")) != nil
      if isEqual { return }
    }
    if keyword == nil, known == nil { return }
    if let keyword {
      let owner = try places.number("SELECT place_id FROM moz_keywords WHERE keyword = ?1", .text(keyword))
      guard owner == nil || owner == page else {
        return lose(FieldLoss("keyword", "another page of the profile has this keyword"))
      }
    }
    if let known {
      try places.run("DELETE FROM moz_keywords WHERE id = ?1", .number(known))
      try places.hold(page, by: -1)
    }
    if let keyword {
      try places.run(
        "DELETE FROM moz_keywords WHERE place_id = ?1 AND post_data = ?2", .number(page), .text(postData ?? ""))
      if places.database.changes > 0 { try places.hold(page, by: -places.database.changes) }
      try places.run("DELETE FROM moz_keywords WHERE keyword = ?1", .text(keyword))
      if places.database.changes > 0 { try places.hold(page, by: -places.database.changes) }
      try places.run(
        "INSERT INTO moz_keywords(keyword, place_id, post_data) VALUES (?1, ?2, ?3)", .text(keyword), .number(page),
        .text(postData ?? ""))
      try places.hold(page, by: 1)
    }
    try places.run(
      "UPDATE moz_bookmarks SET syncChangeCounter = syncChangeCounter + 1 WHERE fk = ?1 AND syncStatus = 2",
      .number(page))
  }

  private func refuse(_ guid: String, _ reason: String) { result.refused[guid] = reason }
  private func lose(_ loss: FieldLoss) { result.losses[loss, default: 0] += 1 }

  private func milliseconds(_ time: Timestamp?) -> Int64? { time.map { $0.microseconds / 1_000 * 1_000 } }
}

extension Bookmark.Kind {
  /// Firefox's number of it.
  var placesType: Int64 {
    switch self {
    case .bookmark: 1
    case .folder: 2
    case .separator: 3
    }
  }
}
