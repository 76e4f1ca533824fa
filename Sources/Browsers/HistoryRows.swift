/// Reads the rows of a history block by block: every page, then every visit in the order of rows.
final class HistoryRows {
  /// Some rows.
  enum Block: Sendable {
    case pages(PageBlock)
    case visits([VisitRow])
  }

  private enum Stage { case pages, visits, end }

  private let pages = TakenPages()
  private let visits = TakenVisits()
  private let pageRows: ProfileRows
  private let visitRows: ProfileRows
  private var stage = Stage.pages

  /// Over an open database, which whoever calls `next` uses alone.
  init(_ database: ProfileDatabase, _ layout: HistoryLayout) throws(ProfileError) {
    pageRows = try database.rows(layout.everyPage, giving: pages)
    visitRows = try database.rows(layout.everyVisit, giving: visits)
  }

  /// The next block, which may be empty; nil at the end.
  func next() throws(ProfileError) -> Block? {
    switch stage {
    case .pages:
      if try !pageRows.next() { stage = .visits }
      return .pages(pages.removeAll())
    case .visits:
      if try !visitRows.next() { stage = .end }
      return .visits(visits.removeAll())
    case .end: return nil
    }
  }
}
