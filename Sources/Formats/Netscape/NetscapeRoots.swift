internal import BrowsingData

/// Which root a top-level folder of a bookmark file stands for.
enum NetscapeRoots {
  /// What a heading stands for.
  enum Meaning: Hashable {
    case root(RecordID)
    /// The top level itself (old Firefox).
    case top
    case readingList
  }

  /// The marks that programs write on headings, in lower case; the last one is Wherry's own.
  static let marks: [StaticString] = [
    "personal_toolbar_folder", "unfiled_bookmarks_folder", "bookmarks_menu", "places_root", "mobile_bookmarks_folder",
  ]

  /// The meaning of a heading by its marks.
  static func meaning(of attributes: inout NetscapeAttributes) -> Meaning? {
    if attributes.value("id") == readingListID { return .readingList }
    if attributes.isSet("personal_toolbar_folder") { return .root(.toolbar) }
    if attributes.isSet("unfiled_bookmarks_folder") { return .root(.other) }
    if attributes.isSet("bookmarks_menu") { return .root(.menu) }
    if attributes.isSet("mobile_bookmarks_folder") { return .root(.mobile) }
    return attributes.isSet("places_root") ? .top : nil
  }

  /// The id of Safari's Reading List folder, whose title is in the person's language.
  static let readingListID = "com.apple.ReadingList"

  /// Where the top level of a file goes when nothing in it says: Firefox writes the menu there and marks Other Bookmarks,
  /// any other program has no menu.
  static func top(of bytes: [UInt8]) -> RecordID {
    var index = 0
    while let line = bytes.firstIndex(of: UInt8(ascii: "_"), from: index, to: bytes.count) {
      index = line + 1
      if line >= 7, bytes.isWord((line - 7)..<min(line + 18, bytes.count), "unfiled_bookmarks_folder=") { return .menu }
    }
    return .other
  }

  /// Safari's folders for the toolbar and the menu, which carry no mark. The names are those of its languages as far as
  /// they are known.
  static func safariRoot(title: String) -> RecordID? {
    if favorites.contains(title) { return .toolbar }
    return title == "Bookmarks Menu" ? .menu : nil
  }

  private static let favorites: Set<String> = [
    "Favorites", "Favourites", "Favoriten", "Favoris", "Favoritos", "Preferiti", "Favorieten", "Favoriter",
    "Favoritter",
    "Suosikit", "Ulubione", "Oblíbené", "Избранное", "お気に入り", "个人收藏", "즐겨찾기",
  ]
}
