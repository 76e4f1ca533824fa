internal import BrowsingData
internal import Glibc

/// Keeps the former contents of a profile's files before they are changed, and puts them back.
struct ProfileBackup {
  /// The profile's folder.
  let profile: String
  /// Where the former contents go; made with mode 0700 at the first one.
  let folder: String
  private var kept: [(name: String, backup: String?)] = []

  /// For one edit of one profile. The folder above `folder` is there.
  init(of profile: String, in folder: String) {
    self.profile = profile
    self.folder = folder
  }

  /// Whether anything was kept.
  var isEmpty: Bool { kept.isEmpty }

  /// Copies a file that is about to change; once for each. A database must have no log beside it (`-wal`).
  mutating func keep(_ name: String) throws(ProfileError) {
    guard !kept.contains(where: { $0.name == name }) else { return }
    let path = profile + "/" + name
    guard ProfileFile.stamp(path) != nil else {
      kept.append((name, nil))
      return
    }
    try ProfileFile.makeFolder(folder)
    let backup = name.split(separator: "/").joined(separator: "_")
    unlink(folder + "/" + backup)
    try ProfileFile.copy(path, to: folder + "/" + backup)
    guard chmod(folder + "/" + backup, 0o600) == 0 else { throw ProfileFile.failure(backup) }
    ProfileFile.settleFolder(of: folder + "/" + backup)
    kept.append((name, backup))
  }

  /// The files that were kept, as they are now.
  func changedFiles() -> [ChangedFile] {
    kept.map { ChangedFile(name: $0.name, backup: $0.backup, state: ProfileBackup.state(profile + "/" + $0.name)) }
  }

  /// Puts back what an edit changed, all files or none: false when one is not as the edit left it. A database's log that
  /// the browser has begun counts as a change.
  static func restore(_ files: [ChangedFile], of profile: String, from folder: String) throws(ProfileError) -> Bool {
    for file in files {
      let path = profile + "/" + file.name
      guard state(path) == file.state, logs.allSatisfy({ (ProfileFile.stamp(path + $0)?.size ?? 0) == 0 }) else {
        return false
      }
      if let backup = file.backup, ProfileFile.stamp(folder + "/" + backup) == nil { return false }
    }
    for file in files {
      let path = profile + "/" + file.name
      for log in logs + ["-shm"] { unlink(path + log) }
      if let backup = file.backup {
        try ProfileFile.replace(path, withCopyOf: folder + "/" + backup)
      } else {
        unlink(path)
        ProfileFile.settleFolder(of: path)
      }
    }
    return true
  }

  private static let logs = ["-wal", "-journal"]

  private static func state(_ path: String) -> ChangedFile.State? {
    ProfileFile.stamp(path).map {
      ChangedFile.State(size: Int64($0.size), modified: Int64($0.modified) &* 1_000_000_000 &+ Int64($0.nanoseconds))
    }
  }
}
