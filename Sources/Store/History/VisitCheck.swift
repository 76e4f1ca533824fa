internal import BrowsingData

/// What a visit of a source must be to be taken.
enum VisitCheck {
  /// Why it cannot be taken; nil when it can.
  static func problem(of visit: VisitBatch.Visit, hasPage: Bool, profiles: Int) -> String? {
    if visit.occurrence < 0 { return "its occurrence is negative" }
    if visit.profile < 0 || Int(visit.profile) >= profiles { return "its profile is not there" }
    if !Timestamp(microseconds: visit.time).isPlausible { return "its time is outside of 1970 to 2200" }
    return hasPage ? nil : "its page is not there"
  }

  /// Whether its link names a page and a plausible time.
  static func isLinkPlausible(_ visit: VisitBatch.Visit) -> Bool {
    guard visit.linkPage != 0 else { return false }
    let (time, overflow) = visit.time.subtractingReportingOverflow(visit.linkDelta)
    return !overflow && Timestamp(microseconds: time).isPlausible
  }
}
