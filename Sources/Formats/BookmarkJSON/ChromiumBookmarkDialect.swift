internal import BrowsingData

/// The nodes of Chromium's `Bookmarks` file, with what features and other browsers add to them in `meta_info`.
enum ChromiumBookmarkDialect: BookmarkJSONDialect {
  static let namespace = "chromium"

  /// What its roots are called, and their GUIDs and titles.
  static let roots: [(name: StaticString, guid: StaticString, title: StaticString, id: RecordID)] = [
    ("bookmark_bar", "0bc5d13f-2cba-5d74-951f-3f233fe6c908", "Bookmarks bar", .toolbar),
    ("other", "82b081ec-3dd3-529c-8475-ab6c344590dd", "Other bookmarks", .other),
    ("synced", "4cf2e351-0e85-532b-bb37-df045d8f8d0f", "Mobile bookmarks", .mobile),
  ]

  static func take(
    _ key: JSONScanner.Text, _ scanner: inout JSONScanner, into node: inout BookmarkJSONNode,
    _ notes: inout BookmarkJSONNotes
  ) throws(FormatError) -> Bool {
    if scanner.isEqual(key, "meta_info") { return try takeMetaInfo(&scanner, into: &node, &notes) }
    let dates: [(StaticString, WritableKeyPath<BookmarkJSONNode, Timestamp?>)] = [
      ("date_added", \.bookmark.dateAdded), ("date_modified", \.bookmark.dateModified),
      ("date_last_used", \.bookmark.lastVisitedAt),
    ]
    if let field = dates.first(where: { scanner.isEqual(key, $0.0) })?.1 {
      guard let value = try microseconds(&scanner, &notes) else { return true }
      if value != 0 { node[keyPath: field] = notes.plausible(Timestamp(webKit: value)) }
      return true
    }
    let isName = scanner.isEqual(key, "name")
    let isURL = scanner.isEqual(key, "url")
    let isGUID = scanner.isEqual(key, "guid")
    let isType = scanner.isEqual(key, "type")
    guard isName || isURL || isGUID || isType, try scanner.kind() == .string else { return false }
    let text = try notes.text(&scanner)
    if isName { node.bookmark.title = text }
    if isURL { node.bookmark.url = text }
    if isGUID, !text.isEmpty { node.bookmark.guid = text }
    if isType {
      node.hasKind = text == "url" || text == "folder"
      node.bookmark.kind = text == "folder" ? .folder : .bookmark
    }
    return true
  }

  /// A time as a decimal string, or as a number; nil when it is neither.
  private static func microseconds(
    _ scanner: inout JSONScanner, _ notes: inout BookmarkJSONNotes
  ) throws(FormatError) -> Int64? {
    switch try scanner.kind() {
    case .string:
      let text = try notes.text(&scanner)
      if let value = Int64(text) { return value }
      notes.implausibleDates += 1
      return nil
    case .number: return try scanner.integer()
    case .object, .array, .bool, .null:
      try scanner.skipValue()
      return nil
    }
  }

  /// Vivaldi's description and nickname become fields, all other texts attributes.
  private static func takeMetaInfo(
    _ scanner: inout JSONScanner, into node: inout BookmarkJSONNode, _ notes: inout BookmarkJSONNotes
  ) throws(FormatError) -> Bool {
    guard try scanner.kind() == .object else { return false }
    var room = maximumMetaInfo
    var isWhole = true
    try scanner.enterObject()
    while let key = try scanner.nextMember() {
      let isDescription = scanner.isEqual(key, "Description")
      let isNickname = scanner.isEqual(key, "Nickname")
      let name = metaInfo + scanner.repairedString(key)
      guard try scanner.kind() == .string else {
        isWhole = false
        try scanner.skipValue()
        continue
      }
      let text = try notes.text(&scanner)
      if isDescription || isNickname {
        if text.isEmpty { continue }
        if isDescription { node.bookmark.description = text } else { node.bookmark.keyword = text }
        continue
      }
      room -= name.utf8.count + text.utf8.count
      if room < 0 || node.bookmark.attributes.count == maximumMetaInfoCount {
        isWhole = false
      } else {
        node.bookmark.attributes.append(NamedValue(name: name, value: text))
      }
    }
    if !isWhole { notes.partialMetaInfo += 1 }
    return true
  }

  /// What stands before the name of an attribute that is of `meta_info`.
  static let metaInfo = "meta_info."
  /// As much as is kept of other programs' attributes in bookmark HTML.
  private static let maximumMetaInfo = 64 << 10
  private static let maximumMetaInfoCount = 64
}
