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
        guard let batch = selected(batch) else { return }
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
    let (type, count): (DataType, Int) =
      switch batch {
      case .bookmarks(let bookmarks): (.bookmarks, bookmarks.count)
      case .readingList(let items): (.readingList, items.count)
      case .extensions(let items): (.extensions, items.count)
      case .logins(let logins): (.passwords, logins.count)
      case .cards(let cards): (.cards, cards.count)
      case .history(let visits): (.history, visits.count)
      case .visits(let batch): (.history, batch.visits.count)
      case .pages: (.history, 0)
      case .remarks(let remarks):
        {
          for remark in remarks { report.add(remark) }
          return (.history, 0)
        }()
      }
    report[type].found += count
    report[type].added += count
  }

  private func selected(_ batch: RecordBatch) -> RecordBatch? {
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
