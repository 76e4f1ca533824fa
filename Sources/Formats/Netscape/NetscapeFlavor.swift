internal import BrowsingData

/// The dialects of bookmark HTML that are written.
package enum NetscapeFlavor: Hashable, Sendable, CaseIterable {
  /// Everything that the format can hold; the menu at the top level.
  case firefox
  /// No separators, tags and keywords, which Chromium misreads or drops.
  case chromium
  /// No outer list, no dates, the reading list by its id.
  case safari

  /// What stands before the first item.
  var header: StaticString {
    switch self {
    case .firefox:
      """
      <!DOCTYPE NETSCAPE-Bookmark-file-1>
      <!-- This is an automatically generated file.
           It will be read and overwritten.
           DO NOT EDIT! -->
      <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
      <meta http-equiv="Content-Security-Policy"
            content="default-src 'self'; script-src 'none'; img-src data: *; object-src 'none'"></meta>
      <TITLE>Bookmarks</TITLE>
      <H1>Bookmarks Menu</H1>

      <DL><p>

      """
    case .chromium:
      """
      <!DOCTYPE NETSCAPE-Bookmark-file-1>
      <!-- This is an automatically generated file.
           It will be read and overwritten.
           DO NOT EDIT! -->
      <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
      <TITLE>Bookmarks</TITLE>
      <H1>Bookmarks</H1>
      <DL><p>

      """
    case .safari:
      """
      <!DOCTYPE NETSCAPE-Bookmark-file-1>
      <HTML>
      <META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
      <Title>Bookmarks</Title>
      <H1>Bookmarks</H1>

      """
    }
  }

  /// What stands after the last item.
  var footer: StaticString {
    switch self {
    case .firefox, .chromium: "</DL><p>\n"
    case .safari: "</HTML>\n"
    }
  }

  /// A part of the file: a root's items, in a folder of their own or at the top level, or the reading list.
  enum Part {
    case items(of: RecordID)
    case folder(of: RecordID, title: StaticString, mark: StaticString)
    case readingList
  }

  /// The parts in the order in which they are written.
  var parts: [Part] {
    switch self {
    case .firefox:
      [
        .items(of: .menu),
        .folder(of: .toolbar, title: "Bookmarks Toolbar", mark: " PERSONAL_TOOLBAR_FOLDER=\"true\""),
        .folder(of: .other, title: "Other Bookmarks", mark: " UNFILED_BOOKMARKS_FOLDER=\"true\""),
        .folder(of: .mobile, title: "Mobile Bookmarks", mark: " MOBILE_BOOKMARKS_FOLDER=\"true\""), .readingList,
      ]
    case .chromium:
      [
        .folder(of: .toolbar, title: "Bookmarks bar", mark: " PERSONAL_TOOLBAR_FOLDER=\"true\""),
        .folder(of: .menu, title: "Bookmarks menu", mark: " BOOKMARKS_MENU=\"true\""),
        .folder(of: .other, title: "Other bookmarks", mark: " UNFILED_BOOKMARKS_FOLDER=\"true\""),
        .folder(of: .mobile, title: "Mobile bookmarks", mark: " MOBILE_BOOKMARKS_FOLDER=\"true\""), .readingList,
      ]
    case .safari:
      [
        .folder(of: .toolbar, title: "Favorites", mark: " FOLDED"),
        .folder(of: .menu, title: "Bookmarks Menu", mark: " FOLDED"), .readingList, .items(of: .other),
        .folder(of: .mobile, title: "Mobile Bookmarks", mark: " FOLDED MOBILE_BOOKMARKS_FOLDER=\"true\""),
      ]
    }
  }

  /// Why a field that this flavor leaves out is lost.
  var reason: String {
    switch self {
    case .firefox: "bookmark HTML has no place for it"
    case .chromium: "Chromium takes no such field from bookmark HTML"
    case .safari: "Safari's bookmark file has no place for it"
    }
  }
}
