/// One record of any kind.
public enum Record: Hashable, Sendable {
  /// A bookmark, a folder or a separator.
  case bookmark(Bookmark)
  /// A page to be read later.
  case readingListItem(ReadingListItem)
  /// An extension.
  case browserExtension(BrowserExtension)
  /// A login.
  case login(Login)
  /// A payment card.
  case paymentCard(PaymentCard)
  /// A visit.
  case historyVisit(HistoryVisit)

  /// Its kind.
  public var type: DataType {
    switch self {
    case .bookmark: .bookmarks
    case .readingListItem: .readingList
    case .browserExtension: .extensions
    case .login: .passwords
    case .paymentCard: .cards
    case .historyVisit: .history
    }
  }

  /// Its id; nil for a visit, whose id is made from its content when it is asked for.
  public var id: RecordID? {
    switch self {
    case .bookmark(let bookmark): bookmark.id
    case .readingListItem(let item): item.id
    case .browserExtension(let browserExtension): browserExtension.id
    case .login(let login): login.id
    case .paymentCard(let card): card.id
    case .historyVisit: nil
    }
  }
}
