package import BrowsingData

/// BATCH: a run of one change log.
package struct Batch: Hashable, Sendable {
  /// Counts the batches of this connection, from 1.
  package var number: Int64
  /// The rows.
  package var changes: ChangeBatch

  /// With everything.
  package init(number: Int64, changes: ChangeBatch) {
    self.number = number
    self.changes = changes
  }
}

/// ACK: a batch is committed. Only flow control and progress: RESUME tells the truth.
package struct Acknowledgement: Hashable, Sendable {
  /// The change log.
  package var log: ChangeLog
  /// Its cursor now.
  package var last: Int64
  /// How many rows of the batch were taken.
  package var applied: Int64
  /// How many were not, each with a remark at the receiver.
  package var skipped: Int64

  /// With everything.
  package init(log: ChangeLog, last: Int64, applied: Int64, skipped: Int64) {
    self.log = log
    self.last = last
    self.applied = applied
    self.skipped = skipped
  }
}

/// DONE: what the importer did. The exporter answers with the same words and shows the importer's.
package struct Summary: Hashable, Sendable {
  /// The figures of the report by kind.
  package var figures: [DataType: ApplyReport.Figures]
  /// What the importer has beside its cursors: equal to END's.
  package var ends: [ChangeLog: LogEnd]

  /// With everything.
  package init(figures: [DataType: ApplyReport.Figures], ends: [ChangeLog: LogEnd]) {
    self.figures = figures
    self.ends = ends
  }
}
