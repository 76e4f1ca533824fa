/// A visit of a browser's history by which it is known where a reading ended, in the browser's own numbers.
package struct VisitPosition: Hashable, Sendable {
  /// Its row. Later visits have greater ones.
  package var row: Int64
  /// Its page. By page and time it is known again: another history has another visit in that row, or none.
  package var page: Int64
  /// Its time.
  package var time: Int64

  /// How many visits stand before it: deleting makes them fewer. More were there all along in an older copy.
  package var earlier: Int64

  /// From its parts.
  package init(row: Int64, page: Int64, time: Int64, earlier: Int64) {
    self.row = row
    self.page = page
    self.time = time
    self.earlier = earlier
  }
}

/// A source whose history can be read on from where a reading ended.
package protocol ResumableHistory: RecordSource {
  /// Hands over the visit at a position, all that were added after it, and their pages; everything where there is no
  /// position, or the visit is not there any more or has more before it. Gives the position for the next time; nil while there are few visits.
  ///
  /// The position lies some visits before the end: what a browser changes at a visit in its first minutes, as the title of
  /// its page, comes once more. What it changes later, and what it deletes, only a reading of everything shows.
  func readHistory(
    since position: VisitPosition?, into consume: (RecordBatch) throws -> Void
  ) throws -> VisitPosition?
}
