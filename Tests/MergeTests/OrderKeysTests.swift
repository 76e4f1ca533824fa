import Merge
import Testing

@Suite struct OrderKeysTests {
  @Test func `keys at the end and at the front stay ten bytes long`() throws {
    var last: OrderKey?
    var first: OrderKey?
    for tag in 0..<5_000 {
      let next = try #require(OrderKeys.between(last, nil, tag: UInt32(tag)))
      if let last { #expect(last < next) }
      last = next
      first = first ?? next
      let before = try #require(OrderKeys.between(nil, first, tag: UInt32(tag)))
      if let first { #expect(before < first) }
      first = before
    }
    #expect(last?.count == 10)
    #expect(first?.count == 10)
  }

  @Test func `random insertions keep the list in order, in bytes and in positions, or say that there is no room`() {
    var random = SeededRandom(seed: 2)
    var keys = OrderKeys.fresh(2, tag: 1)
    var fresh = 0
    for _ in 0..<4_000 {
      let place = random.below(8) == 0 ? random.below(keys.count + 1) : keys.count / 2
      let low = place > 0 ? keys[place - 1] : nil
      let high = place < keys.count ? keys[place] : nil
      if let key = OrderKeys.between(low, high, tag: UInt32(truncatingIfNeeded: random.next())) {
        keys.insert(key, at: place)
      } else {
        keys = OrderKeys.fresh(keys.count + 1, tag: 3)
        fresh += 1
      }
    }
    for (left, right) in zip(keys, keys.dropFirst()) {
      #expect(left < right)
      #expect(left.bytes.lexicographicallyPrecedes(right.bytes))
      #expect(left.position < right.position)
    }
    #expect(fresh < 200)
  }

  @Test(arguments: [1, 2, 3, 100, 3_000])
  func `a run between two neighbours is in order`(count: Int) throws {
    let ends = OrderKeys.fresh(2, tag: 7)
    var low = ends[0]
    for _ in 0..<3 {
      guard let keys = OrderKeys.spread(count, low, ends[1], tag: 9) else { return }
      #expect(keys.count == count)
      let all = [low] + keys + [ends[1]]
      #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 && $0.position < $1.position })
      low = keys[keys.count / 2]
    }
  }

  @Test func `there is no key between equal keys or past the end`() throws {
    let key = OrderKeys.fresh(1, tag: 0)[0]
    #expect(OrderKeys.between(key, key, tag: 1) == nil)
    let greatest = try #require(OrderKey([255, 255, 255, 255, 255, 255, 0, 0, 0, 0]))
    #expect(OrderKeys.between(greatest, nil, tag: 1) == nil)
    let least = try #require(OrderKey([0, 0, 0, 0, 0, 1, 0, 0, 0, 0]))
    #expect(OrderKeys.between(nil, least, tag: 1) == nil)
  }

  @Test func `any bytes up to 1 KiB are a key and come back, ordered as bytes`() throws {
    var random = SeededRandom(seed: 3)
    let keys = try (0..<400).map { _ -> OrderKey in
      let bytes = (0..<(1 + random.below(20))).map { _ in UInt8(random.below(3)) }
      let key = try #require(OrderKey(bytes))
      #expect(key.bytes == bytes)
      return key
    }
    for left in keys {
      for right in keys.prefix(40) {
        #expect((left < right) == left.bytes.lexicographicallyPrecedes(right.bytes))
        #expect((left == right) == (left.bytes == right.bytes))
      }
    }
    #expect(OrderKey([]) == nil)
    #expect(OrderKey([UInt8](repeating: 1, count: 1_025)) == nil)
  }

  @Test func `the longest increasing subsequence is one, and none is longer`() {
    var random = SeededRandom(seed: 4)
    for _ in 0..<300 {
      let values = (0..<random.below(9)).map { _ in random.below(8) }
      let found = LongestIncreasingSubsequence.indices(of: values)
      #expect(zip(found, found.dropFirst()).allSatisfy { $0 < $1 && values[$0] < values[$1] })
      var longest = 0
      for mask in 0..<(1 << values.count) {
        let chosen = values.indices.filter { mask >> $0 & 1 == 1 }
        if zip(chosen, chosen.dropFirst()).allSatisfy({ values[$0] < values[$1] }) {
          longest = max(longest, chosen.count)
        }
      }
      #expect(found.count == longest)
    }
  }
}
