import BrowsingData

/// Pours a source into a sink, counts, and leaves nothing half-written.
struct Delivery {
  /// Only records of this profile; nil for all.
  var profile: String?

  /// Pours these types; what the sink skipped or lost is in the report.
  func pour(_ source: any RecordSource, _ types: DataTypes, into sink: any RecordSink) throws -> ApplyReport {
    var sink = sink
    var report = ApplyReport()
    for type in types.each { report[type] = ApplyReport.Figures() }
    do {
      try source.read(types) { batch in
        try Interruption.shared.check()
        let batch = selected(batch)
        Delivery.count(batch, in: &report)
        try sink.write(batch)
      }
      report.losses = try sink.finish()
    } catch {
      sink.abandon()
      throw error
    }
    return report
  }

  private static func count(_ batch: RecordBatch, in report: inout ApplyReport) {
    if case .remarks(let remarks) = batch { for remark in remarks { report.add(remark) } }
    for (type, count) in batch.counts.byType {
      report[type].found += count
      report[type].added += count
    }
  }

  private func selected(_ batch: RecordBatch) -> RecordBatch {
    guard let profile else { return batch }
    switch batch {
    case .bookmarks(let bookmarks): return .bookmarks(bookmarks.filter { $0.profile == profile })
    case .readingList(let items): return .readingList(items.filter { $0.profile == profile })
    case .extensions(let items): return .extensions(items.filter { $0.profile == profile })
    case .logins(let logins): return .logins(logins.filter { $0.profile == profile })
    case .cards(let cards): return .cards(cards.filter { $0.profile == profile })
    case .history(let visits): return .history(visits.filter { $0.profile == profile })
    case .pages, .visits, .remarks: return batch
    }
  }
}
