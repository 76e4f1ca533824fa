/// Indices by the source's numbers of pages. A store numbers them densely; what is far off is kept apart.
struct PageIndices {
  private static let denseEnd: Int64 = 1 << 24
  private static let none: Int32 = -1
  private static let refused: Int32 = -2
  private var dense: [Int32] = []
  private var sparse: [Int64: Int32] = [:]

  /// nil when the page has not come or was refused.
  subscript(_ number: Int64) -> Int? {
    let index = index(number)
    return index >= 0 ? Int(index) : nil
  }

  /// Whether the page came and cannot be held.
  func isRefused(_ number: Int64) -> Bool { index(number) == PageIndices.refused }

  /// The page came.
  mutating func insert(_ number: Int64, _ index: Int) { set(number, Int32(truncatingIfNeeded: index)) }

  /// The page came and cannot be held.
  mutating func refuse(_ number: Int64) { set(number, PageIndices.refused) }

  @inline(__always)
  private func index(_ number: Int64) -> Int32 {
    guard number >= 0, number < PageIndices.denseEnd else { return sparse[number] ?? PageIndices.none }
    return number < dense.count ? dense[Int(number)] : PageIndices.none
  }

  private mutating func set(_ number: Int64, _ index: Int32) {
    guard number >= 0, number < PageIndices.denseEnd else {
      sparse[number] = index
      return
    }
    if number >= dense.count {
      dense.append(contentsOf: repeatElement(PageIndices.none, count: Int(number) + 1 - dense.count))
    }
    dense[Int(number)] = index
  }
}
