internal import BrowsingData

/// A source's page numbers and what they are here. Later numbers hide earlier ones. 24 bytes a page: numbers lie
/// densely together in whatever order they come, so they are kept by number, 512 to a block, and found without a search.
struct PageMap {
  /// What a number stands for; `page` is 0 when the page was deleted here since.
  struct Target {
    var page: Int64
    var hash: RowHash
  }

  private static let blockBits: Int64 = 9
  private static let blockSize = 512
  /// Blocks below this one are found by index, the few others by a dictionary.
  private static let indexed: Int64 = 1 << 20
  private static let absent = Place(hash: RowHash(high: 0, low: 0), page: .max)
  /// A peer that scatters its numbers must not make a block for each: from here on blocks must be an eighth full on average.
  private static let freePlaces = 1 << 20

  /// Where the block of a number begins, plus one; 0: there is none.
  private var index: [UInt32] = []
  private var distant: [Int64: UInt32] = [:]
  private var scattered: [Int64: Target] = [:]
  private var count = 0
  private var places: [Place] = []

  /// A target as it is kept: in one place, since each lookup waits for memory.
  private struct Place {
    var hash: RowHash
    /// The highest number: nothing was given.
    var page: UInt32
  }

  /// What a number stands for; nil when it was never given.
  @inline(__always)
  func target(of number: Int64) -> Target? {
    guard let start = start(of: number >> Self.blockBits) else { return scattered[number] }
    let place = places[start + Int(number & 511)]
    return place.page == .max ? scattered[number] : Target(page: Int64(place.page), hash: place.hash)
  }

  /// What the pages of visits stand for, and the numbers of the pages they link to, both in the visits' order; nil where a
  /// number was never given. Fetched together: one by one, between other work, each would be waited for.
  func targets(of visits: [VisitBatch.Visit]) -> (pages: [Target?], links: [Int64?]) {
    (visits.map { target(of: $0.page) }, visits.map { $0.linkPage == 0 ? nil : target(of: $0.linkPage)?.page })
  }

  @inline(__always)
  private func start(of block: Int64) -> Int? {
    if block >= 0, block < Self.indexed {
      guard block < index.count, index[Int(block)] != 0 else { return nil }
      return Int(index[Int(block)] - 1) * Self.blockSize
    }
    return distant[block].map { Int($0) * Self.blockSize }
  }

  /// Adds numbers in any order; of equal numbers the later one holds. Pages' own numbers are row sequences, below 2^32.
  mutating func add(_ entries: [(number: Int64, target: Target)]) {
    for entry in entries {
      count += 1
      guard let start = makeBlock(entry.number >> Self.blockBits) else {
        scattered[entry.number] = entry.target
        continue
      }
      places[start + Int(entry.number & 511)] = Place(
        hash: entry.target.hash, page: UInt32(truncatingIfNeeded: entry.target.page))
    }
  }

  private mutating func makeBlock(_ block: Int64) -> Int? {
    if let known = start(of: block) { return known }
    guard places.count < max(Self.freePlaces, 8 * count) else { return nil }
    let made = places.count / Self.blockSize
    places.append(contentsOf: repeatElement(Self.absent, count: Self.blockSize))
    if block >= 0, block < Self.indexed {
      if block >= index.count { index.append(contentsOf: repeatElement(0, count: Int(block) + 1 - index.count)) }
      index[Int(block)] = UInt32(made) + 1
    } else {
      distant[block] = UInt32(made)
    }
    return made * Self.blockSize
  }
}
