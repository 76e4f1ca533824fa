package import BrowsingData

/// Writes bookmark HTML: UTF-8, LF, one element a line. Bookmarks are gathered, since their order in the file is not that
/// of their coming; `finish` writes them.
package struct NetscapeBookmarkSink: RecordSink {
  private let flavor: NetscapeFlavor
  private var output: BufferedOutput
  private var tree = BookmarkTree()
  private var readingList: [ReadingListItem] = []

  package let types: DataTypes = [.bookmarks, .readingList]

  /// Into an output, in one of the dialects.
  package init(_ output: any ByteOutput, flavor: NetscapeFlavor) {
    self.output = BufferedOutput(output)
    self.flavor = flavor
  }

  package mutating func write(_ batch: RecordBatch) throws {
    switch batch {
    case .bookmarks(let bookmarks): tree.add(bookmarks)
    case .readingList(let items): readingList += items
    case .extensions, .logins, .cards, .pages, .visits, .history, .remarks: break
    }
  }

  package mutating func finish() throws -> [Loss] {
    tree.link()
    var writer = NetscapeBookmarkWriter(output, flavor)
    writer.losses.add(.bookmarks, "parent", why: "its folder is not there; it went to Other", count: tree.strays)
    do {
      try writer.write(tree, readingList)
    } catch {
      output.abandon()
      throw error
    }
    return writer.losses.losses
  }

  package mutating func abandon() { output.abandon() }
}
