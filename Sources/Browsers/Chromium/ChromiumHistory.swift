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
    // Answers of the server are noted since Chromium 100 or so.
    let hasAnswers = database.has("context_annotations", ["visit_id", "response_code"])
    let layout = HistoryLayout(
      pages: "SELECT id, url, title, 0, last_visit_time FROM urls WHERE id IN (SELECT url FROM visits)",
      columns: "v.id, v.from_visit, v.url, v.visit_time, v.transition, \(hasAnswers ? "c.response_code" : "0")",
      tables: hasAnswers ? "visits v LEFT JOIN context_annotations c ON c.visit_id = v.id" : "visits v",
      visits: "visits", row: "id", page: "url", time: "visit_time", epoch: Timestamp.webKitOffset, facts: facts)
    var scan = HistoryScan(database, layout, profile: profile)
    try scan.read(into: consume)
  }

  /// The low byte of a transition is how the page was reached; the bits above tell of redirects. Whether a redirect is
  /// a lasting one is not noted.
  private static func facts(_ transition: Int64, _ answer: Int64) -> HistoryLayout.Facts {
    let bits = UInt32(truncatingIfNeeded: transition)
    let core = UInt8(truncatingIfNeeded: bits)
    var flags: VisitBatch.Flags = []
    if answer >= 400 { flags.insert(.loadFailed) }
    // What Chromium lists: the ends of redirect chains, without frames and generated searches.
    if bits & Bits.chainEnd == 0 || [3, 4, 10].contains(core) { flags.insert(.hidden) }
    return HistoryLayout.Facts(
      transition: self.transition(core).rawValue, flags: flags,
      isRedirect: bits & (Bits.clientRedirect | Bits.serverRedirect) != 0)
  }

  private enum Bits {
    static let chainEnd: UInt32 = 0x2000_0000
    static let clientRedirect: UInt32 = 0x4000_0000
    static let serverRedirect: UInt32 = 0x8000_0000
  }

  private static func transition(_ core: UInt8) -> HistoryVisit.Transition {
    switch core {
    case 0: .link
    case 1: .typed
    case 2: .bookmark
    case 3: .embed
    case 4: .framedLink
    case 5: .generated
    case 6: .startPage
    case 7: .formSubmit
    case 8: .reload
    case 9, 10: .keyword
    default: .other
    }
  }
}
