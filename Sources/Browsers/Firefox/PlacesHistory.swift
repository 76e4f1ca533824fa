internal import BrowsingData

/// The history of places.sqlite.
enum PlacesHistory {
  /// How many visits there are.
  static func count(_ database: ProfileDatabase) throws(ProfileError) -> Int {
    Int(try database.number("SELECT count(*) FROM moz_historyvisits"))
  }

  /// Hands over pages and visits.
  static func read(
    _ database: ProfileDatabase, profile: String?, into consume: (RecordBatch) throws -> Void
  ) throws {
    var scan = HistoryScan(database, layout, profile: profile)
    try scan.read(into: consume)
  }

  /// Hands over what was added since a position, or everything; gives the position for the next time.
  static func read(
    _ database: ProfileDatabase, profile: String?, since position: VisitPosition?,
    into consume: (RecordBatch) throws -> Void
  ) throws -> VisitPosition? {
    var scan = HistoryScan(database, layout, profile: profile)
    return try scan.read(since: position, into: consume)
  }

  /// The third condition on pages is for those whose own columns do not tell; SQLite answers it from an index.
  private static var layout: HistoryLayout {
    HistoryLayout(
      pages: "moz_places", pageColumns: "id, url, title, hidden, last_visit_date",
      pageCondition: """
        last_visit_date IS NOT NULL OR visit_count > 0 OR id IN (SELECT place_id FROM moz_historyvisits)
        """,
      visits: "moz_historyvisits", row: "id", page: "place_id", time: "visit_date", kind: "visit_type", epoch: 0
    ) { type, _ in
      HistoryLayout.Facts(transition: transition(type), flags: [], isRedirect: type == 5 || type == 6)
    }
  }

  /// Firefox's numbers 1 to 9 are ours.
  private static func transition(_ type: Int64) -> UInt8 {
    switch type {
    case 1...9: UInt8(type)
    case ...0: 0
    default: HistoryVisit.Transition.other.rawValue
    }
  }
}
