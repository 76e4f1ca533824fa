import BrowsingData
import Wire

/// Adds up what the importer has committed; one thread uses it.
final class ProgressCounter {
  private let totals: [DataType: Int]
  private var done: [DataType: Int] = [:]

  /// `totals`: what was offered.
  init(totals: [DataType: Int]) { self.totals = totals }

  /// A batch is committed; the event that says so, nil for pages, which nobody counts. `bytes`: on the wire so far, of all
  /// kinds. The importer knows how many records came over the session's whole life; the exporter counts what is acknowledged.
  func add(_ log: ChangeLog, rows: Int, figures: ApplyReport.Figures? = nil, bytes: Int) -> TransferEvent? {
    if log == .pages { return nil }
    let sum = figures.map { $0.found } ?? ((done[log.type] ?? 0) + rows)
    done[log.type] = sum
    return .progress(log.type, done: sum, total: max(totals[log.type] ?? 0, sum), bytes: bytes)
  }
}

extension Offer {
  /// How many records of each kind.
  var totals: [DataType: Int] {
    Dictionary(items.map { ($0.type, Int(clamping: $0.count)) }, uniquingKeysWith: max)
  }
}
