import Browsers
import BrowsingData
import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct ChromiumHistoryTests {
  private let base: Int64 = 1_790_000_000_000_000
  private let backups = TemporaryDirectory()

  private func read(_ path: String) throws -> CollectedRecords {
    let profile = try ChromiumProfile(path: path)
    #expect(try RecordSourceContract.violations(of: profile) == [])
    return try CollectedRecords(profile, .history)
  }

  @Test func `of a long history a few visits on the first addresses come first, and all come once`() throws {
    let file = try ChromiumHistoryFile()
    try file.database.transaction {
      for page in Int64(1)...400 { try file.page(page, "https://host.test/\(1_000 - page)") }
      for id in Int64(1)...3_000 {
        try file.visit(id, page: id * 7 % 400 + 1, time: base + id / 3, from: id % 4 == 0 ? id - 3 : 0)
        if id % 50 == 0 { try file.visit(10_000 + id, page: id * 7 % 400 + 1, time: base + id / 3) }
      }
    }
    var order: [RecordBatch] = []
    try ChromiumProfile(path: file.path).read(.history) { order.append($0) }
    guard case .pages(let pages) = order.first, case .visits(let first) = order.dropFirst().first else {
      Issue.record("no pages and visits at first")
      return
    }
    #expect(first.visits.count == 64)
    let known = Set(pages.pages.map(\.number))
    #expect(first.visits.allSatisfy { known.contains($0.page) && $0.linkPage == 0 && $0.occurrence == 0 })
    #expect(known.allSatisfy { $0 > 250 })
    #expect(first.visits.allSatisfy { $0.time < base + 667 })
    #expect(zip(first.visits, first.visits.dropFirst()).allSatisfy { $0.time <= $1.time })
    let visits = try read(file.path).visits
    #expect(visits.count == 3_060)
    #expect(Set(visits.map { "\($0.url) \($0.visitedAt) \($0.occurrence)" }).count == 3_060)
    #expect(visits.filter { $0.occurrence == 1 }.count == 60)
    let links = visits.compactMap { visit in visit.referrer.map { (visit, $0) } }
    #expect(links.count == 750)
    // Each came from the visit three rows before.
    for (visit, link) in links {
      let id = Int64(1_000 - (Int64(visit.url.dropFirst("https://host.test/".count)) ?? 0))
      let from = Int64(1_000 - (Int64(link.url.dropFirst("https://host.test/".count)) ?? 0))
      #expect((id - from - 21) % 400 == 0)
      #expect(visit.visitedAt.microseconds - link.visitedAt.microseconds == 1)
    }
  }

  // MARK: - Delivering

  /// Visits as Chromium writes them: chains of one time, one that leads back to its page, redirects of pages, visits that
  /// were followed, twins, many of one time.
  private func fill(_ file: ChromiumHistoryFile, _ random: inout SeededGenerator) throws {
    let cores: [Int64] = [0, 0, 1, 2, 4, 5, 6, 7, 8]
    var id: Int64 = 0
    var time = base
    func add(_ bits: Int64, from: Int64, isTwin: Bool = false) throws {
      id += 1
      try file.visit(id, page: (id - (isTwin ? 1 : 0)) * 7 % 300 + 1, time: time, bits: bits, from: from)
    }
    try file.database.transaction {
      for page in Int64(1)...300 { try file.page(page, "https://site\(page % 7).test/\(page * 37 % 1_000)") }
      while id < 4_000 {
        if Int.random(in: 0..<3, using: &random) > 0 { time += Int64.random(in: 1...9, using: &random) }
        let from = id > 60 && Bool.random(using: &random) ? id - Int64.random(in: 0..<60, using: &random) : 0
        let core = cores.randomElement(using: &random) ?? 0
        switch Int.random(in: 0..<8, using: &random) {
        case 0:
          // A server sends on up to four times.
          let length = Int.random(in: 1...4, using: &random)
          try add(0x1000_0000 | core, from: from)
          for step in 1...length { try add(0x8000_0000 | core | (step == length ? 0x2000_0000 : 0), from: id) }
        case 1:
          time += 1
          try add(0x3000_0000 | core, from: from)
          time += 1
          try add(0x6000_0000, from: id)
        case 2:
          time += 1
          try add(0x1000_0000 | core, from: from)
          try add(0xA000_0000 | core, from: id, isTwin: true)
          time += 1
        case 3:
          try add(0x3000_0000 | core, from: from)
          try add(0x3000_0001, from: 0, isTwin: true)
        default: try add(0x3000_0000 | core, from: from)
        }
      }
    }
  }

  private func editor(_ file: ChromiumHistoryFile, _ name: String) throws -> ChromiumEditor {
    try ChromiumEditor(
      path: file.path, EditorOptions(backups: backups.file("kept"), name: name, now: Timestamp(microseconds: base)))
  }

  private func deliver(
    _ batches: [RecordBatch], into file: ChromiumHistoryFile, _ name: String
  ) throws -> HistoryResult {
    let editor = try editor(file, name)
    for batch in batches {
      if case .pages(let pages) = batch { try editor.insert(pages) }
      if case .visits(let visits) = batch { try editor.insert(visits) }
    }
    let result = try editor.finishHistory()
    _ = try editor.commit()
    return result
  }

  private func bits(_ file: ChromiumHistoryFile) throws -> [String] {
    let read = try Database(path: file.path + "/History", mode: .readOnly).prepare(
      """
      SELECT u.url || ' ' || v.visit_time || ' ' || (v.transition & 0xF00000FF) FROM visits v JOIN urls u ON u.id = v.url
      """)
    var lines: [String] = []
    while try read.step() { lines.append(read.text(0) ?? "") }
    return lines.sorted()
  }

  /// How a page was reached, and from where, but for which of two equal visits it was.
  private func facts(_ visits: [HistoryVisit]) -> [String] {
    visits.map { visit in
      let link = visit.redirectSource ?? visit.referrer
      return """
        \(visit.url) \(visit.visitedAt.microseconds) \(visit.occurrence) \(visit.transition?.name ?? "") \(visit.hidden) \
        \(visit.redirectSource != nil) \(link?.url ?? "") \(link?.visitedAt.microseconds ?? 0)
        """
    }.sorted()
  }

  @Test(arguments: [1, 2, 3])
  func `a long history arrives as it was, and once`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let (source, target) = (try ChromiumHistoryFile(), try ChromiumHistoryFile())
    try fill(source, &random)
    let before = try read(source.path)
    let result = try deliver(before.batches, into: target, "1")
    #expect(result.added == before.visits.count)
    #expect(result.skipped == 0)
    #expect(result.losses.keys.allSatisfy { $0.field == "visited_at" })
    #expect(facts(try read(target.path).visits) == facts(before.visits))
    #expect(try Set(bits(target)).symmetricDifference(bits(source)).sorted() == [])
    let again = try deliver(before.batches, into: target, "2")
    #expect(again.added == 0)
    #expect(again.unchanged == before.visits.count)
    #expect(try Set(bits(target)).symmetricDifference(bits(source)).sorted() == [])
  }

  @Test(arguments: [1, 2, 3])
  func `moments in any order arrive as those in the order of time`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    let (source, target) = (try ChromiumHistoryFile(), try ChromiumHistoryFile())
    try fill(source, &random)
    let before = try read(source.path)
    var visits = VisitBatch()
    var batches = before.batches.filter { batch in
      guard case .visits(let some) = batch else { return true }
      visits.visits += some.visits
      return false
    }
    // The first half in order, then everything, some of it a second time.
    let half = visits.visits.prefix(visits.visits.count / 2)
    let moments = Dictionary(grouping: visits.visits, by: \.time).sorted { $0.key < $1.key }.map(\.value)
    for part in [Array(half), moments.shuffled(using: &random).flatMap(\.self)] {
      var batch = VisitBatch()
      batch.visits = part
      batches.append(.visits(batch))
    }
    let result = try deliver(batches, into: target, "1")
    #expect(result.added == before.visits.count)
    #expect(result.unchanged == half.count)
    #expect(facts(try read(target.path).visits) == facts(before.visits))
    #expect(try Set(bits(target)).symmetricDifference(bits(source)).sorted() == [])
  }

  @Test func `a redirect that comes before the visit it came from has the kind of its chain`() throws {
    let target = try ChromiumHistoryFile()
    var pages = PageBatch()
    for page in Int64(1)...3 {
      pages.append(number: page, url: "https://\(page).test/".utf8, title: "\(page)".utf8)
    }
    var chain = (1...3).map { VisitBatch.Visit(page: $0, time: base + $0 * 10) }
    chain[0].transition = HistoryVisit.Transition.typed.rawValue
    for index in 1...2 {
      chain[index].transition = HistoryVisit.Transition.redirectPermanent.rawValue
      chain[index].flags = .linkIsRedirect
      chain[index].linkPage = Int64(index)
      chain[index].linkDelta = 10
    }
    var batches: [RecordBatch] = [.pages(pages)]
    for index in [1, 2, 0] {
      var batch = VisitBatch()
      batch.visits = [chain[index]]
      batches.append(.visits(batch))
    }
    let result = try deliver(batches, into: target, "1")
    #expect(result.added == 3)
    #expect(!result.losses.keys.contains { $0.field == "referrer" })
    #expect(
      try bits(target).map { $0.split(separator: " ").last ?? "" } == [
        "\(0x1000_0001)", "\(0x8000_0001)", "\(0xA000_0001)",
      ])
    #expect(try read(target.path).visits.map(\.transition) == [.typed, .typed, .typed])
  }

  @Test func `more visits of one time than are gathered are all written, and found again`() throws {
    let target = try ChromiumHistoryFile()
    var pages = PageBatch()
    for page in Int64(1)...9 { pages.append(number: page, url: "https://\(page).test/".utf8, title: "".utf8) }
    var batches: [RecordBatch] = [.pages(pages)]
    for start in stride(from: 0, to: 70_000, by: 10_000) {
      var batch = VisitBatch()
      batch.visits = (start..<start + 10_000).map { index in
        var visit = VisitBatch.Visit(page: Int64(index % 9 + 1), time: base)
        visit.occurrence = Int32(index / 9)
        return visit
      }
      batches.append(.visits(batch))
    }
    #expect(try deliver(batches, into: target, "1").added == 70_000)
    let again = try deliver(batches, into: target, "2")
    #expect(again.added == 0)
    #expect(again.unchanged == 70_000)
  }
}
