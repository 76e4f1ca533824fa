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

  /// A table of what servers answered, and its columns: row of the visit, answer.
  struct Answers {
    var table: String
    var row: String
    var answer: String
  }

  /// The table of pages.
  var pages: String
  /// The columns of a page: number, address, title, hidden, time of the last visit.
  var pageColumns: String
  /// Which pages were visited, when their own columns tell it of most; nil when nothing does but the visits.
  var pageCondition: String?
  /// The table of visits. The row that one came from stands in `from_visit`.
  var visits: String
  /// Its columns of row, page, time and how a page was reached.
  var row: String
  var page: String
  var time: String
  var kind: String
  /// Where answers stand that did not give a page, if anywhere.
  var answers: Answers?
  /// What is taken off a time to make it one of ours.
  var epoch: Int64
  /// What `kind` and the answer say.
  var facts: (Int64, Int64) -> Facts
}

/// The queries. Those that call `wherry_take` are for a `RowTaker`.
extension HistoryLayout {
  private var visited: String { pageCondition ?? "id IN (SELECT \(page) FROM \(visits))" }

  /// Every page that was visited, by `TakenPages`; without a condition every page at all, which is cheaper than to ask of
  /// each whether a visit names it.
  var everyPage: String {
    let taken = "wherry_take(?9, \(pageColumns))"
    return "SELECT 1 FROM \(pages) WHERE " + (pageCondition.map { "CASE WHEN \($0) THEN \(taken) END" } ?? taken)
  }

  /// The page of a number, by `TakenPages`, when it was visited.
  var onePage: String {
    "SELECT 1 FROM \(pages) WHERE id = ?1 AND CASE WHEN \(visited) THEN wherry_take(?9, \(pageColumns)) END"
  }

  /// The address of the page of a number, when it was visited.
  var oneAddress: String { "SELECT url FROM \(pages) WHERE id = ?1 AND (\(visited))" }

  /// The numbers of the pages that visits name, by `TakenNumbers`.
  var namedPages: String {
    "SELECT 1 FROM (SELECT DISTINCT \(page) AS number FROM \(visits)) WHERE wherry_take(?9, number)"
  }

  /// Every visit in the order of rows, by `TakenVisits`, without its answer.
  var everyVisit: String {
    "SELECT 1 FROM \(visits) WHERE wherry_take(?9, \(row), from_visit, \(page), \(time), \(kind)) ORDER BY \(row)"
  }

  /// Visits with their answers: the columns of `VisitRow`. A condition and an order follow.
  var visitsWithAnswers: String {
    let columns = "SELECT v.\(row), v.from_visit, v.\(page), v.\(time), v.\(kind), "
    guard let answers else { return columns + "0 FROM \(visits) v" }
    return columns + "c.\(answers.answer) FROM \(visits) v LEFT JOIN \(answers.table) c ON c.\(answers.row) = v.\(row)"
  }

  /// Row and answer of every visit that did not give its page, in the order of rows; nil when none is known.
  var failures: String? {
    answers.map {
      "SELECT \($0.row), \($0.answer) FROM \($0.table) WHERE \($0.answer) >= 400 ORDER BY \($0.row)"
    }
  }
}
