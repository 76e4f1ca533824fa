internal import BrowsingData

extension RecordSource {
  /// Counts what it would hand over: for formats that say nowhere how much they hold.
  func countsByReading() throws -> RecordCounts {
    var sum = RecordCounts()
    try read(types) { batch in
      for (type, count) in batch.counts.byType { sum[type] += count }
    }
    return sum
  }
}
