import Browsers
import BrowsingData
import Foundation
import SQLite
import TestSupport
import Testing

/// In what order a history comes, and that nothing is lost where the order changes.
@Suite struct HistoryOrderTests {
  private let base: Int64 = 1_790_000_000_000_000

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `pages come by the bytes of their addresses, equal ones by their rows`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let starts = [
      "", "h", "http", "http://", "https", "https:", "https:/", "https://", "https://www.", "httpt", "ftp://", "z:",
      "https://one-host.test/a/long/way/", "https://one-host.test/a/long/way/still/longer/",
      "https://" + String(repeating: "x", count: 3_000),
    ]
    var addresses: [String] = []
    while addresses.count < 1_900 {
      let tail = (0..<Int.random(in: 0...12, using: &random)).map { _ in
        ["a", "b", "\0", "é", "\u{1}", "~", "aaaaaaa"].randomElement(using: &random) ?? ""
      }
      let address = (starts.randomElement(using: &random) ?? "") + tail.joined()
      if !address.isEmpty { addresses.append(address) }
    }
    let file = try ChromiumHistoryFile()
    try file.database.transaction {
      for (index, address) in addresses.enumerated() {
        try file.page(Int64(index + 1), address)
        try file.visit(Int64(index + 1), page: Int64(index + 1), time: base + Int64(index))
      }
    }
    var numbers: [Int64] = []
    try ChromiumProfile(path: file.path).read(.history) { batch in
      guard case .pages(let pages) = batch else { return }
      for page in pages.pages {
        numbers.append(page.number)
        #expect(pages.string(page.url) == addresses[Int(page.number) - 1])
      }
    }
    let order = addresses.enumerated().sorted { left, right in
      let (one, other) = (Array(left.element.utf8), Array(right.element.utf8))
      return one == other ? left.offset < right.offset : one.lexicographicallyPrecedes(other)
    }
    #expect(numbers == order.map { Int64($0.offset + 1) })
    #expect(Set(addresses).count < addresses.count)
  }

  @Test(arguments: [false, true])
  func `an answer belongs to the visit it was given for, whatever the order`(isOutOfOrder: Bool) throws {
    let file = try ChromiumHistoryFile()
    try file.page(1, "https://a.test/")
    let answers: [Int64: Int64] = [2: 200, 3: 404, 5: 0, 700: 503, 701: 399, 1_400: 400, 1_401: 1_000, 9_999: 500]
    try file.database.transaction {
      for id in Int64(1)...1_500 {
        try file.visit(id, page: 1, time: isOutOfOrder && id == 1 ? base + 9_000 : base + id)
      }
      for (id, answer) in answers {
        try file.database.execute(
          """
          INSERT INTO context_annotations(visit_id, context_annotation_flags, response_code) VALUES (\(id), 0, \(answer))
          """)
      }
    }
    var failed: [String] = []
    var count = 0
    try ChromiumProfile(path: file.path).read(.history) { batch in
      guard case .visits(let batch) = batch else { return }
      count += batch.visits.count
      for visit in batch.visits where visit.flags.contains(.loadFailed) {
        let answer = visit.attributes < 0 ? nil : batch.attributes[Int(visit.attributes)].answer
        failed.append("\(visit.time - base) \(answer ?? 0)")
      }
    }
    #expect(count == 1_500)
    #expect(failed == ["3 404", "700 503", "1400 400", "1401 0"])
  }

  @Test func `pages that no visit names are left out, and visits that name none are told of`() throws {
    let file = try ChromiumHistoryFile()
    for page in [Int64(1), 2, 3, 1 << 40] { try file.page(page, "https://host.test/\(page)") }
    try file.database.execute("UPDATE urls SET visit_count = 5")
    for (id, page) in [Int64(2), 7, 1 << 40, 2, -3].enumerated() {
      try file.visit(Int64(id + 1), page: page, time: base + Int64(id))
    }
    let records = try CollectedRecords(try ChromiumProfile(path: file.path), .history)
    #expect(
      records.visits.map(\.url) == ([2, 1 << 40, 2] as [Int64]).map { (page: Int64) in "https://host.test/\(page)" })
    #expect(records.remarks.map(\.place) == [.id("2"), .id("5")])
    var pages: [Int64] = []
    try ChromiumProfile(path: file.path).read(.history) { batch in
      if case .pages(let batch) = batch { pages += batch.pages.map(\.number) }
    }
    #expect(pages == [1 << 40, 2])
  }

  @Test func `visits whose rows have no numbers of their own are refused, not half read`() throws {
    let file = try ChromiumHistoryFile()
    try file.page(1, "https://a.test/")
    let columns = try file.database.text("SELECT sql FROM sqlite_master WHERE name = 'visits'") ?? ""
    try file.database.execute("DROP TABLE visits")
    try file.database.execute(
      columns.replacingOccurrences(of: "INTEGER PRIMARY KEY AUTOINCREMENT", with: "INTEGER"))
    for id in [Int64(3), 1, 2] {
      try file.database.execute(
        "INSERT INTO visits(id, url, visit_time) VALUES (\(id), 1, \(base + 11_644_473_600_000_000 + id))")
    }
    let error = #expect(throws: ProfileError.self) {
      try ChromiumProfile(path: file.path).read(.history) { _ in }
    }
    guard case .corrupt = error else {
      Issue.record("not said to be damaged")
      return
    }
  }

  /// Large enough to be read ahead on a thread, with an import in its middle.
  private func large() throws -> ChromiumHistoryFile {
    let file = try ChromiumHistoryFile()
    try file.database.transaction {
      for page in Int64(1)...3_000 {
        try file.page(page, "https://host.test/\(page)/" + String(repeating: "long/", count: 60))
      }
      for id in Int64(1)...30_000 {
        let time = id > 20_000 && id <= 21_000 ? base + 30_000 - id : base + id
        try file.visit(id, page: id * 7 % 3_000 + 1, time: time, from: id % 5 == 0 ? id - 1 : 0)
      }
    }
    return file
  }

  @Test func `a large history comes whole though an import stands in its middle`() throws {
    let file = try large()
    let profile = try ChromiumProfile(path: file.path)
    #expect(try RecordSourceContract.violations(of: profile) == [])
    let visits = try CollectedRecords(profile, .history).visits
    #expect(visits.count == 30_000)
    #expect(Set(visits.map { "\($0.url) \($0.visitedAt.microseconds) \($0.occurrence)" }).count == 30_000)
    #expect(visits.count { $0.referrer != nil } == 6_000)
    let times = visits.map(\.visitedAt.microseconds)
    // The first few, the rest up to the import, and everything after in the order of time.
    let falls = zip(times, times.dropFirst()).count { $0 > $1 }
    #expect(falls == 2)
  }

  @Test(arguments: [1, 2, 3, 5])
  func `whoever takes records may stop at any batch of a large history`(count: Int) throws {
    struct Enough: Error {}
    let file = try large()
    let profile = try ChromiumProfile(path: file.path)
    for _ in 0..<2 {
      var batches = 0
      #expect(throws: Enough.self) {
        try profile.read(.history) { _ in
          batches += 1
          if batches == count { throw Enough() }
        }
      }
      #expect(batches == count)
    }
    #expect(try CollectedRecords(profile, .history).visits.count == 30_000)
  }
}
