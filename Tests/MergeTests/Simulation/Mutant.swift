/// The design with one deliberate fault. The tests must catch each of them: a test that cannot is worth nothing.
enum Mutant: String, CaseIterable, Sendable {
  /// Concurrent moves make circles; items vanish from the view.
  case noCycleRepair
  /// A circle is cut by a rule that is no function of the state's stamps.
  case localCycleChoice
  /// Repairs are never written back before a local edit of the structure.
  case noCommittedRepairs
  /// A deletion decided by time instead of by what the deleter had seen.
  case deleteByTime
  /// A deleted record forgets what was seen of it.
  case forgottenContext
  /// Stamps are the wall clock alone: a later edit of one's own loses.
  case wallClockStamps
  /// Stamps rise by field and not by record.
  case stampsByField
  /// Equal siblings without an occurrence number: one's own items collapse.
  case noOccurrence
  /// Equal siblings of two devices stay two.
  case noGrouping
  /// Siblings ordered by a key that is not unique.
  case noTieBreak
  /// A peer's cursor is committed before its rows.
  case cursorFirst
  /// Rows are not sent in ascending order.
  case unorderedRows
  /// What came from a peer is never sent back, even when the merge added something.
  case echoAlways
  /// A restored store keeps its name and counts on from its counter.
  case plainCounter
  /// A restored store keeps its name; edits are numbered by time.
  case noRollbackCheck
  /// A restored store is noticed only at the next contact.
  case noLease
}

/// What a schedule does beside the plain design.
struct SimulationOptions: Sendable {
  var mutant: Mutant?
  /// Stores are put back to an earlier state now and then.
  var restores = true
  /// Own records are found to be a peer's at first contact, and the rest is placed around them.
  var adopts = false
  /// Unequal digests make both exchange everything.
  var heals = false

  func has(_ mutants: Mutant...) -> Bool { mutant.map { mutants.contains($0) } ?? false }
  /// A restored store is not noticed when it opens.
  var hasNoLease: Bool { has(.noLease, .noRollbackCheck, .plainCounter) }
  /// Nor by what its peers know of it.
  var hasNoRollbackCheck: Bool { has(.noRollbackCheck, .plainCounter) }
}

/// A property that does not hold.
struct Violation: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// A set of small numbers.
struct BitSet: Hashable {
  private var words: [UInt64] = []

  func contains(_ number: Int) -> Bool {
    number >> 6 < words.count && words[number >> 6] >> UInt64(number & 63) & 1 == 1
  }

  mutating func insert(_ number: Int) {
    while number >> 6 >= words.count { words.append(0) }
    words[number >> 6] |= 1 << UInt64(number & 63)
  }

  mutating func formUnion(_ other: BitSet) {
    while words.count < other.words.count { words.append(0) }
    for (index, word) in other.words.enumerated() { words[index] |= word }
  }

  static func == (left: BitSet, right: BitSet) -> Bool {
    let count = max(left.words.count, right.words.count)
    for index in 0..<count where left[word: index] != right[word: index] { return false }
    return true
  }

  private subscript(word index: Int) -> UInt64 { index < words.count ? words[index] : 0 }
}
