import BrowsingData
import Merge
import Testing

@Suite struct RecordStateTests {
  @Test func `join is commutative, associative and idempotent on random histories`() {
    var random = SeededRandom(seed: 1)
    var concurrent = 0
    for _ in 0..<2_000 {
      let states = randomStates(&random)
      let (a, b, c) = (states[0], states[1], states[2])
      #expect(a.joined(with: b) == b.joined(with: a))
      #expect(a.joined(with: b).joined(with: c) == a.joined(with: b.joined(with: c)))
      #expect(a.joined(with: a) == a)
      #expect(a.joined(with: b).joined(with: a) == a.joined(with: b))
      if a.joined(with: b).versions.count > 1 { concurrent += 1 }
    }
    #expect(concurrent > 200)
  }

  @Test func `a deletion removes what it had seen and no more`() {
    var mine = RecordState()
    _ = mine.write([FieldChange(number: 1, value: [1])], dot: dot(1, 1), now: 10)
    var theirs = mine
    mine.delete(grave: nil)
    #expect(!mine.joined(with: theirs).isAlive)
    _ = theirs.write([FieldChange(number: 1, value: [2])], dot: dot(2, 1), now: 5)
    #expect(mine.joined(with: theirs).fields.map(\.value) == [[2]])
  }

  @Test func `two edits of different fields are both shown`() {
    var mine = RecordState()
    _ = mine.write([FieldChange(number: 1, value: [1]), FieldChange(number: 2, value: [1])], dot: dot(1, 1), now: 10)
    var theirs = mine
    _ = mine.write([FieldChange(number: 1, value: [7])], dot: dot(1, 2), now: 20)
    _ = theirs.write([FieldChange(number: 2, value: [8])], dot: dot(2, 1), now: 15)
    let joined = mine.joined(with: theirs)
    #expect(joined.versions.count == 2)
    #expect(joined.fields.map(\.value) == [[7], [8]])
    #expect(joined.conflicts.isEmpty)
  }

  @Test func `of two edits of one field the loser is a conflict until the next edit, which gives it back`() {
    var mine = RecordState()
    _ = mine.write([FieldChange(number: 1, value: [1])], dot: dot(1, 1), now: 10)
    var theirs = mine
    _ = mine.write([FieldChange(number: 1, value: [7])], dot: dot(1, 2), now: 20)
    _ = theirs.write([FieldChange(number: 1, value: [8])], dot: dot(2, 1), now: 15)
    var joined = mine.joined(with: theirs)
    #expect(joined.fields.map(\.value) == [[7]])
    #expect(joined.conflicts.map(\.value) == [[8]])
    let lost = joined.write([FieldChange(number: 3, value: [3])], dot: dot(1, 3), now: 1)
    #expect(lost.map(\.value) == [[8]])
    #expect(joined.conflicts.isEmpty)
    #expect(joined.fields.map(\.value) == [[7], [3]])
  }

  @Test func `a wall clock that went back never makes an edit older than what it replaces`() {
    var state = RecordState()
    _ = state.write([FieldChange(number: 1, value: [1])], dot: dot(1, 1), now: 1_000)
    let old = state
    _ = state.write([FieldChange(number: 1, value: [2])], dot: dot(2, 1), now: 5)
    #expect(state.fields[0].stamp.time == 1_001)
    #expect(state.joined(with: old).fields[0].value == [2])
  }

  @Test func `a field taken away stays away against an older value of it`() {
    var mine = RecordState()
    _ = mine.write([FieldChange(number: 1, value: [1]), FieldChange(number: 2, value: [2])], dot: dot(1, 1), now: 10)
    var theirs = mine
    _ = mine.write([FieldChange(number: 2, value: nil)], dot: dot(1, 2), now: 20)
    _ = theirs.write([FieldChange(number: 1, value: [5])], dot: dot(2, 1), now: 15)
    #expect(mine.joined(with: theirs).fields.map(\.number) == [1])
  }

  @Test func `the newest grave counts`() {
    var mine = RecordState()
    _ = mine.write([FieldChange(number: 1, value: [1])], dot: dot(1, 1), now: 10)
    var theirs = mine
    mine.delete(grave: Grave(stamp: Stamp(time: 10, dot: dot(1, 1)), parent: .menu))
    theirs.delete(grave: Grave(stamp: Stamp(time: 12, dot: dot(2, 1)), parent: .toolbar))
    #expect(mine.joined(with: theirs).grave?.parent == .toolbar)
    #expect(theirs.joined(with: mine).grave?.parent == .toolbar)
  }

  private func dot(_ replica: UInt64, _ counter: Int64) -> Dot {
    Dot(replica: RecordID(high: 9, low: replica), counter: counter)
  }

  /// Three devices that edit, delete and meet at random.
  private func randomStates(_ random: inout SeededRandom) -> [RecordState] {
    var states = [RecordState](repeating: RecordState(), count: 3)
    var counters: [Int64] = [0, 0, 0]
    for _ in 0..<(3 + random.below(12)) {
      let one = random.below(3)
      switch random.below(8) {
      case 0...4:
        counters[one] += 1
        let changes = (0..<(1 + random.below(3))).map { _ in
          FieldChange(number: UInt64(random.below(4)), value: random.below(6) == 0 ? nil : [UInt8(random.below(5))])
        }
        let unique = Dictionary(changes.map { ($0.number, $0) }) { $1 }.values.map { $0 }
        _ = states[one].write(unique, dot: dot(UInt64(one), counters[one]), now: Int64(random.below(50)))
      case 5: states[one].delete(grave: random.below(2) == 0 ? nil : grave(&random))
      default: states[one] = states[one].joined(with: states[random.below(3)])
      }
    }
    return states
  }

  private func grave(_ random: inout SeededRandom) -> Grave {
    Grave(
      stamp: Stamp(time: Int64(random.below(50)), dot: dot(UInt64(random.below(3)), 1)),
      parent: RecordID(high: 1, low: UInt64(random.below(4))))
  }
}
