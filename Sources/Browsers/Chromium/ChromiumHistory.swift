internal import BrowsingData

/// The history of Chromium's History database.
enum ChromiumHistory {
  /// How many visits there are.
  static func count(_ database: ProfileDatabase) throws(ProfileError) -> Int {
    Int(try database.number("SELECT count(*) FROM visits"))
  }

  /// Hands over pages and visits.
  static func read(
    _ database: ProfileDatabase, profile: String?, into consume: (RecordBatch) throws -> Void
  ) throws {
    var scan = HistoryScan(database, layout(of: database), profile: profile)
    try scan.read(into: consume)
  }

  /// Hands over what was added since a position, or everything; gives the position for the next time.
  static func read(
    _ database: ProfileDatabase, profile: String?, since position: VisitPosition?,
    into consume: (RecordBatch) throws -> Void
  ) throws -> VisitPosition? {
    var scan = HistoryScan(database, layout(of: database), profile: profile)
    return try scan.read(since: position, into: consume)
  }

  private static func layout(of database: ProfileDatabase) -> HistoryLayout {
    // Answers of the server are noted since Chromium 100 or so.
    let hasAnswers = database.has("context_annotations", ["visit_id", "response_code"])
    return HistoryLayout(
      pages: "urls", pageColumns: "id, url, title, 0, last_visit_time", pageCondition: nil,
      visits: "visits", row: "id", page: "url", time: "visit_time", kind: "transition",
      answers: hasAnswers
        ? HistoryLayout.Answers(table: "context_annotations", row: "visit_id", answer: "response_code") : nil,
      epoch: Timestamp.webKitOffset, facts: facts)
  }

  /// The low byte of a transition is how the page was reached; the bits above tell of redirects. Whether a redirect is
  /// a lasting one is not noted.
  private static func facts(_ transition: Int64, _ answer: Int64) -> HistoryLayout.Facts {
    let core = UInt8(truncatingIfNeeded: transition)
    var flags: VisitBatch.Flags = []
    if answer >= 400 { flags.insert(.loadFailed) }
    // What Chromium lists: the ends of redirect chains, without frames and generated searches.
    if transition & ChromiumTransition.chainEnd == 0 || ChromiumTransition.isUnlisted(core) {
      flags.insert(.hidden)
    }
    return HistoryLayout.Facts(
      transition: ChromiumTransition.transition(core: core).rawValue, flags: flags,
      isRedirect: transition & (ChromiumTransition.clientRedirect | ChromiumTransition.serverRedirect) != 0,
      answer: (400...999).contains(answer) ? Int(answer) : nil)
  }
}
