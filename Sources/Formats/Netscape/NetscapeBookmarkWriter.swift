internal import BrowsingData

/// Writes a tree of bookmarks as bookmark HTML and counts what it cannot hold.
struct NetscapeBookmarkWriter {
  private let flavor: NetscapeFlavor
  private var output: BufferedOutput
  /// What could not be held so far.
  var losses = LossCounter()

  /// Chromium saves no bookmarks at all when they are nested more than 99 levels deep; some are its own.
  static let chromiumDepth = 95

  /// Into an output.
  init(_ output: BufferedOutput, _ flavor: NetscapeFlavor) {
    self.output = output
    self.flavor = flavor
  }

  /// Writes the whole file and ends the output.
  mutating func write(_ tree: BookmarkTree, _ readingList: [ReadingListItem]) throws(FormatError) {
    output.write(flavor.header)
    for part in flavor.parts {
      switch part {
      case .items(let root): try writeItems(tree, root, indent: flavor == .safari ? 0 : 1)
      case .folder(let root, let title, let mark):
        if tree.isEmpty(root) { continue }
        openFolder(title, mark)
        try writeItems(tree, root, indent: flavor == .safari ? 1 : 2)
        closeList(indent: flavor == .safari ? 0 : 1)
      case .readingList:
        if !readingList.isEmpty { try write(readingList) }
      }
    }
    output.write(flavor.footer)
    try output.finish()
  }

  private mutating func openFolder(_ title: StaticString, _ mark: StaticString) {
    let indent = flavor == .safari ? 0 : 1
    self.indent(indent)
    output.write("<DT><H3")
    output.write(mark)
    output.write(">")
    output.write(title)
    output.write("</H3>\n")
    openList(indent: indent)
  }

  private mutating func openList(indent: Int) {
    self.indent(indent)
    output.write("<DL><p>\n")
  }

  private mutating func closeList(indent: Int) {
    self.indent(indent)
    output.write("</DL><p>\n")
  }

  /// Four blanks a level; deeper than any person looks they only make the file grow with the square of the depth.
  private mutating func indent(_ depth: Int) {
    for _ in 0..<min(depth, 64) { output.write("    ") }
  }

  private mutating func writeItems(_ tree: BookmarkTree, _ root: RecordID, indent: Int) throws(FormatError) {
    try tree.walk(root) { (step, depth) throws(FormatError) in
      let indent = indent + depth
      switch step {
      case .open(let folder):
        if flavor == .chromium, depth >= NetscapeBookmarkWriter.chromiumDepth {
          losses.add(.bookmarks, "parent", why: "nested so deep that Chromium will not save its bookmarks")
        }
        write(folder: folder, indent: indent)
        openList(indent: indent)
      case .close: closeList(indent: indent)
      case .leaf(let bookmark):
        if bookmark.kind == .separator {
          writeSeparator(bookmark, indent: indent)
        } else {
          write(bookmark, indent: indent)
        }
      }
      try output.flushIfFull()
    }
  }

  // MARK: Items

  private mutating func write(folder: Bookmark, indent: Int) {
    self.indent(indent)
    output.write("<DT><H3")
    switch flavor {
    case .safari: output.write(" FOLDED")
    case .firefox, .chromium:
      writeTime("ADD_DATE", folder.dateAdded, .bookmarks, "date_added")
      writeTime("LAST_MODIFIED", folder.dateModified, .bookmarks, "date_modified")
    }
    writeOthers(folder)
    writeTitle(folder.title, .bookmarks, "H3")
    writeDescription(folder.description, .bookmarks, "description", indent: indent)
    countLosses(of: folder)
  }

  private mutating func write(_ bookmark: Bookmark, indent: Int) {
    self.indent(indent)
    output.write("<DT><A")
    output.writeAttribute("HREF", bookmark.url ?? "")
    switch flavor {
    case .firefox:
      writeTime("ADD_DATE", bookmark.dateAdded, .bookmarks, "date_added")
      writeTime("LAST_MODIFIED", bookmark.dateModified, .bookmarks, "date_modified")
      writeTime("LAST_VISIT", bookmark.lastVisitedAt, .bookmarks, "last_visited_at")
      output.writeAttribute("SHORTCUTURL", bookmark.keyword)
      output.writeAttribute("POST_DATA", bookmark.postData)
      output.writeAttribute("LAST_CHARSET", bookmark.charset)
      output.writeAttribute("ICON_URI", bookmark.iconURI)
      writeIcon(bookmark)
      writeTags(bookmark.tags)
    case .chromium:
      writeTime("ADD_DATE", bookmark.dateAdded, .bookmarks, "date_added")
      writeIcon(bookmark)
    case .safari: break
    }
    writeOthers(bookmark)
    writeTitle(bookmark.title, .bookmarks, "A")
    writeDescription(bookmark.description, .bookmarks, "description", indent: indent)
    countLosses(of: bookmark)
  }

  private mutating func writeSeparator(_ separator: Bookmark, indent: Int) {
    switch flavor {
    case .firefox:
      self.indent(indent)
      output.write("<HR")
      writeTime("ADD_DATE", separator.dateAdded, .bookmarks, "date_added")
      output.write(">\n")
      if separator.dateModified != nil { lose("date_modified") }
    case .chromium, .safari: losses.add(.bookmarks, "kind", why: "there are no separators there")
    }
  }

  private mutating func write(_ readingList: [ReadingListItem]) throws(FormatError) {
    openFolder(
      "Reading List", flavor == .safari ? " FOLDED id=\"com.apple.ReadingList\"" : " id=\"com.apple.ReadingList\"")
    let indent = flavor == .safari ? 1 : 2
    for item in readingList {
      self.indent(indent)
      output.write("<DT><A")
      output.writeAttribute("HREF", item.url)
      if flavor != .safari {
        writeTime("ADD_DATE", item.dateAdded, .readingList, "date_added")
        if flavor == .firefox {
          writeTime("LAST_VISIT", item.lastVisitedAt, .readingList, "last_visited_at")
        } else if item.lastVisitedAt != nil {
          lose("last_visited_at", .readingList)
        }
      } else {
        if item.dateAdded != nil { lose("date_added", .readingList) }
        if item.lastVisitedAt != nil { lose("last_visited_at", .readingList) }
      }
      writeTitle(item.title, .readingList, "A")
      writeDescription(item.preview, .readingList, "preview", indent: indent)
      if item.read != nil { lose("read", .readingList) }
      try output.flushIfFull()
    }
    closeList(indent: indent - 1)
  }

  // MARK: Parts of an item

  private mutating func writeTime(_ name: StaticString, _ time: Timestamp?, _ type: DataType, _ field: String) {
    guard let time else { return }
    let seconds = time.microseconds / 1_000_000
    guard seconds > 0, seconds < 100_000_000_000 else {
      losses.add(type, field, why: "a time that bookmark HTML cannot say")
      return
    }
    if seconds * 1_000_000 != time.microseconds { losses.add(type, field, why: "only whole seconds fit") }
    output.writeAttribute(name, String(seconds))
  }

  private mutating func writeIcon(_ bookmark: Bookmark) {
    guard let icon = bookmark.icon else { return }
    if icon.hasPrefix("data:") { output.writeAttribute("ICON", icon) } else { lose("icon") }
  }

  private mutating func writeTags(_ tags: [String]) {
    guard !tags.isEmpty else { return }
    var written: [String] = []
    var isChanged = false
    for tag in tags {
      let bytes = tag.utf8.map { $0 < 0x20 || $0 == 0x7F || $0 == UInt8(ascii: ",") ? UInt8(ascii: " ") : $0 }
      let plain = bytes.text(bytes.trimmed(0..<bytes.count))
      if plain != tag { isChanged = true }
      if !plain.isEmpty { written.append(plain) }
    }
    if isChanged { losses.add(.bookmarks, "tags", why: "a comma or control character in a tag became a space") }
    output.writeAttribute("TAGS", written.joined(separator: ","))
  }

  /// Gives back what another program wrote, but nothing that could act when the file is opened as a page.
  private mutating func writeOthers(_ bookmark: Bookmark) {
    guard flavor == .firefox else {
      if !bookmark.attributes.isEmpty { lose("attributes") }
      return
    }
    var isLost = false
    for attribute in bookmark.attributes {
      if NetscapeAttributeNames.isHarmless(attribute) {
        output.writeAttribute(named: attribute.name, attribute.value)
      } else {
        isLost = true
      }
    }
    if isLost { lose("attributes") }
  }

  private mutating func writeTitle(_ title: String, _ type: DataType, _ tag: StaticString) {
    output.write(">")
    output.writeTitle(title)
    output.write("</")
    output.write(tag)
    output.write(">\n")
    let bytes = title.utf8
    if bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) || bytes.first == 0x20 || bytes.last == 0x20 {
      losses.add(type, "title", why: "line ends and control characters became a space, or there are blanks at its ends")
    }
  }

  private mutating func writeDescription(_ text: String?, _ type: DataType, _ field: String, indent: Int) {
    guard let text, !text.isEmpty else { return }
    guard flavor == .firefox else {
      lose(field, type)
      return
    }
    self.indent(indent)
    output.write("<DD>")
    output.writeDescription(text)
    output.write("\n")
    let bytes = Array(text.utf8)
    let isChanged = bytes.contains { ($0 < 0x20 && !isBlank($0)) || $0 == 0x7F }
    if isChanged || bytes.trimmed(0..<bytes.count).count != bytes.count {
      losses.add(type, field, why: "control characters became a space, or there are blanks at its ends")
    }
  }

  // MARK: Losses

  private mutating func lose(_ field: String, _ type: DataType = .bookmarks) {
    losses.add(type, field, why: flavor.reason)
  }

  private mutating func countLosses(of bookmark: Bookmark) {
    if flavor == .firefox { return }
    if flavor == .safari {
      if bookmark.dateAdded != nil { lose("date_added") }
      if bookmark.icon != nil { lose("icon") }
    }
    if bookmark.dateModified != nil, flavor == .safari || bookmark.kind == .bookmark { lose("date_modified") }
    if bookmark.lastVisitedAt != nil { lose("last_visited_at") }
    if !bookmark.tags.isEmpty { lose("tags") }
    if bookmark.keyword != nil { lose("keyword") }
    if bookmark.postData != nil { lose("post_data") }
    if bookmark.charset != nil { lose("charset") }
    if bookmark.iconURI != nil { lose("icon_uri") }
  }
}
