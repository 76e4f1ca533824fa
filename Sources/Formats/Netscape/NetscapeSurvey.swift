internal import BrowsingData

/// What must be known of a bookmark file before its first bookmark is read: one look at all of its text.
struct NetscapeSurvey {
  /// Whether it is one: its doctype, or a `<DL` or `<DT`.
  private(set) var isBookmarkFile = false
  /// Whether there are NULs in it.
  private(set) var hasNUL = false
  /// Where the top level of the file goes when nothing in it says: Firefox writes the menu there and marks Other Bookmarks,
  /// any other program has no menu.
  private(set) var top = RecordID.other

  /// How many tags there are that may be links, headings or separators: at least as many as bookmarks.
  private(set) var items = 0

  /// What is looked for is no longer, and stands no further behind the byte that is searched for.
  private static let longest = 40

  /// Looks through a text.
  init(_ text: StreamedText) throws(FormatError) {
    var window = ByteWindow(try text.open(), limit: 256 << 10)
    var (kept, counted) = (0, 0)
    while true {
      var isAtEnd = true
      if case .more = try window.read(keeping: kept) { isAtEnd = false }
      let end = isAtEnd ? window.count : max(0, window.count - NetscapeSurvey.longest)
      look(window.slice(0..<window.count), to: end)
      items += NetscapeSurvey.items(window.slice(0..<window.count), from: counted, to: end)
      if isAtEnd { return }
      kept = max(0, end - NetscapeSurvey.longest)
      counted = end - kept
    }
  }

  private mutating func look(_ bytes: UnsafeRawBufferPointer, to end: Int) {
    if !hasNUL { hasNUL = bytes.firstIndex(of: 0, from: 0, to: end) != nil }
    if !isBookmarkFile { isBookmarkFile = NetscapeSurvey.hasListTag(bytes, to: end) }
    if top == .other, NetscapeSurvey.hasOtherMark(bytes, to: end) { top = .menu }
  }

  private static func items(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int {
    var (count, index) = (0, start)
    while let less = bytes.firstIndex(of: UInt8(ascii: "<"), from: index, to: end) {
      index = less + 1
      let letter = index < bytes.count ? lowercased(bytes[index]) : 0
      if letter == UInt8(ascii: "a") || letter == UInt8(ascii: "h") { count += 1 }
    }
    return count
  }

  private static func hasListTag(_ bytes: UnsafeRawBufferPointer, to end: Int) -> Bool {
    var index = 0
    while let less = bytes.firstIndex(of: UInt8(ascii: "<"), from: index, to: end) {
      index = less + 1
      if bytes.isWord(index..<(index + 2), "dl") || bytes.isWord(index..<(index + 2), "dt") { return true }
      if bytes.isWord(index..<(index + 32), "!doctype netscape-bookmark-file-") { return true }
    }
    return false
  }

  private static func hasOtherMark(_ bytes: UnsafeRawBufferPointer, to end: Int) -> Bool {
    var index = 0
    while let line = bytes.firstIndex(of: UInt8(ascii: "_"), from: index, to: end) {
      index = line + 1
      if line >= 7, bytes.isWord((line - 7)..<(line + 18), "unfiled_bookmarks_folder=") { return true }
    }
    return false
  }
}
