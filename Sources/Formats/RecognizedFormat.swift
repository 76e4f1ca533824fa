/// The formats of files that are read, told apart by content alone.
package enum RecognizedFormat: Hashable, Sendable {
  /// A ZIP archive: an export of Safari, unless nothing in it is known.
  case safariArchive
  /// One JSON member of such an export.
  case safari(SafariKind)
  /// Bookmarks in the Netscape format.
  case bookmarkHTML
  /// Bookmarks as Firefox backs them up or Chromium keeps them.
  case bookmarkJSON(BookmarkJSONKind)
  /// Logins in a table with a header.
  case passwordTable

  /// What it is, for people.
  package var title: String {
    switch self {
    case .safariArchive: "Safari export"
    case .safari(.history): "Safari history"
    case .safari(.paymentCards): "Safari payment cards"
    case .safari(.extensions): "Safari extensions"
    case .bookmarkHTML: "bookmark HTML"
    case .bookmarkJSON(.firefox): "Firefox bookmark backup"
    case .bookmarkJSON(.chromium): "Chromium bookmark file"
    case .passwordTable: "password table"
    }
  }
}
