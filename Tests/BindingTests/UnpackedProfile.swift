import Browsers
import BrowsingData
import Foundation
import SQLite
import Store
import TestSupport

@testable import Binding

/// A profile made by a real Firefox, unpacked beside a home for one test.
struct UnpackedProfile {
  let folder = TemporaryDirectory()
  let path: String
  let store: RecordStore
  let home: Home

  init(_ name: String) throws {
    path = folder.file("profile")
    home = try Home.open(folder.file("home"))
    store = try RecordStore.open(home: home)
    try UnpackedProfile.unpack(name, to: path, folder.file("unpacked"))
  }

  /// Another profile's records as they are read.
  static func source(_ name: String, in folder: TemporaryDirectory) throws -> FirefoxProfile {
    let path = folder.file("source-\(name)")
    try unpack(name, to: path, folder.file("unpacked-\(name)"))
    return try FirefoxProfile(path: path)
  }

  private static func unpack(_ name: String, to path: String, _ scratch: String) throws {
    let archive = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("BrowsersTests/Fixtures/\(name).tar.gz").path
    try FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/usr/bin/tar")
    tar.arguments = ["-xzf", archive, "-C", scratch]
    try tar.run()
    tar.waitUntilExit()
    guard tar.terminationStatus == 0, let inner = try FileManager.default.contentsOfDirectory(atPath: scratch).first
    else { throw CocoaError(.fileReadCorruptFile) }
    try FileManager.default.moveItem(atPath: scratch + "/" + inner, toPath: path)
  }

  func options(_ name: String = "edit") -> EditorOptions {
    EditorOptions(backups: home.backups, name: name, now: Timestamp(microseconds: 1_800_000_000_000_000))
  }

  /// Opens it to be edited.
  func editor(_ name: String = "edit", step: (@Sendable (EditorStep) throws -> Void)? = nil) throws -> FirefoxEditor {
    var options = options(name)
    options.step = step
    return try FirefoxEditor(path: path, options)
  }

  /// Delivers everything of a source.
  @discardableResult
  func deliver(
    _ source: any RecordSource, _ types: DataTypes = .all, name: String = "edit",
    step: (@Sendable (EditorStep) throws -> Void)? = nil
  ) throws -> ApplyReport {
    try ProfileDelivery(from: source, to: try editor(name, step: step), types: types)
      .deliver(journal: store, label: "to a test", path: path)
  }

  /// What the profile holds now.
  func records(_ types: DataTypes = .all) throws -> CollectedRecords {
    try CollectedRecords(FirefoxProfile(path: path), types)
  }

  /// The numbers of a query on its places.sqlite.
  func numbers(_ sql: String) throws -> [Int64] {
    let database = try Database(path: path + "/places.sqlite", mode: .readWrite)
    let read = try database.prepare(sql)
    var numbers: [Int64] = []
    while try read.step() { numbers.append(read.int64(0)) }
    return numbers
  }

  /// Runs statements on its places.sqlite, as the browser would between two runs of ours.
  func change(_ sql: String) throws {
    let database = try Database(path: path + "/places.sqlite", mode: .readWrite)
    try database.execute(sql)
  }

  /// What is wrong with its places.sqlite by the rules that Firefox keeps.
  func faults() throws -> [String] {
    let rules = [
      (
        "foreign_count",
        "SELECT count(*) FROM moz_places p WHERE foreign_count <> (SELECT count(*) FROM moz_bookmarks "
          + "WHERE fk = p.id) + (SELECT count(*) FROM moz_keywords WHERE place_id = p.id)"
      ),
      (
        "visit_count",
        "SELECT count(*) FROM moz_places p WHERE visit_count <> (SELECT count(*) FROM moz_historyvisits "
          + "WHERE place_id = p.id AND visit_type NOT IN (0, 4, 7, 8, 9))"
      ),
      (
        "last_visit_date",
        "SELECT count(*) FROM moz_places p WHERE ifnull(last_visit_date, 0) <> "
          + "ifnull((SELECT max(visit_date) FROM moz_historyvisits WHERE place_id = p.id), 0)"
      ),
      (
        "position",
        "SELECT count(*) FROM moz_bookmarks b WHERE parent <> 0 AND position <> (SELECT count(*) "
          + "FROM moz_bookmarks o WHERE o.parent = b.parent AND o.position < b.position)"
      ),
      ("guid", "SELECT count(*) FROM moz_places WHERE length(guid) <> 12"),
      ("bookmark guid", "SELECT count(*) FROM moz_bookmarks WHERE length(guid) <> 12"),
      (
        "origin",
        "SELECT count(*) FROM moz_places WHERE origin_id IS NULL OR origin_id NOT IN "
          + "(SELECT id FROM moz_origins)"
      ),
      ("visit", "SELECT count(*) FROM moz_historyvisits WHERE place_id NOT IN (SELECT id FROM moz_places)"),
      (
        "from_visit",
        "SELECT count(*) FROM moz_historyvisits WHERE from_visit <> 0 AND from_visit NOT IN "
          + "(SELECT id FROM moz_historyvisits)"
      ),
      ("url", "SELECT count(*) - count(DISTINCT url) FROM moz_places"),
      ("fk", "SELECT count(*) FROM moz_bookmarks WHERE type = 1 AND fk NOT IN (SELECT id FROM moz_places)"),
      ("integrity", "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'"),
    ]
    return try rules.filter { try numbers($0.1) != [0] }.map(\.0)
  }
}
