internal import BrowsingData

/// Ids that were given. They are hashes already: a keyed word of each says where it belongs, so that nobody can choose
/// records whose ids crowd in one place.
struct RecordIDSet {
  private static let free = RecordID(high: 0, low: 0)
  /// Open addressing; the size is a power of two, at most five eighths of it are taken.
  private var slots: [RecordID]
  private var count = 0
  private var hasFree = false
  private let hash = TextHash()

  /// `expected` is a guess at how many come.
  init(expected: Int) {
    var size = 64
    while size &* 5 < expected &* 8, size < 1 << 22 { size *= 2 }
    slots = [RecordID](repeating: RecordIDSet.free, count: size)
  }

  /// Adds an id; false when it was there.
  mutating func insert(_ id: RecordID) -> Bool {
    if id == RecordIDSet.free {
      defer { hasFree = true }
      return !hasFree
    }
    if count &* 8 >= slots.count &* 5 { grow() }
    let place = place(of: id)
    if slots[place] == id { return false }
    slots[place] = id
    count &+= 1
    return true
  }

  /// Where an id is, or belongs.
  private func place(of id: RecordID) -> Int {
    let mask = slots.count &- 1
    var place = Int(truncatingIfNeeded: hash(id.high, id.low)) & mask
    while slots[place] != id, slots[place] != RecordIDSet.free { place = (place &+ 1) & mask }
    return place
  }

  private mutating func grow() {
    let old = slots
    slots = [RecordID](repeating: RecordIDSet.free, count: old.count * 2)
    for id in old where id != RecordIDSet.free { slots[place(of: id)] = id }
  }
}
