internal import Glibc

/// A page's frecency as Firefox computes it. It would do so itself, but only for 50 pages every two minutes; until then
/// the address bar would not know the page.
enum PlacesFrecency {
  /// How many of the newest visits count.
  static let sampled = 10
  private static let decay: Double = Glibc.log(2.0 as Double) / 30
  private static let day = 86_400_000_000.0

  /// How a visit counts.
  enum Weight: UInt8 {
    case none = 0
    case redirectSource = 20
    case followed = 50
    case chosen = 100

    /// By `visit_type`, and whether the visit redirected to another page.
    init(type: Int64, isRedirectSource: Bool) {
      if isRedirectSource {
        self = .redirectSource
        return
      }
      switch type {
      case 1, 5, 6: self = .followed
      case 2, 3: self = .chosen
      default: self = .none
      }
    }
  }

  /// From the newest visits (microseconds since 1970, at most ten, in any order) and the page's `visit_count`. It is a
  /// day number: that on which the decayed score comes down to 1.
  static func value(_ visits: some Collection<(time: Int64, weight: Weight)>, count: Int64) -> Int64 {
    guard let newest = visits.map(\.time).max() else { return 0 }
    let reference = Double(newest) / day
    var score = 0.0
    for visit in visits {
      score += Double(visit.weight.rawValue) * Glibc.exp(-decay * (reference - Double(visit.time) / day))
    }
    guard score > 0 else { return 0 }
    if count > Int64(visits.count) { score *= Double(count) / Double(visits.count) }
    return Int64(reference + Glibc.log(score as Double) / decay)
  }
}
