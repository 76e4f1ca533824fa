/// Numbers visits of one page at one time, which come in the order of time.
struct Occurrences {
  /// In a larger group of one time its pages must come together, or counting would take too long.
  static let maximumGroup = 256

  private var time = Int64.min
  private var group: [(page: Int64, count: Int32)] = []

  /// How many visits of this page at this time came before.
  mutating func next(page: Int64, time: Int64) -> Int32 {
    if time != self.time {
      self.time = time
      group.removeAll(keepingCapacity: true)
    } else if let index = group.suffix(Occurrences.maximumGroup).lastIndex(where: { $0.page == page }) {
      group[index].count &+= 1
      return group[index].count
    } else if group.count >= 2 * Occurrences.maximumGroup {
      group.removeFirst(Occurrences.maximumGroup)
    }
    group.append((page, 0))
    return 0
  }
}
