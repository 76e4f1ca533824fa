import BrowsingData
import Store
import Testing

@Suite struct HistoryImportTests {
  let fixture: HistoryFixture
  let store: RecordStore

  init() throws {
    fixture = try HistoryFixture()
    store = try fixture.store()
  }

  @Test func `a visit comes back with every field`() throws {
    var full = visit("https://a.test/?q=ü", 7, title: "A", count: 3, .typed, occurrence: 0, profile: "Work")
    full.loaded = false
    full.httpGet = false
    full.hidden = true
    full.redirectSource = .init(url: "http://a.test/", visitedAt: Timestamp(microseconds: 12))
    full.referrer = .init(url: "http://b.test/", visitedAt: Timestamp(microseconds: 13))
    full.redirectDestination = .init(url: "http://c.test/", visitedAt: Timestamp(microseconds: 14))
    full.unknown = UnknownFields([.init(number: 201, value: [1, 2]), .init(number: 203, value: [])])
    let report = try fixture.add([full], to: store)
    #expect(report[.history].found == 1 && report[.history].added == 1)
    #expect(try fixture.visits(of: store) == [full])
    #expect(try store.counts()[.history] == 1)
  }

  @Test func `the same again changes nothing, and a dry run leaves nothing`() throws {
    var generator = SeededGenerator(seed: 1)
    let visits = generator.visits(500)
    #expect(try fixture.add(visits, to: store, dryRun: true)[.history].added == 500)
    #expect(try store.counts()[.history] == 0 && store.journal().isEmpty)
    try fixture.add(visits, to: store)
    let before = try fixture.visits(of: store)
    let end = try store.ending(.history)
    let again = try fixture.add(visits, to: store)[.history]
    #expect(again.found == 500 && again.unchanged == 500 && again.added == 0 && again.changed == 0)
    #expect(try fixture.visits(of: store) == before)
    #expect(try store.ending(.history) == end)
    #expect(before.count == 500)
  }

  @Test func `a count is a maximum, never a sum`() throws {
    try fixture.add([visit("https://v.test/", 0, count: 3)], to: store)
    #expect(try fixture.add([visit("https://v.test/", 0, count: 5)], to: store)[.history].changed == 1)
    #expect(try fixture.add([visit("https://v.test/", 0, count: 3)], to: store)[.history].unchanged == 1)
    #expect(try fixture.visits(of: store).map(\.visitCount) == [5])
  }

  @Test func `a newer title holds for all visits of its page, an older one does not`() throws {
    try fixture.add([visit("https://t.test/", 5, title: "new")], to: store)
    try fixture.add([visit("https://t.test/", 1, title: "old"), visit("https://t.test/", 3)], to: store)
    #expect(try fixture.visits(of: store).map(\.title) == ["new", "new", "new"])
    let report = try fixture.add([visit("https://t.test/", 5, title: "newer than new")], to: store)[.history]
    #expect(report.changed == 1)
    #expect(try Set(fixture.visits(of: store).map(\.title)) == ["newer than new"])
  }

  @Test(arguments: 0..<30) func `visits met twice merge alike in either order`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let one = generator.visits(60, pages: 4, seconds: 5)
    let two = generator.visits(60, pages: 4, seconds: 5)
    try fixture.add(one, to: store)
    try fixture.add(two, to: store)
    let other = try fixture.store()
    try fixture.add(two, to: other)
    try fixture.add(one, to: other)
    let here = try Set(fixture.visits(of: store))
    #expect(try Set(fixture.visits(of: other)) == here)
    let (left, right) = (try store.ending(.history)[.visits], try other.ending(.history)[.visits])
    #expect(left?.digest == right?.digest && left?.count == Int64(here.count))
  }

  @Test func `a redirect's destination is derived from the visit that says it back`() throws {
    var from = visit("http://a.test/", 1)
    var to = visit("https://a.test/", 2)
    to.redirectSource = .init(url: from.url, visitedAt: from.visitedAt)
    try fixture.add([from, to], to: store)
    from.redirectDestination = .init(url: to.url, visitedAt: to.visitedAt)
    #expect(try fixture.visits(of: store) == [from, to])
    #expect(try fixture.add([from, to], to: store)[.history].unchanged == 2)
  }

  @Test func `what cannot be taken is skipped, said and counted`() throws {
    var odd = visit("https://a.test/", 1)
    odd.visitedAt = Timestamp(microseconds: -1)
    let long = visit("https://a.test/" + String(repeating: "x", count: 140_000), 1)
    let report = try fixture.add([odd, visit("", 1), long, visit("https://b.test/", 1)], to: store)
    #expect(report[.history].found == 4 && report[.history].skipped == 3 && report[.history].added == 1)
    #expect(report.remarks.count == 3)
  }

  @Test func `numbered pages of two sources with the same numbers are told apart`() throws {
    let run = try store.beginImport(ImportOptions(kind: .file, label: "two"))
    for name in ["a", "b"] {
      var pages = PageBatch()
      pages.append(number: 7, url: "https://\(name).test/7".utf8, title: "7 of \(name)".utf8)
      pages.append(number: 3, url: "https://\(name).test/3".utf8, title: nil as String.UTF8View?)
      try run.apply(.pages(pages))
      var visits = VisitBatch()
      visits.visits = [.init(page: 7, time: 1), .init(page: 3, time: 2), .init(page: 99, time: 3)]
      try run.apply(.visits(visits))
    }
    let report = try run.finish()
    #expect(report[.history].added == 4 && report[.history].skipped == 2)
    #expect(
      try Set(fixture.visits(of: store).map(\.url)) == [
        "https://a.test/7", "https://a.test/3", "https://b.test/7", "https://b.test/3",
      ])
  }

  @Test(arguments: [UInt64](0..<5)) func `flat and numbered history make the same store`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let visits = generator.visits(300)
    try fixture.add(visits, to: store)
    let other = try fixture.store()
    let run = try other.beginImport(ImportOptions(kind: .file, label: "numbered"))
    let (pages, numbered) = numbered(visits)
    try run.apply(.pages(pages))
    try run.apply(.visits(numbered))
    let report = try run.finish()
    #expect(report[.history].added == 300)
    #expect(try Set(fixture.visits(of: other)) == Set(fixture.visits(of: store)))
    #expect(try other.ending(.history)[.visits]?.digest == store.ending(.history)[.visits]?.digest)
    #expect(try fixture.add(visits, to: other)[.history].unchanged == 300)
  }

  /// The same visits with numbers for their pages, in an order that is neither that of numbers nor of addresses.
  private func numbered(_ visits: [HistoryVisit]) -> (PageBatch, VisitBatch) {
    var numbers: [String: Int64] = [:]
    var pages = PageBatch()
    var batch = VisitBatch()
    func number(_ url: String) -> Int64 {
      if let known = numbers[url] { return known }
      numbers[url] = Int64(5_000 - numbers.count * 7)
      var page = PageBatch.Page(number: numbers[url] ?? 0, url: pages.add(url.utf8), title: nil)
      let titled = visits.filter { $0.url == url && $0.title != nil }
      let best = titled.max { ($0.visitedAt, $0.title ?? "") < ($1.visitedAt, $1.title ?? "") }
      if let best, let title = best.title {
        page.title = pages.add(title.utf8)
        page.titleTime = best.visitedAt.microseconds
      }
      pages.pages.append(page)
      return numbers[url] ?? 0
    }
    for visit in visits {
      var row = VisitBatch.Visit(page: number(visit.url), time: visit.visitedAt.microseconds)
      row.occurrence = Int32(visit.occurrence)
      row.transition = visit.transition?.rawValue ?? 0
      if !visit.loaded { row.flags.insert(.loadFailed) }
      if !visit.httpGet { row.flags.insert(.notGet) }
      if visit.hidden { row.flags.insert(.hidden) }
      if visit.redirectSource != nil { row.flags.insert(.linkIsRedirect) }
      if let link = visit.redirectSource ?? visit.referrer {
        row.linkPage = number(link.url)
        row.linkDelta = visit.visitedAt.microseconds - link.visitedAt.microseconds
      }
      var more = VisitBatch.Attributes()
      more.visitCount = Int64(visit.visitCount)
      more.destination = visit.redirectDestination
      more.referrer = visit.redirectSource == nil ? nil : visit.referrer
      more.unknown = visit.unknown
      if !more.isEmpty {
        row.attributes = Int32(batch.attributes.count)
        batch.attributes.append(more)
      }
      if let profile = visit.profile {
        if batch.profiles.count == 1 { batch.profiles.append(profile) }
        row.profile = 1
      }
      batch.visits.append(row)
    }
    return (pages, batch)
  }

  @Test func `a search finds titles and addresses, and a limit gives the newest`() throws {
    try fixture.add(
      [
        visit("https://one.test/", 1, title: "Überblick"), visit("https://two.test/", 2),
        visit("https://three.test/", 3, title: "Two of them"),
      ], to: store)
    func list(_ search: String?, _ limit: Int?) throws -> [String] {
      var urls: [String] = []
      try store.list(.history, search: search, limit: limit) { record in
        if case .historyVisit(let visit) = record { urls.append(visit.url) }
      }
      return urls
    }
    #expect(try list("TWO", nil) == ["https://three.test/", "https://two.test/"])
    #expect(try list("überBLICK", nil) == ["https://one.test/"])
    #expect(try list(nil, 2) == ["https://three.test/", "https://two.test/"])
    #expect(try list("nowhere", nil).isEmpty)
  }

  @Test func `a capture is visible to another connection before it ends`() throws {
    let home = fixture.home
    let store = try RecordStore.open(home: home)
    let reader = try RecordStore.open(home: home)
    let run = try store.beginImport(ImportOptions(kind: .capture, label: "profile"))
    var pages = PageBatch()
    for number in 1...30_000 {
      pages.append(number: Int64(number), url: "https://\(number).test/".utf8, title: nil as String.UTF8View?)
    }
    try run.apply(.pages(pages))
    for start in [0, 10_000, 20_000] {
      var visits = VisitBatch()
      visits.visits = (1...10_000).map { .init(page: Int64(start + $0), time: Int64(start + $0)) }
      try run.apply(.visits(visits))
    }
    #expect(try reader.counts()[.history] == 30_000)
    #expect(try run.finish()[.history].added == 30_000)
  }
}
