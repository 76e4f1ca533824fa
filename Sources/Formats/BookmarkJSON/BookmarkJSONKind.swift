/// Which program's bookmark JSON a file is.
package enum BookmarkJSONKind: Hashable, Sendable {
  /// Firefox's backup.
  case firefox
  /// Chromium's `Bookmarks` file.
  case chromium

  /// The kind of a file by its outermost keys; nil when they are those of something else. Reads no further than needed.
  static func recognize(_ input: any ByteInput) throws(FormatError) -> BookmarkJSONKind? {
    var scanner = try JSONScanner.open(
      input, maximumDepth: BookmarkJSONReader<FirefoxBookmarkDialect>.maximumDepth)
    guard try scanner.kind() == .object else { return nil }
    try scanner.enterObject()
    while let key = try scanner.nextMember() {
      if scanner.isEqual(key, "metadata") || scanner.isEqual(key, "history") { return nil }
      if scanner.isEqual(key, "typeCode") || scanner.isEqual(key, "root") { return .firefox }
      let isRoots = scanner.isEqual(key, "roots")
      if isRoots, try scanner.kind() == .object { return .chromium }
      try scanner.skipValue()
    }
    return nil
  }
}
