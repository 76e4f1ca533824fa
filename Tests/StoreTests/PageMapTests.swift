import Testing

@testable import Store

@Suite struct PageMapTests {
  private func entry(_ number: Int64, _ page: Int64) -> (number: Int64, target: PageMap.Target) {
    (number, PageMap.Target(page: page, hash: RowHash(high: UInt64(number), low: UInt64(page))))
  }

  @Test(arguments: [UInt64](0..<20)) func `it answers as a dictionary does`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var map = PageMap()
    var known: [Int64: Int64] = [:]
    var last: Int64 = 0
    for round in 0..<12 {
      var entries: [(number: Int64, target: PageMap.Target)] = []
      for _ in 0..<Int.random(in: 0..<30, using: &generator) {
        // Runs without gaps, runs with gaps, and numbers in any order.
        last = round % 3 == 0 ? last + 1 : round % 3 == 1 ? last + 3 : Int64.random(in: 1...200, using: &generator)
        let page = Int64.random(in: 1...1_000_000, using: &generator)
        entries.append(entry(last, page))
        known[last] = page
      }
      map.add(entries)
    }
    for number in Int64(0)...400 { #expect(map.target(of: number)?.page == known[number]) }
    #expect(map.target(of: .max) == nil && map.target(of: .min) == nil)
  }
}
