internal import BrowsingData

extension RecordStore {
  func countVisits() throws -> Int { 0 }
  func listVisits(search: SearchTerm?, limit: Int?, _ body: (HistoryVisit) throws -> Void) throws {}
  func readVisits(_ consume: (RecordBatch) throws -> Void) throws {}
  func pageChanges(after: Int64, maximumRecords: Int, maximumBytes: Int) throws -> ChangeBatch? { nil }
  func visitChanges(after: Int64, maximumRecords: Int, maximumBytes: Int) throws -> ChangeBatch? { nil }
  func historyEnding() throws -> [ChangeLog: LogEnd] { [:] }
  func undoHistory(_ entry: JournalEntry, as undo: Int64, _ report: inout ApplyReport) throws {}
}
