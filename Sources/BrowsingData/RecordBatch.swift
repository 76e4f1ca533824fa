/// What a source hands over at once: some thousand records of one kind, or remarks.
public enum RecordBatch: Sendable {
  /// Parents before their children, siblings in their order.
  case bookmarks([Bookmark])
  /// Items of the reading list.
  case readingList([ReadingListItem])
  /// Extensions.
  case extensions([BrowserExtension])
  /// Logins.
  case logins([Login])
  /// Payment cards.
  case cards([PaymentCard])
  /// Pages, each before the first visit that names it.
  case pages(PageBatch)
  /// Visits that name their pages by number.
  case visits(VisitBatch)
  /// Visits that carry their address themselves (files; never from a store's change log).
  case history([HistoryVisit])
  /// Records that could not be taken, and remarks on those that were.
  case remarks([Remark])

  /// How many records of which kind it holds: none for pages and remarks.
  public var counts: RecordCounts {
    switch self {
    case .bookmarks(let bookmarks): RecordCounts([.bookmarks: bookmarks.count])
    case .readingList(let items): RecordCounts([.readingList: items.count])
    case .extensions(let items): RecordCounts([.extensions: items.count])
    case .logins(let logins): RecordCounts([.passwords: logins.count])
    case .cards(let cards): RecordCounts([.cards: cards.count])
    case .history(let visits): RecordCounts([.history: visits.count])
    case .visits(let batch): RecordCounts([.history: batch.visits.count])
    case .pages, .remarks: RecordCounts()
    }
  }
}

/// One line of a report: what was skipped, or what was taken but should be looked at. Never holds a secret.
public struct Remark: Hashable, Sendable {
  /// Skipped, or taken with a warning.
  public enum Kind: Sendable, Hashable {
    /// It was left out.
    case skipped
    /// It was taken.
    case warning
  }
  /// Where it stands.
  public enum Place: Hashable, Sendable {
    /// The record's own id.
    case id(String)
    /// The line of a text file, from 1.
    case line(Int)
    /// Nowhere in particular.
    case none
  }
  /// What it is.
  public var kind: Kind
  /// The kind of record it is about; nil when that is not known (an unreadable member of an archive).
  public var type: DataType?
  /// Where it stands.
  public var place: Place
  /// Why, in words; never a secret.
  public var reason: String
  /// With what cannot be absent; the rest is set afterwards.
  public init(_ kind: Kind, type: DataType?, place: Place = .none, reason: String) {
    self.kind = kind
    self.type = type
    self.place = place
    self.reason = reason
  }
}
