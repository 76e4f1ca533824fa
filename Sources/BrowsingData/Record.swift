/// One record of any kind.
public enum Record: Hashable, Sendable {
  case bookmark(Bookmark)
  case readingListItem(ReadingListItem)
  case browserExtension(BrowserExtension)
  case login(Login)
  case paymentCard(PaymentCard)
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
