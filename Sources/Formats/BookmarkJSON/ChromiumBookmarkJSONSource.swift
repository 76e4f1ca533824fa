package import BrowsingData

/// Chromium's `Bookmarks` file, as it lies in a profile or was copied out of one. Its checksum is not looked at: Chromium
/// itself takes files whose checksum is wrong.
package struct ChromiumBookmarkJSONSource: RecordSource {
  private let input: any ByteInput

  /// Of a file; nothing is read yet.
  package init(_ input: any ByteInput) { self.input = input }

  package let types: DataTypes = .bookmarks

  package func counts() throws -> RecordCounts { try countsByReading() }

  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    var reader = BookmarkJSONReader<ChromiumBookmarkDialect>()
    guard try readRoots(&reader) else { throw FormatError.notThisFormat("a Chromium bookmark file") }
    guard types.contains(.bookmarks) else { return }
    if !reader.notes.remarks.isEmpty { try consume(.remarks(reader.notes.remarks)) }
    var records = BookmarkJSONRecords(reader.nodes, namespace: ChromiumBookmarkDialect.namespace)
    let tops = reader.nodes.indices.filter { reader.nodes[$0].parent == nil }
    let known = tops.compactMap { number in
      ChromiumBookmarkDialect.roots.first { "\($0.name)" == reader.nodes[number].root }.map { (number, $0.id) }
    }
    try records.read(known, into: consume)
    for number in tops where !known.contains(where: { $0.0 == number }) {
      try records.skip(number, "it stands under a root that is not known here", into: consume)
    }
  }

  /// Reads the nodes of all roots; false when the file has none.
  private func readRoots(_ reader: inout BookmarkJSONReader<ChromiumBookmarkDialect>) throws(FormatError) -> Bool {
    let depth = BookmarkJSONReader<ChromiumBookmarkDialect>.maximumDepth
    var scanner = try JSONScanner.open(input, maximumDepth: depth)
    var hasRoots = false
    try scanner.enterObject()
    while let key = try scanner.nextMember() {
      let isRoots = scanner.isEqual(key, "roots")
      guard isRoots, try scanner.kind() == .object else {
        try scanner.skipValue()
        continue
      }
      hasRoots = true
      try scanner.enterObject()
      while let key = try scanner.nextMember() {
        let name = scanner.repairedString(key)
        if try scanner.kind() == .object {
          try reader.readNode(&scanner, root: name)
        } else {
          if ChromiumBookmarkDialect.roots.contains(where: { "\($0.name)" == name }) { reader.notes.strangeRoots += 1 }
          try scanner.skipValue()
        }
      }
    }
    try scanner.finish()
    return hasRoots
  }
}
