internal import BrowsingData

/// Counts what a peer's rows do to the records that were here when the session began.
struct ChangeGuard {
  /// How many are new.
  var added = 0
  /// How many of those that were here are gone.
  var deleted = 0
  /// How many of them are gone or have another value in a field that a person would miss.
  var affected = 0
  /// How many there were; counted once it matters.
  private(set) var existing: Int?

  /// Up to so many nothing is asked, however few there were.
  private static let few = 20

  /// Whether it matters how many there were.
  var wantsCount: Bool { existing == nil && affected > ChangeGuard.few }

  /// So many there are now.
  mutating func note(now count: Int) { existing = max(0, count + deleted - added) }

  /// Whether so much changes that the store is to be copied before.
  var wantsSnapshot: Bool { affected > max(ChangeGuard.few, (existing ?? 0) / 4) }
}
