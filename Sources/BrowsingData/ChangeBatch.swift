/// One change log of a store, with a cursor of its own. History has three: pages, visits and, in role sync only, the rules
/// by which visits are forgotten.
/// The raw value is the wire's number.
public enum ChangeLog: UInt8, CaseIterable, Sendable, Hashable {
  /// Bookmarks, folders and separators.
  case bookmarks = 1
  /// Pages to be read later.
  case readingList = 2
  /// Extensions.
  case extensions = 3
  /// Logins.
  case passwords = 4
  /// Payment cards.
  case cards = 5
  /// Visits, each of which names its page by number.
  case visits = 6
  /// Pages that visits name.
  case pages = 7
  /// Files of an app.
  case resources = 8
  /// Rules by which visits are forgotten.
  case forgetRules = 9

  /// The kind of records that it carries.
  public var type: DataType {
    switch self {
    case .bookmarks: .bookmarks
    case .readingList: .readingList
    case .extensions: .extensions
    case .passwords: .passwords
    case .cards: .cards
    case .visits, .pages, .forgetRules: .history
    case .resources: .resources
    }
  }

  /// The logs of these kinds in the order in which they are sent: pages before the visits that name them.
  public static func logs(of types: DataTypes) -> [ChangeLog] {
    types.each.flatMap { type -> [ChangeLog] in
      switch type {
      case .bookmarks: [.bookmarks]
      case .readingList: [.readingList]
      case .extensions: [.extensions]
      case .passwords: [.passwords]
      case .cards: [.cards]
      case .history: [.pages, .visits]
      case .resources: [.resources]
      }
    }
  }

  /// The logs of these kinds that role sync keeps in step, in the order in which they are sent.
  public static func syncLogs(of types: DataTypes) -> [ChangeLog] {
    (types.contains(.history) ? [.forgetRules] : []) + logs(of: types).filter { $0 != .resources }
  }
}

/// A record as it stands in a change log.
public struct ChangedRecord: Hashable, Sendable {
  /// What is now true of the record.
  public enum Change: Hashable, Sendable {
    /// It is there, with this content.
    case present(Record)
    /// It was deleted.
    case deleted(RecordID)
  }
  /// Its place in the sender's change log.
  public var sequence: Int64
  /// Its former place when it is sent again, else 0.
  public var was: Int64
  /// What is now true of the record.
  public var change: Change

  /// With what cannot be absent; the rest is set afterwards.
  public init(sequence: Int64, was: Int64 = 0, change: Change) {
    self.sequence = sequence
    self.was = was
    self.change = change
  }
}

/// What travels at once: a run of one change log, from just after `first` up to and with `last`, in ascending order.
public struct ChangeBatch: Hashable, Sendable {
  /// The rows.
  public enum Content: Hashable, Sendable {
    /// Bookmarks, items, extensions, logins or cards.
    case records([ChangedRecord])
    /// Pages.
    case pages(PageBatch)
    /// Visits.
    case visits(VisitBatch)
    /// Pieces of files.
    case resources([ResourcePiece])
  }
  /// The change log it is a run of.
  public var log: ChangeLog
  /// The cursor that it starts from.
  public var first: Int64
  /// The cursor that holds once it is committed.
  public var last: Int64
  /// The rows.
  public var content: Content
  /// Records that the receiver could not read (too large, wrong values): counted and reported, never fatal.
  public var remarks: [Remark]
  /// Numbers of pages among them: visits that name one are skipped, too. Never sent.
  public var unreadablePages: [Int64] = []

  /// With what cannot be absent; the rest is set afterwards.
  public init(log: ChangeLog, first: Int64, last: Int64, content: Content, remarks: [Remark] = []) {
    self.log = log
    self.first = first
    self.last = last
    self.content = content
    self.remarks = remarks
  }

  /// How many rows it holds.
  public var count: Int {
    switch content {
    case .records(let records): records.count
    case .pages(let pages): pages.pages.count
    case .visits(let visits): visits.visits.count
    case .resources(let pieces): pieces.count
    }
  }
}

/// Where a change log stands: what END says and DONE checks (protocol.md 5).
public struct LogEnd: Hashable, Sendable {
  /// The sequence number of the newest row.
  public var cursor: Int64
  /// Live rows.
  public var count: Int64
  /// Sum modulo 2^128 of the rows' hashes, 16 bytes, most significant first.
  public var digest: RecordID

  /// With what cannot be absent; the rest is set afterwards.
  public init(cursor: Int64, count: Int64, digest: RecordID) {
    self.cursor = cursor
    self.count = count
    self.digest = digest
  }
}
