internal import BrowsingData
internal import Crypto

/// Reads the bookmark tree of places.sqlite, depth first. Tags, keywords, character sets and descriptions,
/// which belong to the page or stand in tables of their own, come with each bookmark.
struct PlacesBookmarks {
  private let database: ProfileDatabase
  private let annotations: PlacesAnnotations
  private let profile: String?
  private let application: Application
  private let childRows: ProfileRows
  private var batch: [Bookmark] = []
  private var remarks: [Remark] = []
  private var given: Set<RecordID> = []
  private var walked: Set<Int64> = []
  private var met = 0

  private static let batchSize = 1_000
  private static let columns = "b.id, b.type, b.title, b.dateAdded, b.lastModified, b.guid, b.fk, p.url"
  private static let tables = "moz_bookmarks b LEFT JOIN moz_places p ON p.id = b.fk"
  private static let roots: [(guid: String, id: RecordID)] = [
    ("toolbar_____", .toolbar), ("menu________", .menu), ("unfiled_____", .other), ("mobile______", .mobile),
  ]
  private static let rootGUIDs =
    "('root________','menu________','toolbar_____','tags________','unfiled_____','mobile______')"

  /// Over an open database; `profile` is nil for the default one.
  init(_ database: ProfileDatabase, profile: String?, application: Application) throws(ProfileError) {
    self.database = database
    self.profile = profile
    self.application = application
    annotations = try PlacesAnnotations(database)
    childRows = try database.rows(
      """
      SELECT \(PlacesBookmarks.columns) FROM \(PlacesBookmarks.tables)
      WHERE b.parent = ?1 ORDER BY b.position, b.id
      """)
  }

  /// How many bookmarks, folders and separators there are, without roots and tags.
  static func count(_ database: ProfileDatabase) throws(ProfileError) -> Int {
    let number = try database.number(
      """
      SELECT count(*) FROM moz_bookmarks WHERE ifnull(guid, '') NOT IN \(rootGUIDs) AND ifnull(parent, 0) NOT IN (
        SELECT id FROM moz_bookmarks WHERE guid = 'tags________' OR parent IN (
          SELECT id FROM moz_bookmarks WHERE guid = 'tags________'))
      """)
    return Int(number)
  }

  /// Hands over the whole tree.
  mutating func read(into consume: (RecordBatch) throws -> Void) throws {
    let rootRows = try database.rows("SELECT id, guid FROM moz_bookmarks WHERE guid IN \(PlacesBookmarks.rootGUIDs)")
    var rowOfRoot: [String: Int64] = [:]
    while try rootRows.next() {
      rowOfRoot[rootRows.text(1) ?? ""] = rootRows.int64(0)
      walked.insert(rootRows.int64(0))
    }
    for root in PlacesBookmarks.roots {
      var children: [Row] = []
      if let row = rowOfRoot[root.guid] { children = try self.children(of: row) }
      if root.id == .other { children += try strays(root: rowOfRoot["root________"]) }
      try walk(children, under: root.id, consume)
    }
    if !batch.isEmpty { try consume(.bookmarks(batch)) }
    let unmet = try PlacesBookmarks.count(database) - met
    if unmet > 0 {
      let reason = "\(unmet) items lie in folders that lead to no root"
      remarks.append(Remark(.skipped, type: .bookmarks, reason: reason))
    }
    if !remarks.isEmpty { try consume(.remarks(remarks)) }
  }

  private struct Row {
    var id: Int64
    var type: Int64
    var title: String
    var added: Int64
    var modified: Int64
    var guid: String
    var page: Int64?
    var url: String?
    var isStray = false

    init(_ rows: ProfileRows) {
      id = rows.int64(0)
      type = rows.int64(1)
      title = rows.text(2) ?? ""
      added = rows.int64(3)
      modified = rows.int64(4)
      guid = rows.text(5) ?? ""
      page = rows.optionalInt64(6)
      url = rows.text(7)
    }
  }

  private func children(of folder: Int64) throws(ProfileError) -> [Row] {
    try childRows.restart(with: folder)
    var result: [Row] = []
    while try childRows.next() { result.append(Row(childRows)) }
    return result
  }

  /// What hangs below no folder, or directly below the root of all: Firefox shows such items under "Other bookmarks"
  /// once it has mended its database.
  private func strays(root: Int64?) throws(ProfileError) -> [Row] {
    let rows = try database.rows(
      """
      SELECT \(PlacesBookmarks.columns) FROM \(PlacesBookmarks.tables)
      WHERE (b.guid IS NULL OR b.guid NOT IN \(PlacesBookmarks.rootGUIDs)) AND (b.parent IS NULL OR b.parent = \(root ?? -1)
        OR b.parent NOT IN (SELECT id FROM moz_bookmarks WHERE type = 2)) ORDER BY b.parent, b.position, b.id
      """)
    var result: [Row] = []
    while try rows.next() {
      var row = Row(rows)
      row.isStray = true
      result.append(row)
    }
    return result
  }

  private mutating func walk(
    _ children: [Row], under root: RecordID, _ consume: (RecordBatch) throws -> Void
  ) throws {
    var levels = [(rows: children, next: 0, parent: root, rank: 0)]
    while let level = levels.last {
      let top = levels.count - 1
      guard level.next < level.rows.count else {
        levels.removeLast()
        continue
      }
      levels[top].next += 1
      let row = level.rows[level.next]
      met += 1
      if remarks.count >= 10 * PlacesBookmarks.batchSize {
        try consume(.remarks(remarks))
        remarks.removeAll()
      }
      guard let bookmark = bookmark(row, parent: level.parent, position: level.rank) else { continue }
      levels[top].rank += 1
      batch.append(bookmark)
      if batch.count == PlacesBookmarks.batchSize {
        try consume(.bookmarks(batch))
        batch.removeAll(keepingCapacity: true)
      }
      if bookmark.kind == .folder {
        levels.append((rows: try self.children(of: row.id), next: 0, parent: bookmark.id, rank: 0))
      }
    }
  }

  private mutating func bookmark(_ row: Row, parent: RecordID, position: Int) -> Bookmark? {
    let kind: Bookmark.Kind
    switch row.type {
    case 1: kind = .bookmark
    case 2: kind = .folder
    case 3: kind = .separator
    default:
      skip(row, "an item of a kind that is not known (\(row.type))")
      return nil
    }
    if kind == .folder, !walked.insert(row.id).inserted { return nil }
    guard kind != .bookmark || row.url != nil else {
      skip(row, "its page is missing")
      return nil
    }
    var bookmark = Bookmark(
      id: RecordID.toolbar, kind: kind, parent: parent, position: position,
      title: kind == .separator ? "" : row.title, url: kind == .bookmark ? row.url : nil,
      dateAdded: time(row.added, of: row), dateModified: time(row.modified, of: row))
    bookmark.id = identify(bookmark, guid: row.guid)
    bookmark.guid = row.guid.isEmpty ? nil : row.guid
    bookmark.profile = profile
    bookmark.application = application
    if kind == .bookmark, let page = row.page { annotations.add(to: &bookmark, page: page) }
    bookmark.description = annotations.descriptions[row.id]
    if row.isStray {
      remark(.warning, row, "it was in no folder and comes under other bookmarks")
    }
    return bookmark
  }

  /// By its GUID; by content and place where there is none or another item has it.
  private mutating func identify(_ bookmark: Bookmark, guid: String) -> RecordID {
    if !guid.isEmpty {
      let id = RecordID(hashing: .bookmark(guid: guid, namespace: "firefox"))
      if given.insert(id).inserted { return id }
    }
    return given.insertContentID(of: bookmark)
  }

  /// 0 is Firefox's "unknown".
  private mutating func time(_ microseconds: Int64, of row: Row) -> Timestamp? {
    if microseconds == 0 { return nil }
    let time = Timestamp(microseconds: microseconds)
    if time.isPlausible { return time }
    remark(.warning, row, "a date outside 1970 to 2200 was dropped")
    return nil
  }

  private mutating func skip(_ row: Row, _ reason: String) { remark(.skipped, row, reason) }

  private mutating func remark(_ kind: Remark.Kind, _ row: Row, _ reason: String) {
    remarks.append(
      Remark(kind, type: .bookmarks, place: .id(row.guid.isEmpty ? "\(row.id)" : row.guid), reason: reason))
  }
}
