internal import SQLite

/// The tags of places.sqlite: a folder for each below the root of tags, with an entry for each page that has it.
final class PlacesTags {
  private let places: PlacesFile
  private let root: Int64
  /// Folders by their names in lower case: Firefox makes no second one that differs in case alone.
  private var folders: [String: Int64] = [:]

  /// In the transaction that is open.
  init(_ places: PlacesFile) throws {
    self.places = places
    guard let root = try places.number("SELECT id FROM moz_bookmarks WHERE guid = 'tags________'") else {
      throw ProfileError.neverStarted("the root of the tags")
    }
    self.root = root
    let read = try places.statement("SELECT id, title FROM moz_bookmarks WHERE parent = ?1 AND type = 2 ORDER BY id")
    try read.bind(1, root)
    while try read.step() {
      guard let title = read.text(1) else { continue }
      if folders[title.lowercased()] == nil { folders[title.lowercased()] = read.int64(0) }
    }
  }

  /// Gives a page tags; those that it has stay. `except` is the bookmark that is new with them.
  func add(_ tags: [String], to page: Int64, except bookmark: Int64 = 0) throws {
    var hasChanged = false
    for tag in tags {
      let folder = try folder(tag)
      let isThere = try places.number(
        "SELECT 1 FROM moz_bookmarks WHERE fk = ?1 AND parent = ?2", .number(page), .number(folder))
      if isThere != nil { continue }
      try insert(type: 1, page: page, parent: folder, title: nil)
      try places.hold(page, by: 1)
      hasChanged = true
    }
    if hasChanged { try noteChange(page, except: bookmark) }
  }

  /// Gives a page these tags and no others.
  func set(_ tags: [String], of page: Int64) throws {
    let wanted = Set(tags.map { $0.lowercased() })
    var gone: [(entry: Int64, folder: Int64, name: String)] = []
    let read = try places.statement(
      """
      SELECT b.id, t.id, t.title FROM moz_bookmarks b JOIN moz_bookmarks t ON t.id = b.parent
      WHERE b.fk = ?1 AND t.parent = ?2
      """)
    try read.bind(1, page)
    try read.bind(2, root)
    while try read.step() {
      let name = (read.text(2) ?? "").lowercased()
      if !wanted.contains(name) { gone.append((read.int64(0), read.int64(1), name)) }
    }
    for tag in gone {
      try places.run("DELETE FROM moz_bookmarks WHERE id = ?1", .number(tag.entry))
      try places.hold(page, by: -1)
      let isEmpty = try places.number("SELECT 1 FROM moz_bookmarks WHERE parent = ?1", .number(tag.folder)) == nil
      if isEmpty {
        try places.run("DELETE FROM moz_bookmarks WHERE id = ?1", .number(tag.folder))
        folders[tag.name] = nil
        try closeGaps(root)
      } else {
        try closeGaps(tag.folder)
      }
    }
    if !gone.isEmpty { try noteChange(page, except: 0) }
    try add(tags, to: page)
  }

  private func folder(_ tag: String) throws -> Int64 {
    if let known = folders[tag.lowercased()] { return known }
    let made = try insert(type: 2, page: nil, parent: root, title: tag)
    folders[tag.lowercased()] = made
    return made
  }

  @discardableResult
  private func insert(type: Int64, page: Int64?, parent: Int64, title: String?) throws -> Int64 {
    try places.run(
      """
      INSERT INTO moz_bookmarks(type, fk, parent, position, title, dateAdded, lastModified, guid, syncStatus,
        syncChangeCounter)
      VALUES (?1, ?2, ?3, (SELECT ifnull(max(position), -1) + 1 FROM moz_bookmarks WHERE parent = ?3), ?4, ?5, ?5, ?6,
        1, 1)
      """, .number(type), .number(page), .number(parent), .text(title), .number(places.now),
      .text(PlacesFile.newGUID()))
    let row = places.database.lastInsertedRow
    try places.run(
      """
      UPDATE moz_bookmarks SET lastModified = max(lastModified, ?2), syncChangeCounter = syncChangeCounter + 1
      WHERE id = ?1
      """, .number(parent), .number(places.now))
    return row
  }

  private func closeGaps(_ folder: Int64) throws {
    var ids: [Int64] = []
    let read = try places.statement("SELECT id FROM moz_bookmarks WHERE parent = ?1 ORDER BY position, id")
    try read.bind(1, folder)
    while try read.step() { ids.append(read.int64(0)) }
    for (position, id) in ids.enumerated() {
      try places.run(
        "UPDATE moz_bookmarks SET position = ?2 WHERE id = ?1 AND position <> ?2", .number(id),
        .number(Int64(position)))
    }
  }

  /// For Sync the tags are part of each bookmark of the page.
  private func noteChange(_ page: Int64, except bookmark: Int64) throws {
    try places.run(
      """
      UPDATE moz_bookmarks SET syncChangeCounter = syncChangeCounter + 1
      WHERE fk = ?1 AND id <> ?2 AND parent NOT IN (SELECT id FROM moz_bookmarks WHERE parent = ?3)
      """, .number(page), .number(bookmark), .number(root))
  }
}
