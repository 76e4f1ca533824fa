extension ChromiumProfile {
  /// None: what its reading list and its extensions are kept in is written all the time.
  package func mark() -> [UInt8]? { nil }

  /// Of the files that hold bookmarks, which are written whole.
  package func bookmarksMark() throws -> [UInt8]? {
    ProfileFile.mark(of: ChromiumBookmarks.files.flatMap { [$0.plain, $0.sealed] }, in: path)
  }
}
