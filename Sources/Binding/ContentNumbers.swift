internal import BrowsingData
internal import Merge

/// Gives equal content an equal key without a hash: keys are numbers, given in the order of asking, and mean nothing
/// outside of one comparison.
struct ContentNumbers {
  private struct Content: Hashable {
    var kind: UInt8
    var texts: [String?]
  }
  private var numbers: [Content: UInt64] = [:]

  /// Kind, title and address of a bookmark; title of a folder; nothing of a separator.
  mutating func key(of bookmark: Bookmark) -> ContentKey {
    switch bookmark.kind {
    case .bookmark: key(1, [bookmark.title, bookmark.url])
    case .folder: key(2, [bookmark.title])
    case .separator: key(3, [])
    }
  }

  /// Origin, realm and user of a login.
  mutating func key(of login: Login) -> ContentKey { key(4, [login.origin, login.httpRealm, login.username]) }

  private mutating func key(_ kind: UInt8, _ texts: [String?]) -> ContentKey {
    let content = Content(kind: kind, texts: texts)
    let number = numbers[content] ?? UInt64(numbers.count) + 1
    numbers[content] = number
    return ContentKey(high: 0, low: number)
  }
}
