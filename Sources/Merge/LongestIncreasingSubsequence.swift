/// Which items of a list already stand in order: all others are to be placed anew, and no fewer would do.
package enum LongestIncreasingSubsequence {
  /// The indices, ascending, of a longest strictly increasing subsequence.
  package static func indices<Value: Comparable>(of values: [Value]) -> [Int] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: values.count)
    for (index, value) in values.enumerated() {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if values[tails[middle]] < value { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    guard var at = tails.last else { return [] }
    var result: [Int] = []
    while at >= 0 {
      result.append(at)
      at = before[at]
    }
    return result.reversed()
  }
}
