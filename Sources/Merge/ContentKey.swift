/// A hash of what makes two bookmarks equal (kind, title, address): made by whoever may hash, compared here.
package struct ContentKey: Hashable, Comparable, Sendable {
  /// The first eight bytes.
  package let high: UInt64
  /// The last eight bytes.
  package let low: UInt64
  /// From its two halves.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// An order, of no meaning.
  package static func < (left: ContentKey, right: ContentKey) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}
