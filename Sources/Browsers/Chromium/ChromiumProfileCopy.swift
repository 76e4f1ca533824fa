internal import SQLite

/// What an editor reads of a profile, copied: for a dry run.
enum ChromiumProfileCopy {
  private static let databases = ["History", "Login Data", "Login Data For Account", "Web Data"]
  private static let documents = ["Preferences", "Secure Preferences"]

  /// Copies it; a browser may have the profile open.
  static func make(of path: String, in copy: TemporaryFolder) throws(ProfileError) {
    for name in databases where ProfileFile.stamp(path + "/" + name) != nil {
      do { _ = try DatabaseSnapshot.copy(of: path + "/" + name, into: copy.path) } catch {
        throw ProfileError(error, file: name)
      }
    }
    let bookmarks = ChromiumBookmarks.files.flatMap { [$0.plain, $0.sealed] }
    for name in documents + bookmarks where ProfileFile.stamp(path + "/" + name) != nil {
      try ProfileFile.copy(path + "/" + name, to: copy.path + "/" + name)
    }
    let list = ChromiumReadingList.folder
    guard ProfileFile.isFolder(path + "/" + list) else { return }
    _ = try copy.folder("Sync Data")
    _ = try copy.folder(list)
    for name in ProfileFile.names(in: path + "/" + list) where ProfileFile.stamp(path + "/" + list + "/" + name) != nil
    {
      try? ProfileFile.copy(path + "/" + list + "/" + name, to: copy.path + "/" + list + "/" + name)
    }
  }
}
