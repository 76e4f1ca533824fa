internal import BrowsingData

/// The nodes of Firefox's backups.
enum FirefoxBookmarkDialect: BookmarkJSONDialect {
  static let namespace = "firefox"

  /// What its roots are called, by `root` or by GUID.
  static let roots: [(name: String, guid: String, id: RecordID)] = [
    ("bookmarksMenuFolder", "menu________", .menu), ("toolbarFolder", "toolbar_____", .toolbar),
    ("unfiledBookmarksFolder", "unfiled_____", .other), ("mobileFolder", "mobile______", .mobile),
  ]
  /// The root of roots.
  static let top = (name: "placesRoot", guid: "root________")

  static func take(
    _ key: JSONScanner.Text, _ scanner: inout JSONScanner, into node: inout BookmarkJSONNode,
    _ notes: inout BookmarkJSONNotes
  ) throws(FormatError) -> Bool {
    if scanner.isEqual(key, "annos") { return try takeAnnotations(&scanner, into: &node, &notes) }
    if try takeNumber(key, &scanner, into: &node, &notes) { return true }
    return try takeText(key, &scanner, into: &node, &notes)
  }

  private static func takeNumber(
    _ key: JSONScanner.Text, _ scanner: inout JSONScanner, into node: inout BookmarkJSONNode,
    _ notes: inout BookmarkJSONNotes
  ) throws(FormatError) -> Bool {
    let isIndex = scanner.isEqual(key, "index")
    let isType = scanner.isEqual(key, "typeCode")
    let isAdded = scanner.isEqual(key, "dateAdded")
    guard isIndex || isType || isAdded || scanner.isEqual(key, "lastModified") else { return false }
    guard try scanner.kind() == .number else { return false }
    let value = try scanner.integer()
    if isIndex {
      node.index = value
    } else if isType {
      if let kind = value.flatMap({ UInt8(exactly: $0) }).flatMap({ Bookmark.Kind(rawValue: $0) }) {
        node.bookmark.kind = kind
        node.hasKind = true
      }
    } else if value != 0 {
      let time = notes.plausible(value.map { Timestamp(microseconds: $0) })
      if isAdded { node.bookmark.dateAdded = time } else { node.bookmark.dateModified = time }
    }
    return true
  }

  private static func takeText(
    _ key: JSONScanner.Text, _ scanner: inout JSONScanner, into node: inout BookmarkJSONNode,
    _ notes: inout BookmarkJSONNotes
  ) throws(FormatError) -> Bool {
    let fields: [(StaticString, WritableKeyPath<BookmarkJSONNode, String?>)] = [
      ("guid", \.bookmark.guid), ("uri", \.bookmark.url), ("keyword", \.bookmark.keyword),
      ("postData", \.bookmark.postData), ("charset", \.bookmark.charset), ("iconUri", \.bookmark.iconURI),
      ("iconuri", \.bookmark.iconURI), ("root", \.root),
    ]
    let field = fields.first { scanner.isEqual(key, $0.0) }?.1
    let isTitle = scanner.isEqual(key, "title")
    let isTags = scanner.isEqual(key, "tags")
    let isType = scanner.isEqual(key, "type")
    guard field != nil || isTitle || isTags || isType, try scanner.kind() == .string else { return false }
    let text = try notes.text(&scanner)
    if let field {
      if !text.isEmpty { node[keyPath: field] = text }
    } else if isTitle {
      node.bookmark.title = text
    } else if isTags {
      node.bookmark.tags = tags(text)
    } else {
      takeType(text, into: &node)
    }
    return true
  }

  private static func takeType(_ type: String, into node: inout BookmarkJSONNode) {
    guard !node.hasKind else { return }
    switch type {
    case "text/x-moz-place": node.bookmark.kind = .bookmark
    case "text/x-moz-place-container": node.bookmark.kind = .folder
    case "text/x-moz-place-separator": node.bookmark.kind = .separator
    default: return
    }
    node.hasKind = true
  }

  private static func tags(_ list: String) -> [String] {
    var tags: [String] = []
    for part in list.utf8.split(separator: UInt8(ascii: ",")) {
      let bytes = Array(part)
      let tag = bytes.text(bytes.trimmed(0..<bytes.count))
      if !tag.isEmpty, !tags.contains(tag), tags.count < 1000 { tags.append(tag) }
    }
    return tags
  }

  /// Old backups keep descriptions in annotations: `[{"name": "bookmarkProperties/description", "value": …}]`.
  private static func takeAnnotations(
    _ scanner: inout JSONScanner, into node: inout BookmarkJSONNode, _ notes: inout BookmarkJSONNotes
  ) throws(FormatError) -> Bool {
    guard try scanner.kind() == .array else { return false }
    try scanner.enterArray()
    while try scanner.nextElement() {
      guard try scanner.kind() == .object else {
        try scanner.skipValue()
        continue
      }
      var name = ""
      var value: String?
      try scanner.enterObject()
      while let key = try scanner.nextMember() {
        let isName = scanner.isEqual(key, "name")
        let isValue = scanner.isEqual(key, "value")
        if isName || isValue, try scanner.kind() == .string {
          let text = try notes.text(&scanner)
          if isName { name = text } else { value = text }
        } else {
          try scanner.skipValue()
        }
      }
      if name == "bookmarkProperties/description", let value, !value.isEmpty { node.bookmark.description = value }
    }
    return true
  }
}
