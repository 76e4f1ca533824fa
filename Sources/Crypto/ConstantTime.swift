internal import CSodium

/// Comparison that takes the same time wherever the first difference is.
package enum ConstantTime {
  /// Whether both hold the same bytes. Different counts are told apart at once.
  package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && sodium_memcmp(left, right, left.count) == 0
  }
}
