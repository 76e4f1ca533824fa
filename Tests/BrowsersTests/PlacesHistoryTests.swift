import Browsers
import BrowsingData
import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct PlacesHistoryTests {
  private let base: Int64 = 1_722_367_302_951_213

  private func read(_ places: PlacesDatabase) throws -> CollectedRecords {
    let profile = try FirefoxProfile(path: places.path)
    #expect(try RecordSourceContract.violations(of: profile) == [])
    return try CollectedRecords(profile, .history)
  }

  @Test func `a referrer is a page of the same profile`() throws {
    let (other, one) = (try PlacesDatabase(), try PlacesDatabase())
    try other.page(1, "https://z.test/")
    try other.visit(7, page: 1, time: base, type: 2)
    try one.page(1, "https://a.test/")
    try one.page(2, "https://b.test/")
    try one.visit(7, page: 1, time: base + 10, type: 2)
    try one.visit(8, page: 2, time: base + 20, from: 7)
    #expect(try read(other).visits.map(\.referrer) == [nil])
    let visits = try read(one).visits
    #expect(visits.map(\.url) == ["https://a.test/", "https://b.test/"])
    #expect(visits.map(\.transition) == [.typed, .link])
    #expect(visits[1].referrer == .init(url: "https://a.test/", visitedAt: Timestamp(microseconds: base + 10)))
  }

  @Test func `from the first visit that an import put out of order, the rest comes in the order of time`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    try places.page(2, "https://b.test/", hidden: true)
    for (id, offset) in [Int64(50), 10, 40, 20, 30].enumerated() {
      try places.visit(Int64(id + 1), page: Int64(id % 2 + 1), time: base + offset, from: id == 1 ? 5 : 0)
    }
    let visits = try read(places).visits
    #expect(visits.map { $0.visitedAt.microseconds - base } == [50, 10, 20, 30, 40])
    #expect(visits.map(\.hidden) == [false, true, true, false, false])
    // The visit that it came from is met only later.
    #expect(visits[1].referrer?.visitedAt == Timestamp(microseconds: base + 30))
  }

  @Test(arguments: [false, true])
  func `equal visits are numbered in the order of their rows`(isOutOfOrder: Bool) throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    try places.page(2, "https://b.test/")
    if isOutOfOrder { try places.visit(1, page: 1, time: base + 99) }
    for (id, page) in [Int64(1), 2, 1, 1, 2].enumerated() {
      try places.visit(Int64(id + 10), page: page, time: base, type: Int64(id + 1))
    }
    let visits = try read(places).visits.filter { $0.visitedAt.microseconds == base }
    let numbered = visits.map { "\($0.url) \($0.occurrence) \($0.transition?.name ?? "")" }
    #expect(
      Set(numbered) == [
        "https://a.test/ 0 link", "https://a.test/ 1 bookmark", "https://a.test/ 2 embed",
        "https://b.test/ 0 typed", "https://b.test/ 1 redirect_permanent",
      ])
  }

  @Test func `visits before and after a break in the order are numbered together`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    try places.page(2, "https://b.test/")
    let times: [Int64] = [10, 20, 20, 30, 20, 10, 20, 30, 40]
    for (id, time) in times.enumerated() {
      try places.visit(Int64(id + 1), page: id == 6 ? 2 : 1, time: base + time, type: Int64(id % 9 + 1))
    }
    let visits = try read(places).visits
    let numbered = visits.map { "\($0.visitedAt.microseconds - base) \($0.occurrence) \($0.transition?.rawValue ?? 0)" }
    #expect(
      numbered == ["10 0 1", "20 0 2", "20 1 3", "30 0 4", "10 1 6", "20 2 5", "20 0 7", "30 1 8", "40 0 9"])
  }

  @Test func `thousands of visits at one time are numbered, too`() throws {
    let places = try PlacesDatabase()
    try places.database.transaction {
      for page in Int64(1)...1_000 { try places.page(page, "https://a.test/\(page)") }
      for id in Int64(1)...3_000 { try places.visit(id, page: id % 1_000 + 1, time: base) }
    }
    let visits = try read(places).visits
    #expect(visits.count == 3_000)
    #expect(visits.count { $0.occurrence == 2 } == 1_000)
  }

  @Test func `redirects point to their source, and links that lead nowhere are left out`() throws {
    let places = try PlacesDatabase()
    for page in Int64(1)...3 { try places.page(page, "https://\(page).test/") }
    try places.visit(1, page: 1, time: base)
    try places.visit(2, page: 2, time: base + 1, type: 5, from: 1)
    try places.visit(3, page: 3, time: base + 2, type: 6, from: 2)
    try places.visit(4, page: 1, time: base + 3, type: 6, from: 999)
    try places.visit(5, page: 1, time: base + 4, from: 5)
    let visits = try read(places).visits
    #expect(visits.map(\.redirectSource?.url) == [nil, "https://1.test/", "https://2.test/", nil, nil])
    #expect(visits.allSatisfy { $0.referrer == nil })
  }

  @Test func `a link far back is found by its row`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://first.test/")
    try places.page(2, "https://next.test/")
    try places.database.transaction {
      try places.visit(1, page: 1, time: base)
      for id in Int64(2)...20_000 { try places.visit(id, page: 2, time: base + id, from: id == 20_000 ? 1 : 0) }
    }
    let visits = try read(places).visits
    #expect(visits.count == 20_000)
    let newest = visits.max { $0.visitedAt < $1.visitedAt }
    #expect(newest?.referrer == .init(url: "https://first.test/", visitedAt: Timestamp(microseconds: base)))
  }

  @Test func `of a long history a few visits on the first addresses come first, and all come once`() throws {
    let places = try PlacesDatabase()
    try places.database.transaction {
      for page in Int64(1)...400 { try places.page(page, "https://host.test/\(1_000 - page)", hidden: page % 9 == 0) }
      for id in Int64(1)...3_000 {
        // Groups of one time, also at the border of what is looked at, and pages met twice at once.
        try places.visit(
          id, page: id * 7 % 400 + 1, time: base + id / 3, type: id % 9 + 1, from: id % 4 == 0 ? id - 3 : 0)
        if id % 50 == 0 { try places.visit(10_000 + id, page: id * 7 % 400 + 1, time: base + id / 3) }
      }
    }
    var order: [RecordBatch] = []
    try FirefoxProfile(path: places.path).read(.history) { order.append($0) }
    guard case .pages(let pages) = order.first, case .visits(let first) = order.dropFirst().first else {
      Issue.record("no pages and visits at first")
      return
    }
    #expect(first.visits.count == 64)
    let known = Set(pages.pages.map(\.number))
    #expect(first.visits.allSatisfy { known.contains($0.page) && $0.linkPage == 0 && $0.occurrence == 0 })
    // The addresses run against the numbers.
    #expect(known.allSatisfy { $0 > 250 })
    #expect(first.visits.allSatisfy { $0.time < base + 667 })
    #expect(zip(first.visits, first.visits.dropFirst()).allSatisfy { $0.time <= $1.time })
    let visits = try read(places).visits
    #expect(visits.count == 3_060)
    #expect(Set(visits.map { "\($0.url) \($0.visitedAt) \($0.occurrence)" }).count == 3_060)
    #expect(visits.filter { $0.occurrence == 1 }.count == 60)
    #expect(visits.filter { $0.referrer != nil || $0.redirectSource != nil }.count == 750)
  }

  @Test func `a visit without a page or a possible time is a remark`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    try places.page(1 << 40, "https://far.test/")
    try places.visit(1, page: 1, time: nil)
    try places.visit(2, page: 1, time: -5)
    try places.visit(3, page: 9, time: base)
    try places.visit(4, page: 1, time: .max)
    try places.visit(5, page: 1 << 40, time: base)
    try places.visit(6, page: 1, time: base + 1, from: 4)
    let records = try read(places)
    #expect(records.visits.map(\.url) == ["https://far.test/", "https://a.test/"])
    #expect(records.visits.allSatisfy { $0.referrer == nil })
    #expect(records.remarks.map(\.kind) == [.skipped, .skipped, .skipped, .skipped])
    #expect(Set(records.remarks.map(\.place)) == [.id("1"), .id("2"), .id("3"), .id("4")])
  }

  @Test func `a page without visits does not come, one whose columns forgot them does`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://bookmarked.test/", last: nil)
    try places.page(2, "https://forgotten.test/", title: "", last: nil)
    try places.visit(1, page: 2, time: base, type: 77)
    let records = try read(places)
    let pages = records.batches.flatMap { batch -> [String] in
      if case .pages(let pages) = batch { pages.pages.map { pages.string($0.url) } } else { [] }
    }
    #expect(pages == ["https://forgotten.test/"])
    #expect(records.visits.map(\.title) == [nil])
    #expect(records.visits.map(\.transition) == [.other])
  }

  @Test(arguments: [(29_000, 1), (31_000, 2), (100_000, 2), (150_000, 3)])
  func `pages come in few sorted chunks, the last of them none that is small`(count: Int, chunks: Int) throws {
    let places = try PlacesDatabase()
    try places.database.execute(
      """
      WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(count))
      INSERT INTO moz_places(id, url, last_visit_date) SELECT i, 'https://' || (i * 7919 % 1000003), 1 FROM n
      """)
    let addresses = try read(places).batches.flatMap { batch -> [String] in
      if case .pages(let pages) = batch { pages.pages.map { pages.string($0.url) } } else { [] }
    }
    #expect(Set(addresses).count == count)
    let descents = zip(addresses, addresses.dropFirst()).count { !$0.utf8.lexicographicallyPrecedes($1.utf8) }
    #expect(descents + 1 == chunks)
  }

  @Test func `pages come sorted by the bytes of their addresses`() throws {
    let places = try PlacesDatabase()
    let urls = [
      "https://b.test/", "http://z.test/", "https://", "https://b.test/a", "about:x", "zzz:", "https://b", "http",
      "https://\u{E9}.test/", "https://b.test/A", "",
    ]
    for (id, url) in urls.enumerated() {
      try places.page(Int64(id + 1), url)
      try places.visit(Int64(id + 1), page: Int64(id + 1), time: base + Int64(id))
    }
    let records = try read(places)
    let pages = records.batches.flatMap { batch -> [String] in
      if case .pages(let pages) = batch { pages.pages.map { pages.string($0.url) } } else { [] }
    }
    #expect(pages == urls.filter { !$0.isEmpty }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
    #expect(records.visits.count == urls.count - 1)
    #expect(records.remarks.map(\.kind) == [.warning, .skipped])
  }
}
