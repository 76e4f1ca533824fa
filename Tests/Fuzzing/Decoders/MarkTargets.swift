import BrowsingData
import Formats
import Glibc

extension FuzzTarget {
  /// Bookmarks and logins from files.
  static let marks: [FuzzTarget] = [.bookmarkHTML, .firefoxJSON, .packedJSON, .chromiumJSON, .passwordTable, .anyFile]

  /// Bookmark HTML. What is written of it reads back as it was, from the second time on: the first one trims and escapes.
  static let bookmarkHTML = FuzzTarget(name: "bookmark-html") { bytes in
    let whole = try marks(NetscapeBookmarkSource(MemoryInput(bytes)))
    require(
      try marks(NetscapeBookmarkSource(MemoryInput(bytes, chunk: 7))) == whole, "in small chunks is the same as whole")
    requireTree(whole.bookmarks)
    let once = try marks(NetscapeBookmarkSource(MemoryInput(html(whole))))
    require(once.bookmarks.count == whole.bookmarks.count, "no bookmark is lost on the way out and back")
    require(once.readingList.count == whole.readingList.count, "nothing of the reading list is lost")
    let text = try html(once)
    require(try html(marks(NetscapeBookmarkSource(MemoryInput(text)))) == text, "what is written reads back as it was")
  }

  /// A Firefox backup, packed or plain.
  static let firefoxJSON = FuzzTarget(name: "firefox-json") { bytes in
    let whole = try marks(FirefoxBookmarkJSONSource(MemoryInput(bytes)))
    requireTree(whole.bookmarks)
    let output = MemoryOutput()
    try write(whole.bookmarks, FirefoxBookmarkJSONSink(output))
    let again = try marks(FirefoxBookmarkJSONSource(MemoryInput(output.bytes)))
    require(again.bookmarks.count == whole.bookmarks.count, "no bookmark is lost on the way out and back")
  }

  /// A packed backup: the length that is claimed, then the block. What stands around them is always right.
  static let packedJSON = FuzzTarget(name: "packed-json") { bytes in
    let whole = try marks(FirefoxBookmarkJSONSource(MemoryInput(Array("mozLz40\0".utf8) + bytes)))
    requireTree(whole.bookmarks)
  }

  /// Any file: told by its content, then read to its end.
  static let anyFile = FuzzTarget(name: "any-file") { bytes in
    let path = "/tmp/wherry-fuzz-\(getpid())"
    let file = try AtomicFile(path)
    try file.write(bytes)
    try file.finish()
    defer { unlink(path) }
    try FileSource.open(path).read(.all) { _ in }
  }

  /// Chromium's bookmark file.
  static let chromiumJSON = FuzzTarget(name: "chromium-json") { bytes in
    let whole = try marks(ChromiumBookmarkJSONSource(MemoryInput(bytes)))
    requireTree(whole.bookmarks)
    let output = MemoryOutput()
    try write(whole.bookmarks, ChromiumBookmarkJSONSink(output))
    let again = try marks(ChromiumBookmarkJSONSource(MemoryInput(output.bytes)))
    let kept = whole.bookmarks.filter { $0.kind != .separator }
    require(again.bookmarks.count == kept.count, "no bookmark is lost on the way out and back")
  }

  /// A password table.
  static let passwordTable = FuzzTarget(name: "password-table") { bytes in
    let found = try logins(bytes)
    let output = MemoryOutput()
    var sink = LoginCSVSink(output, dialect: .firefox)
    try sink.write(.logins(found))
    _ = try sink.finish()
    let again = try logins(output.bytes)
    let kept = found.filter { !$0.password.isEmpty }
    require(again.map(\.password) == kept.map(\.password), "passwords read back as they were")
    require(again.map(\.username) == kept.map(\.username), "user names read back as they were")
  }

  private struct Marks: Equatable {
    var bookmarks: [Bookmark] = []
    var readingList: [ReadingListItem] = []
  }

  private static func marks(_ source: some RecordSource) throws -> Marks {
    var found = Marks()
    try source.read(.all) { batch in
      switch batch {
      case .bookmarks(let bookmarks): found.bookmarks += bookmarks
      case .readingList(let items): found.readingList += items
      case .extensions, .logins, .cards, .pages, .visits, .history, .remarks: break
      }
    }
    return found
  }

  private static func logins(_ bytes: [UInt8]) throws -> [Login] {
    var found: [Login] = []
    try LoginCSVSource(MemoryInput(bytes)).read(.passwords) { batch in
      if case .logins(let logins) = batch { found += logins }
    }
    return found
  }

  private static func html(_ marks: Marks) throws -> [UInt8] {
    let output = MemoryOutput()
    var sink = NetscapeBookmarkSink(output, flavor: .firefox)
    try sink.write(.bookmarks(marks.bookmarks))
    try sink.write(.readingList(marks.readingList))
    _ = try sink.finish()
    return output.bytes
  }

  private static func write(_ bookmarks: [Bookmark], _ sink: some RecordSink) throws {
    var sink = sink
    try sink.write(.bookmarks(bookmarks))
    _ = try sink.finish()
  }

  private static func requireTree(_ bookmarks: [Bookmark]) {
    var folders = Set(RecordID.roots.map(\.id))
    var ids: Set<RecordID> = []
    var next: [RecordID: Int] = [:]
    for bookmark in bookmarks {
      require(folders.contains(bookmark.parent), "parents come before their children")
      require(ids.insert(bookmark.id).inserted, "an id is given once")
      require(bookmark.position == next[bookmark.parent, default: 0], "positions have no gaps")
      next[bookmark.parent, default: 0] += 1
      if bookmark.kind == .folder { folders.insert(bookmark.id) }
      require((bookmark.url != nil) == (bookmark.kind == .bookmark), "bookmarks alone have addresses")
    }
  }
}
