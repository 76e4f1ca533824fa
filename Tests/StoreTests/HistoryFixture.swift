import BrowsingData
import Store
import TestSupport

/// A home of a test, and what tests of history need again and again.
final class HistoryFixture {
  let folder = TemporaryDirectory()
  let home: Home

  init() throws { home = try Home.open(folder.file("home")) }

  func store() throws -> RecordStore { try RecordStore.openTemporary(in: home) }

  /// Imports flat visits as one file.
  @discardableResult
  func add(_ visits: [HistoryVisit], to store: RecordStore, dryRun: Bool = false) throws -> ApplyReport {
    var options = ImportOptions(kind: .file, label: "test")
    options.dryRun = dryRun
    let run = try store.beginImport(options)
    try run.apply(.history(visits))
    return try run.finish()
  }

  /// All visits, the oldest first.
  func visits(of store: RecordStore) throws -> [HistoryVisit] {
    var visits: [HistoryVisit] = []
    try store.source().read(.history) { batch in
      if case .history(let more) = batch { visits += more }
    }
    return visits
  }

  /// Sends what is above the cursors from one store to the other, in batches of so many rows; stops after `limit` batches.
  @discardableResult
  func send(_ from: RecordStore, _ run: ImportRun, records: Int = 10_000, limit: Int = .max) throws -> Int {
    try run.receive(from: from.incarnation)
    var batches = 0
    for log in [ChangeLog.pages, .visits] {
      while batches < limit {
        let cursor = try run.cursors()[log] ?? 0
        guard let batch = try from.changes(log, after: cursor, maximumRecords: records) else { break }
        _ = try run.apply(batch)
        batches += 1
      }
    }
    return batches
  }

  func transfer(into store: RecordStore, token: UInt8 = 1) throws -> ImportRun {
    var options = ImportOptions(kind: .transfer, label: "the laptop")
    options.token = Array(repeating: token, count: 16)
    return try store.beginImport(options)
  }
}

/// A visit of a test at second `second` of 2024.
func visit(
  _ url: String, _ second: Int64 = 0, title: String? = nil, count: Int = 1,
  _ transition: HistoryVisit.Transition? = nil, occurrence: Int = 0, profile: String? = nil
) -> HistoryVisit {
  HistoryVisit(
    url: url, title: title, visitedAt: Timestamp(microseconds: 1_704_067_200_000_000 + second * 1_000_000),
    visitCount: count, transition: transition, occurrence: occurrence, profile: profile)
}

/// A generator that gives the same numbers for the same seed.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

extension SeededGenerator {
  /// Visits of few pages at few times, so that they meet; with every field that a visit can have.
  mutating func visits(_ count: Int, pages: Int = 40, seconds: Int64 = 60) -> [HistoryVisit] {
    var occurrences: [String: Int] = [:]
    return (0..<count).map { _ in
      var visit = visit(
        "https://\(Int.random(in: 0..<pages, using: &self)).test/ü", Int64.random(in: 0..<seconds, using: &self))
      if Bool.random(using: &self) { visit.title = "title \(Int.random(in: 0..<9, using: &self))" }
      visit.transition = HistoryVisit.Transition(rawValue: UInt8.random(in: 0...14, using: &self))
      visit.visitCount = Int.random(in: 0..<4, using: &self) == 0 ? Int.random(in: 2..<99, using: &self) : 1
      visit.loaded = Int.random(in: 0..<9, using: &self) != 0
      visit.httpGet = Int.random(in: 0..<9, using: &self) != 0
      visit.hidden = Int.random(in: 0..<9, using: &self) == 0
      visit.profile = Int.random(in: 0..<3, using: &self) == 0 ? "Work" : nil
      if Int.random(in: 0..<5, using: &self) == 0 { visit.redirectSource = link(pages, seconds) }
      if Int.random(in: 0..<5, using: &self) == 0 { visit.referrer = link(pages, seconds) }
      if Int.random(in: 0..<5, using: &self) == 0 { visit.redirectDestination = link(pages, seconds) }
      if Int.random(in: 0..<20, using: &self) == 0 {
        visit.unknown = UnknownFields([.init(number: 101, value: [UInt8.random(in: 0...9, using: &self)])])
      }
      let key = "\(visit.url) \(visit.visitedAt) \(visit.profile ?? "")"
      visit.occurrence = occurrences[key, default: 0]
      occurrences[key, default: 0] += 1
      return visit
    }
  }

  private mutating func link(_ pages: Int, _ seconds: Int64) -> HistoryVisit.Link {
    let other = visit(
      "https://\(Int.random(in: 0..<pages, using: &self)).test/ü", Int64.random(in: 0..<seconds, using: &self))
    return HistoryVisit.Link(url: other.url, visitedAt: other.visitedAt)
  }
}
