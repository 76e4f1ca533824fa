package import BrowsingData

/// Which edits have been seen: for each replica all up to a number.
package struct VersionVector: Hashable, Sendable {
  /// One replica and the greatest number seen from it.
  package struct Entry: Hashable, Sendable {
    /// The replica.
    package var replica: RecordID
    /// The greatest number seen.
    package var counter: Int64
    /// From its two parts.
    package init(replica: RecordID, counter: Int64) {
      self.replica = replica
      self.counter = counter
    }
  }

  /// In ascending order of the replicas, one for each.
  package private(set) var entries: [Entry] = []

  /// Nothing seen.
  package init() {}

  /// From entries in any order; of two for one replica the greater counts.
  package init(_ entries: some Sequence<Entry>) {
    for entry in entries { see(Dot(replica: entry.replica, counter: entry.counter)) }
  }

  /// Whether this edit has been seen.
  package func covers(_ dot: Dot) -> Bool {
    let place = self.place(of: dot.replica)
    return place < entries.count && entries[place].replica == dot.replica && entries[place].counter >= dot.counter
  }

  /// Takes note of an edit, and with it of all earlier ones of its replica.
  package mutating func see(_ dot: Dot) {
    let place = self.place(of: dot.replica)
    if place < entries.count, entries[place].replica == dot.replica {
      entries[place].counter = max(entries[place].counter, dot.counter)
    } else {
      entries.insert(Entry(replica: dot.replica, counter: dot.counter), at: place)
    }
  }

  /// What either has seen.
  package func joined(with other: VersionVector) -> VersionVector {
    var result = self
    for entry in other.entries { result.see(Dot(replica: entry.replica, counter: entry.counter)) }
    return result
  }

  private func place(of replica: RecordID) -> Int {
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].replica < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
