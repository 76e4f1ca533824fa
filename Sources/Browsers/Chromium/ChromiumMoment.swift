/// The new visits of one time, which Chromium's redirects share: here it is settled which of them are there already, in
/// which order they stand, which led to which, and how each was reached.
struct ChromiumMoment {
  /// How a visit is tied to the one before it.
  enum Kind: UInt8 {
    case plain = 0
    /// By a redirect of the server.
    case serverRedirect = 1
    /// By a redirect of the page.
    case clientRedirect = 2
  }

  /// The visit that another one came from.
  struct Source {
    var row: Int64
    var core: Int64
    /// Its place among the entries; nil when it is of another time.
    var index: Int?
  }

  struct Entry {
    /// Its page's index, and the source's number of it.
    var page: Int
    var number: Int64
    var occurrence: Int64
    /// Negative for a redirect until that of its chain is known.
    var core: Int64
    var kind: Kind
    var isHidden: Bool
    /// The server's when the page did not load, else 0.
    var answer: Int64 = 0
    /// Where it came from: nil when it came from nowhere, -1 when that page is not known.
    var linkPage: Int?
    var linkTime: Int64 = 0
    /// How many visits it stands for.
    var count: Int64 = 1
    /// Its number among those of its page.
    var rank: Int64 = 0
    /// Its row in `visits`.
    var row: Int64 = 0
    var isNew = true
    var source: Source?
    /// Whether a server sent on from here.
    var hasLedOn = false
  }

  /// More of one time are taken in parts.
  static let maximumCount = 1 << 16

  var time = Int64.min
  var entries: [Entry] = []
  /// Entries by page, then row, as far as they are needed.
  private var places: [(page: Int, row: Int64, index: Int)] = []

  var isFull: Bool { entries.count >= ChromiumMoment.maximumCount }

  /// Begins anew.
  mutating func begin(_ time: Int64) {
    self.time = time
    entries.removeAll(keepingCapacity: true)
    places.removeAll(keepingCapacity: true)
  }

  /// Numbers the visits of each page, and drops those that came twice; how many these were. `isLater`: others of this time
  /// may have been written before.
  mutating func rank(isLater: Bool) -> Int {
    if entries.count > 1 {
      entries.sort { ($0.page, $0.occurrence, $0.number) < ($1.page, $1.occurrence, $1.number) }
    }
    var kept = 0
    for index in entries.indices {
      var entry = entries[index]
      var rank: Int64 = 0
      if kept > 0, entries[kept - 1].page == entry.page {
        let before = entries[kept - 1]
        if before.occurrence == entry.occurrence, before.number == entry.number { continue }
        rank = before.rank + 1
      }
      entry.rank = isLater ? max(rank, entry.occurrence) : rank
      entries[kept] = entry
      kept += 1
    }
    let doubles = entries.count - kept
    entries.removeLast(doubles)
    return doubles
  }

  /// Gives rows to those that are new, a redirect after what it may have come from; all stand in the order of rows then.
  mutating func number(from next: inout Int64) {
    if entries.count > 1 {
      entries.sort { one, other in
        if one.isNew != other.isNew { return other.isNew }
        if !one.isNew { return one.row < other.row }
        return (one.rank, one.kind == .plain ? 0 : 1, one.number) < (
          other.rank, other.kind == .plain ? 0 : 1, other.number
        )
      }
    }
    for index in entries.indices where entries[index].isNew {
      entries[index].row = next
      next &+= 1
    }
  }

  /// The visit of a page at this time that one of the entries came from: the last one before it, else the last one.
  mutating func source(of index: Int, page: Int) -> Source? {
    guard entries.count > 1 else { return nil }
    if places.isEmpty {
      places = entries.indices.map { (entries[$0].page, entries[$0].row, $0) }
      places.sort { ($0.page, $0.row) < ($1.page, $1.row) }
    }
    let before = lastPlace { ($0.page, $0.row) < (page, entries[index].row) }
    if let before, places[before].page == page { return source(at: places[before].index) }
    let last = lastPlace { $0.page <= page }
    guard let last, places[last].page == page, places[last].index != index else { return nil }
    return source(at: places[last].index)
  }

  private func source(at index: Int) -> Source {
    Source(row: entries[index].row, core: entries[index].core, index: index)
  }

  /// The last of the places that come first by some order.
  private func lastPlace(_ isBefore: ((page: Int, row: Int64, index: Int)) -> Bool) -> Int? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(places[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  /// A redirect has the core of the visit that its chain began with. Chains longer than any browser follows end at 64.
  mutating func settleCores() {
    for start in entries.indices where entries[start].core < 0 {
      var path = [start]
      var core: Int64 = 0
      while path.count <= 64, let source = entries[path[path.count - 1]].source {
        guard let index = source.index else {
          core = max(0, source.core)
          break
        }
        if entries[index].core >= 0 {
          core = entries[index].core
          break
        }
        path.append(index)
      }
      for index in path { entries[index].core = core }
    }
  }
}
