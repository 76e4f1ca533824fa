/// Numbers of pages and whether each is hidden: two bits a page, so that millions fit in little memory.
struct PageSet {
  /// Numbers above this are no row ids that a browser ever reaches; they are kept apart.
  private static let denseEnd: Int64 = 1 << 26

  private var known: [UInt64] = []
  private var hidden: [UInt64] = []
  private var sparse: [Int64: Bool] = [:]

  /// Adds a page.
  mutating func insert(_ page: Int64, isHidden: Bool) {
    guard page >= 0, page < PageSet.denseEnd else {
      sparse[page] = isHidden
      return
    }
    let word = Int(page >> 6)
    if word >= known.count {
      let added = word + 1 - known.count
      known.append(contentsOf: repeatElement(0, count: added))
      hidden.append(contentsOf: repeatElement(0, count: added))
    }
    let bit: UInt64 = 1 << UInt64(page & 63)
    known[word] |= bit
    if isHidden { hidden[word] |= bit }
  }

  /// Whether the page is hidden; nil when it was never added.
  @inline(__always)
  func isHidden(_ page: Int64) -> Bool? {
    guard page >= 0, page < PageSet.denseEnd else { return sparse[page] }
    let word = Int(page >> 6)
    let bit: UInt64 = 1 << UInt64(page & 63)
    guard word < known.count, known[word] & bit != 0 else { return nil }
    return hidden[word] & bit != 0
  }
}
