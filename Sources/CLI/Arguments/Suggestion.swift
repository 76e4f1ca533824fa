/// " Did you mean …?" when one of the words is near enough, else "".
func suggestion(for text: String, among words: [String]) -> String {
  let ranked = words.map { (word: $0, distance: editDistance(text.lowercased(), $0)) }.sorted {
    $0.distance < $1.distance
  }
  if let best = ranked.first, best.distance <= max(1, min(3, best.word.count / 3)) {
    return " Did you mean ‘\(best.word)’?"
  }
  if text.count >= 3, let longer = words.first(where: { $0.hasPrefix(text.lowercased()) }) {
    return " Did you mean ‘\(longer)’?"
  }
  return ""
}

/// How many insertions, deletions, changes and swaps of neighbours make one word the other.
private func editDistance(_ left: String, _ right: String) -> Int {
  let left = Array(left.prefix(40)), right = Array(right.prefix(40))
  if left.isEmpty || right.isEmpty { return max(left.count, right.count) }
  var before: [Int] = []
  var last = Array(0...right.count)
  for i in 1...left.count {
    var row = [i]
    for j in 1...right.count {
      var best = min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (left[i - 1] == right[j - 1] ? 0 : 1))
      if i > 1, j > 1, left[i - 1] == right[j - 2], left[i - 2] == right[j - 1] { best = min(best, before[j - 2] + 1) }
      row.append(best)
    }
    before = last
    last = row
  }
  return last[right.count]
}
