import Foundation
import SQLite
import TestSupport

/// A places.sqlite of Firefox's own layout, filled by a test.
final class PlacesDatabase {
  let folder = TemporaryDirectory()
  let database: Database
  var path: String { folder.path }

  private static let roots: [(Int, Int, Int, String)] = [
    (1, 0, 0, "root________"), (2, 1, 0, "menu________"), (3, 1, 1, "toolbar_____"), (4, 1, 2, "tags________"),
    (5, 1, 3, "unfiled_____"), (6, 1, 4, "mobile______"),
  ]

  init(version: Int = 86) throws {
    database = try Database(path: folder.file("places.sqlite"), mode: .create)
    let schema = try String(contentsOf: Fixture.url("places.sql"), encoding: .utf8)
    // SQLite makes its own tables itself.
    let statements = schema.split(separator: "\n").filter { !$0.contains(" sqlite_") }
    try database.execute(statements.joined(separator: "\n"))
    try database.execute("PRAGMA user_version = \(version)")
    for (id, parent, position, guid) in PlacesDatabase.roots {
      try database.execute(
        "INSERT INTO moz_bookmarks(id, type, parent, position, title, guid) VALUES (\(id), 2, \(parent), \(position), '', '\(guid)')"
      )
    }
  }

  func page(_ id: Int64, _ url: String, title: String? = nil, hidden: Bool = false, last: Int64? = 1) throws {
    let statement = try database.prepare(
      "INSERT INTO moz_places(id, url, title, hidden, last_visit_date, guid) VALUES (?, ?, ?, ?, ?, ?)")
    try statement.bind(1, id)
    try statement.bind(2, url)
    try statement.bind(3, title)
    try statement.bind(4, hidden ? 1 : 0)
    try statement.bind(5, last)
    try statement.bind(6, "page\(id)")
    try statement.run()
  }

  func visit(_ id: Int64, page: Int64, time: Int64?, type: Int64 = 1, from: Int64 = 0) throws {
    let statement = try database.prepare(
      "INSERT INTO moz_historyvisits(id, from_visit, place_id, visit_date, visit_type) VALUES (?, ?, ?, ?, ?)")
    for (index, value) in [id, from, page, time, type].enumerated() { try statement.bind(Int32(index + 1), value) }
    try statement.run()
  }

  func bookmark(_ id: Int64, parent: Int64, position: Int64, type: Int64 = 1, page: Int64? = nil, guid: String?) throws
  {
    let statement = try database.prepare(
      "INSERT INTO moz_bookmarks(id, type, fk, parent, position, title, dateAdded, lastModified, guid) VALUES (?, ?, ?, ?, ?, ?, 5, 6, ?)"
    )
    for (index, value) in [id, type, page, parent, position].enumerated() {
      try statement.bind(Int32(index + 1), value)
    }
    try statement.bind(6, "item \(id)")
    try statement.bind(7, guid)
    try statement.run()
  }
}
