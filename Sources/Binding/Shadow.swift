internal import BrowsingData
internal import Foundation
internal import Store

/// How a bookmark of an attached profile was when the profile and the store last agreed on it, in the profile's terms.
struct Shadow: Codable, Equatable {
  var kind: UInt8
  /// The folder's foreign id, or a root's name.
  var folder: String
  /// Its place among its siblings.
  var rank: Int
  var title: String
  var url: String?
  var tags: [String]
  var keyword: String?
  var postData: String?

  /// Of an item as the profile holds it.
  init(_ bookmark: Bookmark, folder: String, rank: Int) {
    kind = bookmark.kind.rawValue
    self.folder = folder
    self.rank = rank
    title = bookmark.title
    url = bookmark.url
    tags = bookmark.tags
    keyword = bookmark.keyword
    postData = bookmark.postData
  }

  /// From a bond; an unreadable one is none.
  init?(_ bond: Bond) {
    if bond.shadow.first == Shadow.form {
      guard let found = Shadow(encoded: bond.shadow) else { return nil }
      self = found
    } else {
      // As it was written before.
      guard let found = try? JSONDecoder().decode(Shadow.self, from: Data(bond.shadow)) else { return nil }
      self = found
    }
  }

  /// Whether the content is the same, whatever the place.
  func hasContent(of other: Shadow) -> Bool {
    kind == other.kind && title == other.title && url == other.url && tags == other.tags && keyword == other.keyword
      && postData == other.postData
  }
}
