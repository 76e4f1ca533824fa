package import BrowsingData

/// A backup of Firefox's bookmarks, plain (`.json`) or packed (`.jsonlz4`): all four roots, separators, tags, keywords.
package struct FirefoxBookmarkJSONSource: RecordSource {
  private let input: any ByteInput

  /// Of a file; nothing is read yet.
  package init(_ input: any ByteInput) { self.input = input }

  package let types: DataTypes = .bookmarks

  package func counts() throws -> RecordCounts { try countsByReading() }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    var reader = BookmarkJSONReader<FirefoxBookmarkDialect>()
    var scanner = try JSONScanner.open(
      unpacked(), maximumDepth: BookmarkJSONReader<FirefoxBookmarkDialect>.maximumDepth)
    try reader.readNode(&scanner)
    try scanner.finish()
    let top = reader.nodes[0]
    guard top.hasChildren, top.hasKind || top.root != nil else { throw FormatError.notThisFormat("a bookmark backup") }
    guard types.contains(.bookmarks) else { return }
    if !reader.notes.remarks.isEmpty { try consume(.remarks(reader.notes.remarks)) }
    var records = BookmarkJSONRecords(reader.nodes, namespace: FirefoxBookmarkDialect.namespace)
    if let id = FirefoxBookmarkJSONSource.root(top) {
      try records.read([(0, id)], into: consume)
      return
    }
    let below = records.nodes(below: 0)
    try records.read(
      below.compactMap { number in FirefoxBookmarkJSONSource.root(reader.nodes[number]).map { (number, $0) } },
      into: consume)
    for number in below where FirefoxBookmarkJSONSource.root(reader.nodes[number]) == nil {
      // The bookmarks in Firefox's folder of tags are those of the other roots once more.
      if reader.nodes[number].root == "tagsFolder" { continue }
      try records.skip(number, "it stands under a root that is not known here", into: consume)
    }
  }

  private func unpacked() throws(FormatError) -> any ByteInput {
    guard LZ4Block.recognizes(try input.prefix(8)) else { return input }
    let file = try input.bytes(upTo: LZ4Block.maximumSize)
    return MemoryInput(try LZ4Block.content(of: file), name: input.name)
  }

  private static func root(_ node: BookmarkJSONNode) -> RecordID? {
    FirefoxBookmarkDialect.roots.first { $0.name == node.root || $0.guid == node.bookmark.guid }?.id
  }
}
