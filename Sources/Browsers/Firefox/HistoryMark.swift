/// Which rows of a places.sqlite an edit has inserted, as a text that can be kept.
struct HistoryMark: CustomStringConvertible {
  /// Rows of moz_historyvisits.
  var visits: ClosedRange<Int64>
  /// Rows of moz_places; nil when no page was new.
  var pages: ClosedRange<Int64>?
  /// Visits of this moment or later are the browser's own: it may give a row number again that became free.
  var before: Int64

  init(visits: ClosedRange<Int64>, pages: ClosedRange<Int64>?, before: Int64) {
    self.visits = visits
    self.pages = pages
    self.before = before
  }

  /// From its text; nil for any other.
  init?(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { Int64($0) }
    guard numbers.count == 6, numbers[0] == 1, numbers[1] <= numbers[2] else { return nil }
    visits = numbers[1]...numbers[2]
    pages = numbers[3] <= numbers[4] ? numbers[3]...numbers[4] : nil
    before = numbers[5]
  }

  /// Version, four row numbers and the moment.
  var description: String {
    let pages = pages.map { "\($0.lowerBound) \($0.upperBound)" } ?? "1 0"
    return "1 \(visits.lowerBound) \(visits.upperBound) \(pages) \(before)"
  }
}
