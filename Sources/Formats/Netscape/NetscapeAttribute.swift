/// The attributes that mean something in a bookmark file.
enum NetscapeAttribute: UInt8 {
  case href
  case addDate
  case lastModified
  case lastVisit
  case tags
  case keyword
  case postData
  case charset
  case icon
  case iconURI
  case folded
  case id
  case toolbarMark
  case unfiledMark
  case menuMark
  case placesMark
  /// Wherry's own, for the bookmarks of a phone.
  case mobileMark
  case httpEquiv
  case other

  /// By its name, letters of either case alike.
  init(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) {
    switch name.count {
    case 2: self = bytes.isWord(name, "id") ? .id : .other
    case 4:
      self =
        bytes.isWord(name, "href")
        ? .href : bytes.isWord(name, "icon") ? .icon : bytes.isWord(name, "tags") ? .tags : .other
    case 6: self = bytes.isWord(name, "folded") ? .folded : .other
    case 8: self = bytes.isWord(name, "add_date") ? .addDate : bytes.isWord(name, "icon_uri") ? .iconURI : .other
    case 9: self = bytes.isWord(name, "post_data") ? .postData : .other
    case 10:
      self = bytes.isWord(name, "last_visit") ? .lastVisit : bytes.isWord(name, "http-equiv") ? .httpEquiv : .other
    case 11:
      self = bytes.isWord(name, "shortcuturl") ? .keyword : bytes.isWord(name, "places_root") ? .placesMark : .other
    case 12: self = bytes.isWord(name, "last_charset") ? .charset : .other
    case 13: self = bytes.isWord(name, "last_modified") ? .lastModified : .other
    case 14: self = bytes.isWord(name, "bookmarks_menu") ? .menuMark : .other
    case 23:
      self =
        bytes.isWord(name, "personal_toolbar_folder")
        ? .toolbarMark : bytes.isWord(name, "mobile_bookmarks_folder") ? .mobileMark : .other
    case 24: self = bytes.isWord(name, "unfiled_bookmarks_folder") ? .unfiledMark : .other
    default: self = .other
    }
  }

  /// Whether a link has a field for it.
  var isOfLink: Bool {
    switch self {
    case .href, .addDate, .lastModified, .lastVisit, .tags, .keyword, .postData, .charset, .icon, .iconURI: true
    case .folded, .id, .toolbarMark, .unfiledMark, .menuMark, .placesMark, .mobileMark, .httpEquiv, .other: false
    }
  }

  /// Whether a folder has a field for it, or it says which root a folder is.
  var isOfFolder: Bool {
    switch self {
    case .addDate, .lastModified, .toolbarMark, .unfiledMark, .menuMark, .placesMark, .mobileMark: true
    case .href, .lastVisit, .tags, .keyword, .postData, .charset, .icon, .iconURI, .folded, .id, .httpEquiv, .other:
      false
    }
  }
}
