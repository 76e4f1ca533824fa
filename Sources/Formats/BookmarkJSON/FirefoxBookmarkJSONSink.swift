package import BrowsingData

/// Writes a backup as Firefox reads it: one line of JSON, all four roots. Bookmarks are gathered; `finish` writes them.
package struct FirefoxBookmarkJSONSink: RecordSink {
  private var draft: BookmarkJSONDraft
  private var writer: JSONWriter { draft.writer }

  package let types: DataTypes = .bookmarks

  private static let reason = "Firefox's backup has no place for it"

  /// Into an output.
  package init(_ output: any ByteOutput) { draft = BookmarkJSONDraft(output) }

  package mutating func write(_ batch: RecordBatch) throws { draft.add(batch) }

  package mutating func finish() throws -> [Loss] {
    draft.link(
      reserving: FirefoxBookmarkDialect.roots.map(\.guid) + [FirefoxBookmarkDialect.top.guid, "tags________"])
    try writer.raw("{\"guid\":\"root________\",\"title\":\"\",\"index\":0")
    try writeID()
    try writer.raw(",\"typeCode\":2,\"type\":\"text/x-moz-place-container\",\"root\":\"placesRoot\",\"children\":[")
    for (number, root) in FirefoxBookmarkDialect.roots.enumerated() {
      if number > 0 { try writer.raw(",") }
      try write(root.name, root.guid, root.id, index: number < 2 ? number : number + 1)
    }
    try writer.raw("]}")
    return try draft.finish()
  }

  package mutating func abandon() { draft.abandon() }

  // MARK: Nodes

  private mutating func write(_ name: String, _ guid: String, _ root: RecordID, index: Int) throws(FormatError) {
    try writer.raw("{\"guid\":")
    try writer.text(guid)
    try writer.raw(",\"title\":")
    try writer.text(name)
    try writer.raw(",\"index\":")
    try writer.number(Int64(index))
    try writeID()
    try writer.raw(",\"typeCode\":2,\"type\":\"text/x-moz-place-container\",\"root\":")
    try writer.text(name)
    try writer.raw(",\"children\":[")
    // How many children of each open folder were written.
    var counts: [Int64] = [0]
    let tree = draft.tree
    try tree.walk(root) { (step, _) throws(FormatError) in
      switch step {
      case .open(let folder):
        try begin(folder, &counts)
        try writer.raw(",\"children\":[")
        counts.append(0)
      case .leaf(let bookmark):
        try begin(bookmark, &counts)
        try writer.raw("}")
      case .close:
        counts.removeLast()
        try writer.raw("]}")
      }
    }
    try writer.raw("]}")
  }

  private mutating func begin(_ bookmark: Bookmark, _ counts: inout [Int64]) throws(FormatError) {
    let index = counts[counts.count - 1]
    counts[counts.count - 1] += 1
    try writer.raw(index > 0 ? ",{\"guid\":" : "{\"guid\":")
    try writer.text(guid(of: bookmark))
    try writer.raw(",\"title\":")
    try writer.text(bookmark.kind == .separator ? "" : bookmark.title)
    try writer.raw(",\"index\":")
    try writer.number(index)
    try write(",\"dateAdded\":", bookmark.dateAdded)
    try write(",\"lastModified\":", bookmark.dateModified)
    try writeID()
    switch bookmark.kind {
    case .bookmark:
      try writer.raw(",\"typeCode\":1,\"type\":\"text/x-moz-place\",\"uri\":")
      try writer.text(bookmark.url ?? "")
      try writeFields(bookmark)
    case .folder: try writer.raw(",\"typeCode\":2,\"type\":\"text/x-moz-place-container\"")
    case .separator: try writer.raw(",\"typeCode\":3,\"type\":\"text/x-moz-place-separator\"")
    }
    countLosses(of: bookmark)
  }

  private mutating func writeFields(_ bookmark: Bookmark) throws(FormatError) {
    try write(",\"keyword\":", bookmark.keyword)
    try write(",\"postData\":", bookmark.postData)
    try write(",\"charset\":", bookmark.charset)
    try write(",\"iconUri\":", bookmark.iconURI)
    if bookmark.tags.isEmpty { return }
    let tags = bookmark.tags.map { tag in String(decoding: tag.utf8.map { $0 == 0x2C ? 0x20 : $0 }, as: UTF8.self) }
    if tags != bookmark.tags { draft.losses.add(.bookmarks, "tags", why: "a comma in a tag became a space") }
    if tags.contains(where: { $0.utf16.count > 100 }) {
      draft.losses.add(.bookmarks, "tags", why: "Firefox refuses a tag of more than 100 characters")
    }
    try write(",\"tags\":", tags.joined(separator: ","))
  }

  private mutating func writeID() throws(FormatError) {
    try writer.raw(",\"id\":")
    try writer.number(draft.takeID())
  }

  private func write(_ key: StaticString, _ text: String?) throws(FormatError) {
    guard let text, !text.isEmpty else { return }
    try writer.raw(key)
    try writer.text(text)
  }

  private func write(_ key: StaticString, _ time: Timestamp?) throws(FormatError) {
    guard let time else { return }
    try writer.raw(key)
    try writer.number(time.microseconds)
  }

  /// Its own GUID where that is one of Firefox's (12 characters of base 64), else one made of its id.
  private mutating func guid(of bookmark: Bookmark) -> String {
    draft.guid(
      of: bookmark,
      isTaken: { $0.utf8.count == 12 && $0.utf8.allSatisfy(FirefoxBookmarkJSONSink.isDigit64) },
      make: { FirefoxBookmarkJSONSink.base64($0[..<9]) })
  }

  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

  private static func isDigit64(_ byte: UInt8) -> Bool {
    isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
  }

  private static func base64(_ bytes: ArraySlice<UInt8>) -> String {
    var text: [UInt8] = []
    var value = 0
    var bits = 0
    for byte in bytes {
      value = value << 8 | Int(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(digits[value >> bits & 63])
      }
    }
    return text.text(0..<text.count)
  }

  // MARK: Losses

  private mutating func countLosses(of bookmark: Bookmark) {
    let reason = FirefoxBookmarkJSONSink.reason
    if bookmark.description?.isEmpty == false { draft.losses.add(.bookmarks, "description", why: reason) }
    if bookmark.icon != nil { draft.losses.add(.bookmarks, "icon", why: reason) }
    if bookmark.lastVisitedAt != nil { draft.losses.add(.bookmarks, "last_visited_at", why: reason) }
    if !bookmark.attributes.isEmpty { draft.losses.add(.bookmarks, "attributes", why: reason) }
    if bookmark.title.utf8.count > 4096, bookmark.title.utf16.count > 4096 {
      draft.losses.add(.bookmarks, "title", why: "Firefox cuts a title after 4,096 characters")
    }
    if (bookmark.url?.utf8.count ?? 0) > 65_536 {
      draft.losses.add(.bookmarks, "url", why: "Firefox refuses an address of more than 65,536 characters")
    }
  }
}
