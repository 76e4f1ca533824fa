internal import BrowsingData

/// Which attributes of other programs are given back.
enum NetscapeAttributeNames {
  /// Names that the writer gives itself, or that would turn a folder into a root.
  private static let taken: Set<String> = [
    "href", "add_date", "last_modified", "last_visit", "tags", "shortcuturl", "post_data", "last_charset", "icon",
    "icon_uri", "personal_toolbar_folder", "unfiled_bookmarks_folder", "bookmarks_menu", "places_root",
    "mobile_bookmarks_folder",
  ]

  /// Whether an attribute can stand in a written file: its name is one, is not taken, and does nothing when the file is
  /// opened as a page (it may have come from another device).
  static func isHarmless(_ attribute: NamedValue) -> Bool {
    let name = attribute.name.lowercased()
    let isName = name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !Array("\"'<>/=".utf8).contains($0) }
    guard isName, !name.isEmpty, !taken.contains(name) else { return false }
    if name == "id" { return attribute.value != NetscapeRoots.readingListID }
    return !name.hasPrefix("on") && !["style", "class", "src", "target", "ping"].contains(name)
  }
}
