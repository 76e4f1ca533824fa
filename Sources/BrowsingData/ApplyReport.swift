/// What an import, a transfer, a delivery or an undo did: the one report of the command line.
public struct ApplyReport: Hashable, Sendable {
  /// The figures of one kind.
  public struct Figures: Hashable, Sendable {
    /// Records that came, taken or not.
    public var found = 0
    /// Records that were new.
    public var added = 0
    /// Records of which a field changed.
    public var changed = 0
    /// Records that were taken away.
    public var removed = 0
    /// Records that were there already, equal.
    public var unchanged = 0
    /// Records that could not be taken; each has a remark.
    public var skipped = 0
    /// Records that differ where only one value can be shown; the other is kept and listed.
    public var conflicts = 0
    /// An empty one.
    public init() {}
  }

  /// The figures by kind.
  public var types: [DataType: Figures] = [:]
  /// Skipped records and warnings, at most `maximumRemarks` of each kind; the figures count all.
  public var remarks: [Remark] = []
  /// What the destination could not hold.
  public var losses: [Loss] = []
  /// How many remarks were left out.
  public var remarksLeftOut = 0
  /// An empty one.
  public init() {}

  /// More lines than these nobody reads; the figures still count every record.
  public static let maximumRemarks = 10_000

  /// The number of one kind.
  public subscript(_ type: DataType) -> Figures {
    get { types[type] ?? Figures() }
    set { types[type] = newValue }
  }

  /// Whether some records were skipped.
  public var isPartial: Bool {
    types.values.contains { $0.skipped > 0 } || remarks.contains { $0.kind == .skipped }
  }

  /// Adds a remark; a skipped record is counted, too.
  public mutating func add(_ remark: Remark) {
    if remark.kind == .skipped, let type = remark.type {
      self[type].skipped += 1
      self[type].found += 1
    }
    if remarks.count < ApplyReport.maximumRemarks { remarks.append(remark) } else { remarksLeftOut += 1 }
  }

  /// Adds what another report says.
  package mutating func add(_ other: ApplyReport) {
    for (type, figures) in other.types {
      self[type].found += figures.found
      self[type].added += figures.added
      self[type].changed += figures.changed
      self[type].unchanged += figures.unchanged
      self[type].skipped += figures.skipped
      self[type].conflicts += figures.conflicts
      self[type].removed += figures.removed
    }
    remarks += other.remarks.prefix(max(0, ApplyReport.maximumRemarks - remarks.count))
    losses += other.losses
  }
}
