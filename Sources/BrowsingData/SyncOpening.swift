/// What a store says when a sync begins: SYNC_OPEN. Both sides say it at once; it is said again when a side has taken a
/// new incarnation or wants logs from the start.
public struct SyncOpening: Hashable, Sendable {
  /// The incarnation of the store that speaks.
  public var incarnation: RecordID
  /// The number of its last edit.
  public var counter: Int64
  /// Its last row sequence.
  public var sequence: Int64
  /// The greatest edit number that it has seen of each other store's incarnation, the receiver's among them.
  public var knows: [SyncDot] = []
  /// The incarnation of the receiver that `cursors` are about; nil when the two have never met.
  public var cursorsAbout: RecordID?
  /// How far it has come in the receiver's logs; a log that is not there stands at 0.
  public var cursors: [ChangeLog: Int64] = [:]
  /// Logs that the receiver must send whole, also what came from the speaker.
  public var whole: Set<ChangeLog> = []
  /// Logs of which it has rows and has never sent one to anybody.
  public var unsent: Set<ChangeLog> = []
  /// The kinds that it is willing to send.
  public var sends: DataTypes
  /// The kinds that it is willing to take.
  public var takes: DataTypes

  /// With what cannot be absent; the rest is set afterwards.
  public init(incarnation: RecordID, counter: Int64, sequence: Int64, sends: DataTypes, takes: DataTypes) {
    self.incarnation = incarnation
    self.counter = counter
    self.sequence = sequence
    self.sends = sends
    self.takes = takes
  }
}

/// Where a store stands when nothing is left to send: CAUGHT_UP. Said again whenever it has changed.
public struct SyncEnd: Hashable, Sendable {
  /// The store's last row sequence; every row up to it has been sent or came from the receiver.
  public var sequence: Int64
  /// The `sequence` of the receiver's last CAUGHT_UP that was taken note of; 0 when there was none.
  public var heard: Int64
  /// The sum of the hashes of all rows of each kind, 16 bytes: of the kinds that flow both ways with nothing skipped.
  public var digests: [DataType: RecordID]

  /// From its parts.
  public init(sequence: Int64, heard: Int64, digests: [DataType: RecordID]) {
    self.sequence = sequence
    self.heard = heard
    self.digests = digests
  }
}
