internal import BrowsingData

/// The part of an import that writes history.
final class HistoryWriter {
  private unowned let run: ImportRun

  init(_ run: ImportRun) { self.run = run }
  func apply(_ pages: PageBatch) throws {}
  func apply(_ visits: VisitBatch) throws {}
  func apply(_ visits: [HistoryVisit]) throws {}
  func receive(_ pages: PageBatch) throws -> ReceivedRows { ReceivedRows() }
  func receive(_ visits: VisitBatch, pass: Int64) throws -> ReceivedRows { ReceivedRows() }
  func finish() throws {}
  func forget() {}
}
