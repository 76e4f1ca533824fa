internal import BrowsingData

/// Where a family of browsers keeps pages and visits, and what its numbers mean: all that `HistoryScan` needs to know.
struct HistoryLayout {
  /// What a visit's own columns say of it.
  struct Facts {
    /// `HistoryVisit.Transition`, 0 when unknown.
    var transition: UInt8
    /// What is true or false of it.
    var flags: VisitBatch.Flags
    /// Whether the visit it came from redirected to it.
    var isRedirect: Bool
    /// What a server answered that did not give the page; nil when it gave it or that is not known.
    var answer: Int?
  }

  /// A query for every page that was visited: number, address, title, hidden, time of the last visit.
  var pages: String
  /// The columns of a visit: row, row it came from, page, time, and two that `facts` reads.
  var columns: String
  /// The tables of those columns.
  var tables: String
  /// The table of visits alone.
  var visits: String
  /// The columns of row, page and time in that table.
  var row: String
  var page: String
  var time: String
  /// What is taken off a time to make it one of ours.
  var epoch: Int64
  /// What the last two columns say.
  var facts: (Int64, Int64) -> Facts
}
