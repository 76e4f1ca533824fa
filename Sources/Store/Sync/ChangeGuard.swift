internal import BrowsingData

/// Counts what a peer's rows do to the records that were here when the session began.
struct ChangeGuard {
  /// How many there were.
  let existing: Int
  /// How many of them are gone.
  var deleted = 0
  /// How many of them are gone or have another value in a field that a person would miss.
  var affected = 0

  init(existing: Int) { self.existing = existing }

  /// Whether so much changes that the store is to be copied before.
  var wantsSnapshot: Bool { affected > max(20, existing / 4) }
}
