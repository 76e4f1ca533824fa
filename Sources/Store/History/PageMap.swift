/// A source's page numbers and what they are here. Later numbers hide earlier ones. About 24 bytes a page.
struct PageMap {
  /// What a number stands for; `page` is 0 when the page was deleted here since.
  struct Target {
    var page: Int64
    var hash: RowHash
  }

  /// Numbers in ascending order: mostly one run, mostly without gaps.
  private struct Segment {
    var numbers: [Int64] = []
    var pages: [UInt32] = []
    var hashes: [RowHash] = []

    @inline(__always)
    func index(of number: Int64) -> Int? {
      guard let first = numbers.first, let last = numbers.last, number >= first, number <= last else { return nil }
      let (guess, overflow) = number.subtractingReportingOverflow(first)
      if !overflow, guess < numbers.count, numbers[Int(guess)] == number { return Int(guess) }
      var low = 0
      var high = numbers.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[middle] < number { low = middle + 1 } else { high = middle }
      }
      return low < numbers.count && numbers[low] == number ? low : nil
    }
  }

  private var segments: [Segment] = []

  /// What a number stands for; nil when it was never given.
  @inline(__always)
  func target(of number: Int64) -> Target? {
    var position = segments.count
    while position > 0 {
      position -= 1
      if let index = segments[position].index(of: number) {
        return Target(page: Int64(segments[position].pages[index]), hash: segments[position].hashes[index])
      }
    }
    return nil
  }

  /// Adds numbers in any order. Pages' own numbers are row sequences, below 2^32.
  mutating func add(_ entries: [(number: Int64, target: Target)]) {
    var sorted = entries
    if !zip(entries, entries.dropFirst()).allSatisfy({ $0.number < $1.number }) {
      // Of equal numbers the later one holds.
      sorted = []
      let order = entries.indices.sorted { (entries[$0].number, $0) < (entries[$1].number, $1) }
      for index in order {
        if sorted.last?.number == entries[index].number { sorted.removeLast() }
        sorted.append(entries[index])
      }
    }
    guard let first = sorted.first else { return }
    if let last = segments.last?.numbers.last, last < first.number {
      append(sorted)
    } else {
      segments.append(Segment())
      append(sorted)
    }
  }

  private mutating func append(_ sorted: [(number: Int64, target: Target)]) {
    let last = segments.count - 1
    for entry in sorted {
      segments[last].numbers.append(entry.number)
      segments[last].pages.append(UInt32(truncatingIfNeeded: entry.target.page))
      segments[last].hashes.append(entry.target.hash)
    }
  }
}
