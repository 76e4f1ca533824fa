/// The name of one edit as role sync sends it: the store that made it and the number that store gave it. In a list of
/// what was seen: that store's edits up to and with this one.
public struct SyncDot: Hashable, Sendable {
  /// The store's incarnation.
  public var incarnation: RecordID
  /// Its counter; positive.
  public var counter: Int64

  /// From its two parts.
  public init(incarnation: RecordID, counter: Int64) {
    self.incarnation = incarnation
    self.counter = counter
  }
}

/// When a field got its value, and by which edit.
public struct SyncStamp: Hashable, Sendable {
  /// Milliseconds; above every stamp seen on the record before.
  public var time: Int64
  /// The edit.
  public var dot: SyncDot

  /// From its two parts.
  public init(time: Int64, dot: SyncDot) {
    self.time = time
    self.dot = dot
  }
}

/// A field of a record. What its number and value mean is the stores' affair: whoever is between hands both on as they
/// are, also those of a newer version. Values of secret fields are in clear.
public struct SyncField: Hashable, Sendable {
  /// Its number.
  public var number: UInt64
  /// When it got its value.
  public var stamp: SyncStamp
  /// Its value; nil when it was taken away.
  public var value: [UInt8]?

  /// From its parts.
  public init(number: UInt64, stamp: SyncStamp, value: [UInt8]?) {
    self.number = number
    self.stamp = stamp
    self.value = value
  }
}

/// One edit that no other seen edit has replaced.
public struct SyncVersion: Hashable, Sendable {
  /// The edit.
  public var dot: SyncDot
  /// What its author had seen of the record: one for each store, ascending by incarnation.
  public var seen: [SyncDot]
  /// In ascending order of their numbers.
  public var fields: [SyncField]

  /// From its parts.
  public init(dot: SyncDot, seen: [SyncDot], fields: [SyncField]) {
    self.dot = dot
    self.seen = seen
    self.fields = fields
  }
}

/// Where a deleted folder stood.
public struct SyncGrave: Hashable, Sendable {
  /// When it had got its place.
  public var stamp: SyncStamp
  /// Its parent.
  public var parent: RecordID

  /// From its two parts.
  public init(stamp: SyncStamp, parent: RecordID) {
    self.stamp = stamp
    self.parent = parent
  }
}

/// All that is known of one record, as role sync sends it: its concurrent versions and which edits have been seen.
/// A deleted one has no versions.
public struct SyncRecord: Hashable, Sendable {
  /// Its place in the sender's change log.
  public var sequence: Int64
  /// Its id.
  public var id: RecordID
  /// Every edit seen: one for each store, ascending by incarnation.
  public var context: [SyncDot]
  /// The greatest time of any stamp seen on it.
  public var newest: Int64
  /// Where it stood when it was deleted, of a folder.
  public var grave: SyncGrave?
  /// Ascending by incarnation, then by counter.
  public var versions: [SyncVersion]

  /// From its parts.
  public init(
    sequence: Int64, id: RecordID, context: [SyncDot], newest: Int64, grave: SyncGrave? = nil, versions: [SyncVersion]
  ) {
    self.sequence = sequence
    self.id = id
    self.context = context
    self.newest = newest
    self.grave = grave
    self.versions = versions
  }

  /// The most edits a context, and the most versions a record may have.
  public static let maximumContext = 256
  /// The most concurrent versions of one record.
  public static let maximumVersions = 64
}
