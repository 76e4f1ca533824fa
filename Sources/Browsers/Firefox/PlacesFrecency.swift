internal import Glibc

/// A page's frecency as Firefox computes it. It would do so itself, but only for 50 pages every two minutes; until then
/// the address bar would not know the page.
enum PlacesFrecency {
  /// How many of the newest visits count.
  static let sampled = 10
  private static let decay: Double = Glibc.log(2.0 as Double) / 30
  private static let day = 86_400_000_000.0

  /// How a visit counts. Downloads, framed links and reloads do not count at all.
  enum Weight: UInt8 {
    case low = 1
    case followed
    case typed
    case bookmark

    /// By `visit_type`; that of the visit it was redirected from, 0 when it was not redirected; and whether it redirected
    /// to another page. nil when it does not count.
    init?(type: Int64, origin: Int64, isRedirectSource: Bool) {
      guard type > 0, !(7...9).contains(type) else { return nil }
      let effective = (type == 5 || type == 6) && origin != 0 ? origin : type
      switch effective {
      case 3: self = .bookmark
      case _ where isRedirectSource: self = .low
      case 2: self = .typed
      case 1, 5, 6: self = .followed
      default: self = .low
      }
    }

    /// The same visit, once it redirected to another page.
    var afterRedirect: Weight { self == .bookmark ? .bookmark : .low }

    fileprivate var score: Double {
      switch self {
      case .low: 20
      case .followed: 50
      case .typed, .bookmark: 100
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
      score += visit.weight.score * Glibc.exp(-decay * (reference - Double(visit.time) / day))
    }
    guard score > 0 else { return 0 }
    if count > Int64(visits.count) { score *= Double(count) / Double(visits.count) }
    return Int64(reference + Glibc.log(score as Double) / decay)
  }
}
