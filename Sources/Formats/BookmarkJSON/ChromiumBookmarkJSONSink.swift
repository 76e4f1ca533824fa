package import BrowsingData
internal import Crypto

/// Writes Chromium's `Bookmarks` file, with the checksum that Chromium expects. Bookmarks are gathered; `finish` writes them.
package struct ChromiumBookmarkJSONSink: RecordSink {
  private var draft: BookmarkJSONDraft
  private var writer: JSONWriter { draft.writer }

  package let types: DataTypes = .bookmarks

  private static let reason = "Chromium's bookmark file has no place for it"

  /// Into an output.
  package init(_ output: any ByteOutput) { draft = BookmarkJSONDraft(output) }

  package mutating func write(_ batch: RecordBatch) throws { draft.add(batch) }

  package mutating func finish() throws -> [Loss] {
    moveMenu()
    draft.link(
      reserving: ChromiumBookmarkDialect.roots.map { "\($0.guid)" } + ["323123f4-9381-5aee-80e6-ea5fca2f7672"])
    try writer.raw("{\n   \"checksum\": ")
    try writer.text(hexadecimal(Hash.md5(checksumInput())))
    try writer.raw(",\n   \"roots\": {")
    draft.restartIDs()
    for (number, root) in ChromiumBookmarkDialect.roots.enumerated() {
      try writer.raw(number == 0 ? "\n      \"" : ",\n      \"")
      try writer.raw(root.name)
      try writer.raw("\": {\n         \"children\": [")
      let id = draft.takeID()
      try writeChildren(of: root.id)
      try writer.raw(
        "],\n         \"date_added\": \"0\",\n         \"date_last_used\": \"0\",\n         \"date_modified\": \"0\"")
      try writer.raw(",\n         \"guid\": \"")
      try writer.raw(root.guid)
      try writer.raw("\",\n         \"id\": \"")
      try writer.number(id)
      try writer.raw("\",\n         \"name\": \"")
      try writer.raw(root.title)
      try writer.raw("\",\n         \"type\": \"folder\"\n      }")
    }
    try writer.raw("\n   },\n   \"version\": 1\n}\n")
    return try draft.finish()
  }

  package mutating func abandon() { draft.abandon() }

  /// There is no menu in Chromium: what is in it goes to a folder under Other.
  private mutating func moveMenu() {
    let count = draft.moveRoot(.menu, toFolder: "Bookmarks menu", in: .other)
    draft.losses.add(
      .bookmarks, "parent", why: "Chromium has no bookmarks menu; it became a folder in Other", count: count)
  }

  // MARK: Order

  /// What the checksum is made of: of each node its number (in the order of the file, a folder before its children),
  /// its title as UTF-16, and `url` with the address or `folder`.
  private mutating func checksumInput() -> [UInt8] {
    var bytes: [UInt8] = []
    draft.restartIDs()
    let tree = draft.tree
    for root in ChromiumBookmarkDialect.roots {
      ChromiumBookmarkJSONSink.add(draft.takeID(), "\(root.title)", nil, to: &bytes)
      tree.walk(root.id) { step, _ in
        switch step {
        case .open(let folder):
          ChromiumBookmarkJSONSink.add(draft.takeID(), ChromiumBookmarkJSONSink.title(folder), nil, to: &bytes)
        case .leaf(let bookmark):
          if bookmark.kind == .separator { return }
          ChromiumBookmarkJSONSink.add(
            draft.takeID(), ChromiumBookmarkJSONSink.title(bookmark), bookmark.url ?? "", to: &bytes)
        case .close: break
        }
      }
    }
    return bytes
  }

  private static func add(_ id: Int64, _ title: String, _ url: String?, to bytes: inout [UInt8]) {
    bytes += "\(id)".utf8
    for unit in title.utf16 { bytes += [UInt8(unit & 255), UInt8(unit >> 8)] }
    bytes += url.map { "url" + $0 }?.utf8 ?? "folder".utf8
  }

  /// A title as Chromium keeps it: line ends and tabs are spaces.
  private static func title(_ bookmark: Bookmark) -> String {
    guard bookmark.title.unicodeScalars.contains(where: isLineEnd) else { return bookmark.title }
    var title = String.UnicodeScalarView()
    for scalar in bookmark.title.unicodeScalars { title.append(isLineEnd(scalar) ? " " : scalar) }
    return String(title)
  }

  private static func isLineEnd(_ scalar: Unicode.Scalar) -> Bool {
    ["\n", "\r", "\t", "\u{2028}", "\u{2029}"].contains(scalar)
  }

  // MARK: Nodes

  private mutating func writeChildren(of root: RecordID) throws(FormatError) {
    var isFirst = true
    let tree = draft.tree
    try tree.walk(root) { (step, depth) throws(FormatError) in
      switch step {
      case .open(let folder):
        countLosses(of: folder, depth: depth)
        try writer.raw(isFirst ? "{\"children\": [" : ",{\"children\": [")
        pending.append((draft.takeID(), guid(of: folder)))
        isFirst = true
      case .close(let folder):
        let known = pending.removeLast()
        try writer.raw("],")
        try write("date_added", folder.dateAdded)
        try write("date_last_used", folder.lastVisitedAt)
        try write("date_modified", folder.dateModified)
        try writeEnd(folder, known.id, known.guid)
        isFirst = false
      case .leaf(let bookmark):
        countLosses(of: bookmark, depth: depth)
        if bookmark.kind == .separator { return }
        try writer.raw(isFirst ? "{" : ",{")
        try write("date_added", bookmark.dateAdded)
        try write("date_last_used", bookmark.lastVisitedAt)
        try writeEnd(bookmark, draft.takeID(), guid(of: bookmark))
        isFirst = false
      }
    }
  }

  /// The number and GUID of each open folder.
  private var pending: [(id: Int64, guid: String)] = []

  private func write(_ key: StaticString, _ time: Timestamp?) throws(FormatError) {
    try writer.raw("\"")
    try writer.raw(key)
    try writer.raw("\": \"")
    try writer.number(time?.webKit ?? 0)
    try writer.raw("\",")
  }

  private func writeEnd(_ bookmark: Bookmark, _ id: Int64, _ guid: String) throws(FormatError) {
    try writer.raw("\"guid\": ")
    try writer.text(guid)
    try writer.raw(",\"id\": \"")
    try writer.number(id)
    try writer.raw("\"")
    try writeMetaInfo(of: bookmark)
    try writer.raw(",\"name\": ")
    try writer.text(ChromiumBookmarkJSONSink.title(bookmark))
    if bookmark.kind == .folder {
      try writer.raw(",\"type\": \"folder\"}\n")
    } else {
      try writer.raw(",\"type\": \"url\",\"url\": ")
      try writer.text(bookmark.url ?? "")
      try writer.raw("}\n")
    }
  }

  /// Gives back what was read of a `meta_info`.
  private func writeMetaInfo(of bookmark: Bookmark) throws(FormatError) {
    var isFirst = true
    for attribute in bookmark.attributes where ChromiumBookmarkJSONSink.isMetaInfo(attribute) {
      try writer.raw(isFirst ? ",\"meta_info\": {" : ",")
      try writer.text(String(attribute.name.dropFirst(ChromiumBookmarkDialect.metaInfo.count)))
      try writer.raw(": ")
      try writer.text(attribute.value)
      isFirst = false
    }
    if !isFirst { try writer.raw("}") }
  }

  private static func isMetaInfo(_ attribute: NamedValue) -> Bool {
    attribute.name.hasPrefix(ChromiumBookmarkDialect.metaInfo)
  }

  /// Its own GUID where that is a UUID in lower case, else one made of its id.
  private mutating func guid(of bookmark: Bookmark) -> String {
    draft.guid(of: bookmark, isTaken: ChromiumBookmarkJSONSink.isUUID) { id in
      var bytes = id
      bytes[6] = bytes[6] & 0x0F | 0x40
      bytes[8] = bytes[8] & 0x3F | 0x80
      let digits = Array(hexadecimal(bytes))
      return [digits[..<8], digits[8..<12], digits[12..<16], digits[16..<20], digits[20...]].map { String($0) }
        .joined(separator: "-")
    }
  }

  private static func isUUID(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard bytes.count == 36 else { return false }
    return bytes.enumerated().allSatisfy { index, byte in
      [8, 13, 18, 23].contains(index) ? byte == 0x2D : isDigit(byte) || byte &- 97 < 6
    }
  }

  // MARK: Losses

  private mutating func lose(_ field: String) {
    draft.losses.add(.bookmarks, field, why: ChromiumBookmarkJSONSink.reason)
  }

  private mutating func countLosses(of bookmark: Bookmark, depth: Int) {
    if bookmark.kind == .separator {
      draft.losses.add(.bookmarks, "kind", why: "there are no separators there")
      return
    }
    if depth >= NetscapeBookmarkWriter.chromiumDepth, bookmark.kind == .folder {
      draft.losses.add(.bookmarks, "parent", why: "nested so deep that Chromium will not save its bookmarks")
    }
    if ChromiumBookmarkJSONSink.title(bookmark) != bookmark.title {
      draft.losses.add(.bookmarks, "title", why: "line ends and tabs became spaces")
    }
    if let url = bookmark.url, oddity(ofAddress: url)?.hasSuffix("a scheme") == true {
      draft.losses.add(.bookmarks, "url", why: "Chromium drops an address without a scheme")
    }
    if bookmark.kind == .bookmark, bookmark.dateModified != nil { lose("date_modified") }
    if !bookmark.tags.isEmpty { lose("tags") }
    if bookmark.keyword != nil { lose("keyword") }
    if bookmark.postData != nil { lose("post_data") }
    if bookmark.description?.isEmpty == false { lose("description") }
    if bookmark.charset != nil { lose("charset") }
    if bookmark.icon != nil { lose("icon") }
    if bookmark.iconURI != nil { lose("icon_uri") }
    if !bookmark.attributes.allSatisfy(ChromiumBookmarkJSONSink.isMetaInfo) { lose("attributes") }
  }
}
