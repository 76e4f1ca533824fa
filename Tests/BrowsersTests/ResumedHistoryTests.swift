import Browsers
import BrowsingData
import Foundation
import SQLite
import TestSupport
import Testing

/// A history of more than a thousand visits that grows and shrinks as a browser's does.
private final class GrowingHistory {
  enum Kind: String, CaseIterable {
    case firefox
    case chromium
  }

  let kind: Kind
  private let folder = TemporaryDirectory()
  private let places: PlacesDatabase?
  private var database: Database
  private var position: VisitPosition?
  /// What an owner who reads on from its position knows, and what one knows who reads everything.
  private(set) var known: Set<String> = []
  private(set) var all: Set<String> = []
  /// How many visits the last reading handed over.
  private(set) var read = 0

  private static let tables = """
    CREATE TABLE meta(key LONGVARCHAR NOT NULL UNIQUE PRIMARY KEY, value LONGVARCHAR);
    INSERT INTO meta VALUES ('last_compatible_version', '16');
    CREATE TABLE urls(id INTEGER PRIMARY KEY AUTOINCREMENT, url LONGVARCHAR, title LONGVARCHAR, last_visit_time INTEGER);
    CREATE TABLE visits(id INTEGER PRIMARY KEY AUTOINCREMENT, url INTEGER NOT NULL, visit_time INTEGER NOT NULL,
      from_visit INTEGER, transition INTEGER DEFAULT 0 NOT NULL);
    CREATE INDEX visits_url_index ON visits(url);
    CREATE INDEX visits_time_index ON visits(visit_time);
    """

  init(_ kind: Kind) throws {
    self.kind = kind
    places = kind == .firefox ? try PlacesDatabase() : nil
    if let places {
      database = places.database
    } else {
      database = try Database(path: folder.file("History"), mode: .create)
      try database.execute(GrowingHistory.tables)
    }
    try execute(
      "WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) INSERT INTO "
        + (kind == .firefox
          ? "moz_places(id, url, title, last_visit_date, guid) SELECT i, 'https://' || i || '.test/', 'T', 1, 'g' || i FROM n"
          : "urls(id, url, title, last_visit_time) SELECT i, 'https://' || i || '.test/', 'T', 1 FROM n"))
  }

  var path: String { places?.path ?? folder.path }
  var visits: String { kind == .firefox ? "moz_historyvisits" : "visits" }
  private var columns: String {
    kind == .firefox ? "place_id, visit_date, from_visit, visit_type" : "url, visit_time, from_visit, transition"
  }
  private var page: String { kind == .firefox ? "place_id" : "url" }
  private var time: String { kind == .firefox ? "visit_date" : "visit_time" }

  func execute(_ sql: String) throws { try database.execute(sql) }

  func source() throws -> any ResumableHistory {
    kind == .firefox ? try FirefoxProfile(path: path) : try ChromiumProfile(path: path)
  }

  /// Adds visits in the order of time, each from the one before it.
  func add(_ count: Int, from start: Int64, step: Int64 = 1_000_000) throws {
    let epoch: Int64 = kind == .firefox ? 0 : 11_644_473_600_000_000
    try execute(
      """
      WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1))
      INSERT INTO \(visits)(\(columns)) SELECT i * 7 % 100 + 1, \(start + epoch) + i * \(step),
        (SELECT ifnull(max(id), 0) FROM \(visits)), 1 FROM n
      """)
  }

  /// Adds visits that equal some of those that are there.
  func addDoubles(_ count: Int, of remainder: Int) throws {
    try execute(
      """
      INSERT INTO \(visits)(\(columns)) SELECT \(page), \(time), 0, 1 FROM \(visits)
      WHERE id % 31 = \(remainder) LIMIT \(count)
      """)
  }

  func delete(_ condition: String) throws { try execute("DELETE FROM \(visits) WHERE \(condition)") }

  /// The files as they are now; and as they were.
  func save(_ name: String) throws { try execute("VACUUM INTO '\(folder.file(name))'") }

  func restore(_ name: String) throws {
    let path = database.path
    database = try Database(path: ":memory:", mode: .create)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: folder.file(name), toPath: path)
    database = try Database(path: path, mode: .readWrite)
  }

  private static func name(_ visit: HistoryVisit) -> String {
    "\(visit.url) \(visit.visitedAt.microseconds) \(visit.occurrence)"
  }

  /// Reads on, and everything; each visit that is read on is as it is among all.
  func readOn() throws {
    var part = CollectedRecords()
    position = try source().readHistory(since: position) { part.add($0) }
    read = part.visits.count
    let whole = try CollectedRecords(source(), .history).visits
    #expect(Set(part.visits).subtracting(whole).count == 0)
    known.formUnion(part.visits.map(GrowingHistory.name))
    all.formUnion(whole.map(GrowingHistory.name))
  }

  /// What only one of the two knows.
  var difference: [String] { Array(known.symmetricDifference(all).sorted().prefix(3)) }
}

@Suite struct ResumedHistoryTests {
  private let base: Int64 = 1_700_000_000_000_000

  @Test(arguments: GrowingHistory.Kind.allCases)
  fileprivate func `only what came since is read, whatever its time`(kind: GrowingHistory.Kind) throws {
    let history = try GrowingHistory(kind)
    try history.add(3_000, from: base)
    try history.readOn()
    #expect(history.read == 3_000 && history.known.count == 3_000)
    try history.readOn()
    #expect(history.read == 1_001)
    // An import brings old ones, and some that equal those that are there.
    try history.add(50, from: base - 1_000_000_000)
    try history.addDoubles(20, of: 3)
    try history.add(10, from: base + 9_000_000_000)
    try history.readOn()
    #expect(history.read == 1_081 && history.difference == [])
    #expect(history.known.count == 3_080)
  }

  @Test(arguments: GrowingHistory.Kind.allCases)
  fileprivate func `rows that went at the end and are given again are read`(kind: GrowingHistory.Kind) throws {
    let history = try GrowingHistory(kind)
    try history.add(3_000, from: base)
    try history.readOn()
    try history.delete("id > 2900")
    if kind == .chromium { try history.execute("UPDATE sqlite_sequence SET seq = 2900 WHERE name = 'visits'") }
    try history.add(100, from: base + 5_000_000_000)
    try history.readOn()
    #expect(history.read == 1_001 && history.difference == [] && history.known.count == 3_100)
    // More went than the position stands before the end: everything is read.
    try history.delete("id > 1500")
    if kind == .chromium { try history.execute("UPDATE sqlite_sequence SET seq = 1500 WHERE name = 'visits'") }
    try history.add(2_000, from: base + 7_000_000_000)
    try history.readOn()
    #expect(history.read == 3_500 && history.difference == [])
  }

  @Test(arguments: GrowingHistory.Kind.allCases)
  fileprivate func `an emptied, an older and another history are read whole`(kind: GrowingHistory.Kind) throws {
    let history = try GrowingHistory(kind)
    try history.add(2_000, from: base)
    try history.save("older")
    try history.add(2_000, from: base + 10_000_000_000)
    try history.readOn()
    // An older copy, with which its owner went on to where the position was.
    try history.restore("older")
    try history.readOn()
    #expect(history.read == 2_000)
    try history.restore("older")
    try history.add(2_000, from: base + 20_000_000_000)
    try history.readOn()
    #expect(history.difference == [] && history.known.count == 6_000)
    try history.delete("true")
    try history.readOn()
    #expect(history.read == 0)
    try history.add(1_500, from: base + 30_000_000_000)
    try history.readOn()
    #expect(history.read == 1_500 && history.difference == [])
  }

  @Test(arguments: GrowingHistory.Kind.allCases, [1, 2, 3])
  fileprivate func `whatever a browser does, reading on finds what reading everything finds`(
    kind: GrowingHistory.Kind, seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    let history = try GrowingHistory(kind)
    try history.add(1_200, from: base)
    try history.save("copy")
    var now = base + 10_000_000_000
    for _ in 0..<12 {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        now += 1_000_000_000
        switch Int.random(in: 0..<8, using: &random) {
        case 0...2: try history.add(Int.random(in: 1...300, using: &random), from: now, step: 1_000)
        case 3: try history.add(20, from: base - Int64.random(in: 0..<1_000, using: &random) * 77_000_000)
        case 4: try history.addDoubles(15, of: Int.random(in: 0..<31, using: &random))
        case 5: try history.delete("id % 53 = \(Int.random(in: 0..<53, using: &random))")
        case 6:
          try history.delete(
            "id > (SELECT max(id) FROM \(history.visits)) - \(Int.random(in: 1...1_500, using: &random))")
        default:
          if Bool.random(using: &random) { try history.save("copy \(now)") } else { try history.restore("copy") }
        }
      }
      try history.readOn()
      #expect(history.difference == [])
    }
  }
}
