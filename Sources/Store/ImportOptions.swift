package import BrowsingData

/// How records come into a store.
package struct ImportOptions: Sendable {
  /// From where, and so when they become visible.
  package enum Kind: Sendable, Hashable {
    /// A file: all at once, at `finish`.
    case file
    /// A profile that is captured to be sent: as it goes, so that sending can begin.
    case capture
    /// A device: a batch at a time, with its cursor. Needs the token.
    case transfer

    var journalKind: JournalEntry.Kind {
      switch self {
      case .file: .file
      case .capture: .capture
      case .transfer: .transfer
      }
    }
  }
  /// From where.
  package var kind: Kind
  /// What a person knows it by: a file's name, a profile, a device. Shown by `undo` and `status`.
  package var label: String
  /// The transfer's token, 16 bytes: one token is one journal entry, however often it is resumed.
  package var token: [UInt8]?
  /// Bookmarks go below a new folder of this name.
  package var intoFolder: String?
  /// Counts and changes nothing. Not with `.transfer`.
  package var dryRun = false
  /// Passes the safety stop.
  package var force = false
  /// Only of a capture into a transfer's own store: how a run of the history's logs is encoded for the wire, with the run's
  /// number. Then pages and visits are kept as such runs (`RecordStore.spooledRun`), which costs a fraction of rows.
  package var encodeHistory: HistoryEncoding?
  /// Makes bytes of a run; throws what ends the capture.
  package typealias HistoryEncoding = @Sendable (ChangeBatch, Int64) throws -> [UInt8]
  /// When it happens: the time of the journal and of the versions made.
  package var now: Timestamp

  /// With what cannot be absent; the rest is set afterwards.
  package init(kind: Kind, label: String, now: Timestamp = WallClock.now) {
    self.kind = kind
    self.label = label
    self.now = now
  }
}
