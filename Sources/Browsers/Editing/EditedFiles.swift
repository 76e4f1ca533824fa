internal import BrowsingData
internal import Glibc

/// The files that one editor of a profile changes. Each is kept before its first change, and replaced or removed in one
/// step. In a dry run the profile is only a copy, and nothing is kept.
final class EditedFiles {
  /// The profile's folder.
  let folder: String
  private var backup: ProfileBackup?
  /// Called before each step that changes the profile for good; what it throws ends the editing there, as a crash
  /// would.
  var beforeStep: (_ step: String) throws -> Void = { _ in }

  /// Former contents go to `backup`; nil in a dry run.
  init(folder: String, backup: ProfileBackup?) {
    self.folder = folder
    self.backup = backup
  }

  /// Where a file is.
  func path(_ name: String) -> String { folder + "/" + name }

  /// Copies a file as it is. To be called before anything is written into it.
  func keep(_ name: String) throws(ProfileError) { try backup?.keep(name) }

  /// Replaces a file in one step.
  func replace(_ name: String, with bytes: [UInt8]) throws {
    try beforeStep("replace \(name)")
    try keep(name)
    do { try ProfileFile.replace(path(name), with: bytes) } catch {
      forget(name)
      throw error
    }
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws {
    guard ProfileFile.stamp(path(name)) != nil else { return }
    try beforeStep("remove \(name)")
    try keep(name)
    guard unlink(path(name)) == 0 else { throw ProfileFile.failure(path(name)) }
    ProfileFile.settleFolder(of: path(name))
  }

  /// Keeps a file no longer, which did not change after all.
  func forget(_ name: String) { backup?.forget(name) }

  /// What was changed, and where its former contents are.
  func changedFiles() -> [ChangedFile] { backup?.changedFiles() ?? [] }
}
