/// Numbers visits of one page at one time, which come in the order of time.
struct Occurrences {
  /// In a larger group of one time its pages must come together, or counting would take too long.
  static let maximumGroup = 256

  private var time = Int64.min
  private var first: (page: Int64, count: Int32) = (0, 0)
  private var others: [(page: Int64, count: Int32)] = []

  /// How many visits of this page at this time came before.
  mutating func next(page: Int64, time: Int64) -> Int32 {
    if time != self.time {
      self.time = time
      first = (page, 0)
      if !others.isEmpty { others.removeAll() }
      return 0
    }
    if page == first.page {
      first.count &+= 1
      return first.count
    }
    if let index = others.suffix(Occurrences.maximumGroup).lastIndex(where: { $0.page == page }) {
      others[index].count &+= 1
      return others[index].count
    }
    if others.count >= 2 * Occurrences.maximumGroup { others.removeFirst(Occurrences.maximumGroup) }
    others.append((page, 0))
    return 0
  }
}
