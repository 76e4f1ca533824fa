internal import BrowsingData
internal import Glibc

/// The files that one editor of a profile changes. Each is kept before its first change, and replaced or removed in one
/// step. In a dry run the profile is only a copy, and nothing is kept.
final class EditedFiles {
  /// The profile's folder.
  let folder: String
  private var backup: ProfileBackup?
  private var changed: Set<String> = []
  /// Called before each step that changes the profile for good; what it throws ends the editing there, as a crash
  /// would.
  var beforeStep: (_ step: String) throws -> Void = { _ in }

  /// Former contents go to `backups`; nil in a dry run.
  init(folder: String, backups: String?) {
    self.folder = folder
    backup = backups.map { ProfileBackup(of: folder, in: $0) }
  }

  /// Where a file is.
  func path(_ name: String) -> String { folder + "/" + name }

  /// Copies a file as it is. To be called before anything is written into it.
  func keep(_ name: String) throws(ProfileError) { try backup?.keep(name) }

  /// Replaces a file in one step.
  func replace(_ name: String, with bytes: [UInt8]) throws {
    try keep(name)
    try beforeStep("replace \(name)")
    try ProfileFile.replace(path(name), with: bytes)
    changed.insert(name)
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws {
    guard ProfileFile.stamp(path(name)) != nil else { return }
    try keep(name)
    try beforeStep("remove \(name)")
    guard unlink(path(name)) == 0 else { throw ProfileFile.failure(path(name)) }
    ProfileFile.settleFolder(of: path(name))
    changed.insert(name)
  }

  /// Tells that a file has been changed by other means.
  func noteChange(of name: String) { changed.insert(name) }

  /// What was changed, and where its former contents are. What was kept and not changed is kept no longer.
  func finish() -> [ChangedFile] {
    guard let backup else { return [] }
    let files = backup.changedFiles()
    for file in files where !changed.contains(file.name) {
      if let copy = file.backup { unlink(backup.folder + "/" + copy) }
    }
    if changed.isEmpty { rmdir(backup.folder) }
    return files.filter { changed.contains($0.name) }
  }
}
