package import BrowsingData

/// A format in which files can be written, and read when a person names it. Reading finds the format by content.
package enum FileFormat: String, CaseIterable, Sendable, Hashable {
  /// The ZIP archive of Safari's export.
  case safari
  /// Bookmarks as HTML, Firefox's flavour.
  case htmlFirefox = "html-firefox"
  /// Bookmarks as HTML, Chromium's flavour.
  case htmlChromium = "html-chromium"
  /// Bookmarks as HTML, Safari's flavour.
  case htmlSafari = "html-safari"
  /// Firefox's bookmark backup.
  case json
  /// Chromium's `Bookmarks` file.
  case chromiumJSON = "chromium-json"
  /// Logins as CSV with Firefox's columns.
  case csvFirefox = "csv-firefox"
  /// Logins as CSV with Chromium's columns.
  case csvChromium = "csv-chromium"
  /// Logins as CSV with Safari's columns.
  case csvSafari = "csv-safari"

  /// The word before the colon of `html:marks.html`.
  package var word: String { rawValue }

  /// The format with this word; `html` is Firefox's flavour.
  package init?(word: String) {
    if word == "html" {
      self = .htmlFirefox
    } else if let known = FileFormat(rawValue: word) {
      self = known
    } else {
      return nil
    }
  }

  /// What the end of a path says, where it says enough.
  package init?(guessedFrom path: String) {
    let name = path.lowercased()
    if name.hasSuffix(".zip") {
      self = .safari
      return
    }
    if name.hasSuffix(".html") || name.hasSuffix(".htm") { self = .htmlFirefox } else { return nil }
  }

  /// The kinds it can hold.
  package var types: DataTypes {
    switch self {
    case .safari: .all
    case .htmlFirefox, .htmlChromium, .htmlSafari: [.bookmarks, .readingList]
    case .json, .chromiumJSON: .bookmarks
    case .csvFirefox, .csvChromium, .csvSafari: .passwords
    }
  }
}
