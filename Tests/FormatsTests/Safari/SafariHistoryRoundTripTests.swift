import BrowsingData
import TestSupport
import Testing

@testable import Formats

/// Random histories through a written export and back.
@Suite struct SafariHistoryRoundTripTests {
  @Test(arguments: 1...6 as ClosedRange<UInt64>)
  func `a random history survives, its chains linked both ways`(seed: UInt64) throws {
    var numbers = SeededGenerator(seed: seed)
    var visits = chains(&numbers, count: 400)
    if seed.isMultiple(of: 2) { visits.shuffle(using: &numbers) }
    let text = try write(visits)
    #expect(try read(text, chunk: .max) == visits)
    #expect(try read(text, chunk: 61) == visits)
  }

  private func chains(_ numbers: inout SeededGenerator, count: Int) -> [HistoryVisit] {
    var visits: [HistoryVisit] = []
    var time: Int64 = 1_400_000_000_000_000
    while visits.count < count {
      var chain: [HistoryVisit] = []
      for _ in 0..<Int.random(in: 1...5, using: &numbers) {
        time += Int64.random(in: 1...1_000_000_000, using: &numbers)
        var visit = HistoryVisit(
          url: "https://h\(time % 97).test/?" + numbers.text(6), visitedAt: Timestamp(microseconds: time),
          visitCount: Int.random(in: 1...9, using: &numbers))
        let title = numbers.text(12, lineEnds: true)
        visit.title = title.isEmpty ? nil : title
        visit.loaded = !numbers.chance(10)
        visit.httpGet = !numbers.chance(10)
        chain.append(visit)
      }
      for index in chain.indices.dropFirst() {
        let (before, after) = (chain[index - 1], chain[index])
        chain[index - 1].redirectDestination = .init(url: after.url, visitedAt: after.visitedAt)
        chain[index].redirectSource = .init(url: before.url, visitedAt: before.visitedAt)
      }
      visits += chain
    }
    return visits
  }

  private func write(_ visits: [HistoryVisit]) throws -> [UInt8] {
    let folder = TemporaryFolder()
    let path = folder["out.zip"]
    let metadata = SafariMetadata(browserName: "Wherry", browserVersion: "1", exportTime: 1_700_000_000_000_000)
    var sink = SafariArchiveSink(try AtomicFile(path), metadata: metadata)
    try sink.write(.history(visits))
    _ = try sink.finish()
    let archive = try ZIPArchive(FileInput(path))
    return try archive.input(0).bytes(upTo: 1 << 24)
  }

  private func read(_ text: [UInt8], chunk: Int) throws -> [HistoryVisit] {
    var found: [HistoryVisit] = []
    try SafariHistory(input: MemoryInput(text, chunk: chunk)).read(.history) { batch in
      if case .history(let visits) = batch { found += visits }
    }
    return found
  }
}
