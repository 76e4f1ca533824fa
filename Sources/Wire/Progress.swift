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

/// SYNC_OPEN: what a side of a sync has and knows.
package struct SyncOpen: Hashable, Sendable {
  /// How far a store knows another.
  package struct Known: Hashable, Sendable {
    /// The other store, 16 bytes.
    package var incarnation: [UInt8]
    /// Its newest counter known.
    package var counter: Int64
    /// With everything.
    package init(incarnation: [UInt8], counter: Int64) {
      self.incarnation = incarnation
      self.counter = counter
    }
  }
  /// Its store, 16 bytes.
  package var incarnation: [UInt8]
  /// Its store's counter.
  package var counter: Int64
  /// The kinds it keeps in step.
  package var types: DataTypes
  /// Its newest sequence number of each log.
  package var sequences: [ChangeLog: Int64]
  /// How far it has applied the peer's logs.
  package var cursors: [ChangeLog: Int64]
  /// What it knows of all stores, in ascending order of their incarnations.
  package var knows: [Known]

  /// With everything.
  package init(
    incarnation: [UInt8], counter: Int64, types: DataTypes, sequences: [ChangeLog: Int64],
    cursors: [ChangeLog: Int64], knows: [Known]
  ) {
    self.incarnation = incarnation
    self.counter = counter
    self.types = types
    self.sequences = sequences
    self.cursors = cursors
    self.knows = knows
  }
}
