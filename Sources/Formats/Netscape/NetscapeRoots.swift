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

  /// The meaning of the heading that was opened last, by its marks.
  static func meaning(of heading: borrowing HTMLTokenizer) -> Meaning? {
    if heading.value(.id) == readingListID { return .readingList }
    if heading.isSet(.toolbarMark) { return .root(.toolbar) }
    if heading.isSet(.unfiledMark) { return .root(.other) }
    if heading.isSet(.menuMark) { return .root(.menu) }
    if heading.isSet(.mobileMark) { return .root(.mobile) }
    return heading.isSet(.placesMark) ? .top : nil
  }

  /// The id of Safari's Reading List folder, whose title is in the person's language.
  static let readingListID = "com.apple.ReadingList"

  /// Safari's folders for the toolbar and the menu, which carry no mark. The names are those of its languages as far as
  /// they are known.
  static func safariRoot(title: String) -> RecordID? {
    if favorites.contains(title) { return .toolbar }
    return menus.contains(title) ? .menu : nil
  }

  private static let favorites: Set<String> = [
    "Favorites", "Favourites", "Favoriten", "Favoris", "Favoritos", "Preferiti", "Favorieten", "Favoriter",
    "Favoritter",
    "Suosikit", "Ulubione", "Oblíbené", "Obľúbené", "Kedvencek", "Favorite", "Favoriler", "Preferits", "Omiljeno",
    "Избранное", "Обране", "Αγαπημένα", "お気に入り", "个人收藏", "喜好項目", "즐겨찾기",
  ]

  private static let menus: Set<String> = [
    "Bookmarks Menu", "Lesezeichen-Menü", "Lesezeichenmenü", "Menu Signets", "Menu des signets", "Menú Marcadores",
    "Menú de marcadores", "Menu Preferiti", "Menu dei preferiti", "Bladwijzermenu", "Bokmärkesmenyn", "Bogmærkemenu",
    "Bokmerkemeny", "Kirjanmerkkivalikko", "Menu Favoritos", "Menu Marcadores", "Menu zakładek", "Nabídka Záložky",
    "Меню закладок", "ブックマークメニュー", "书签菜单", "書籤選單", "책갈피 메뉴",
  ]
}
