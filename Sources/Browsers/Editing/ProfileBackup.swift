internal import BrowsingData
internal import Glibc

/// Keeps the former contents of a profile's files before they are changed, and puts them back.
struct ProfileBackup {
  /// The profile's folder.
  let profile: String
  private let root: String
  private let edit: String
  private var kept: [(name: String, backup: String?)] = []

  /// For one edit of one profile. Former contents go below the folder `root` into one that is named after the edit; both
  /// are made with mode 0700 at the first one.
  init(of profile: String, in root: String, edit: String) {
    self.profile = profile
    self.root = root
    self.edit = edit
  }

  private var folder: String { root + "/" + edit }

  /// Whether anything was kept.
  var isEmpty: Bool { kept.isEmpty }

  /// How many edits' former contents are kept.
  static let keptEdits = 10

  /// Removes the oldest edits' former contents, so that room is for this one's. The names of edits ascend with time.
  private func makeRoom() {
    let names = ProfileFile.names(in: root).filter { $0 != edit && ProfileFile.isFolder(root + "/" + $0) }
    for name in names.dropLast(ProfileBackup.keptEdits - 1) {
      for file in ProfileFile.names(in: root + "/" + name) { unlink(root + "/" + name + "/" + file) }
      rmdir(root + "/" + name)
    }
  }

  /// Copies a file that is about to change; once for each. A database must have no log beside it (`-wal`).
  mutating func keep(_ name: String) throws(ProfileError) {
    guard !kept.contains(where: { $0.name == name }) else { return }
    let path = profile + "/" + name
    guard ProfileFile.stamp(path) != nil else {
      kept.append((name, nil))
      return
    }
    try ProfileFile.makeFolder(root)
    if isEmpty { makeRoom() }
    try ProfileFile.makeFolder(folder)
    let backup = name.split(separator: "/").joined(separator: "_")
    unlink(folder + "/" + backup)
    try ProfileFile.copy(path, to: folder + "/" + backup)
    guard chmod(folder + "/" + backup, 0o600) == 0 else { throw ProfileFile.failure(backup) }
    ProfileFile.settleFolder(of: folder + "/" + backup)
    kept.append((name, edit + "/" + backup))
  }

  /// Forgets a file that did not change after all.
  mutating func forget(_ name: String) {
    guard let place = kept.firstIndex(where: { $0.name == name }) else { return }
    if let backup = kept[place].backup { unlink(root + "/" + backup) }
    kept.remove(at: place)
    rmdir(folder)
  }

  /// The files that were kept, as they are now.
  func changedFiles() -> [ChangedFile] {
    kept.map { ChangedFile(name: $0.name, backup: $0.backup, state: ProfileBackup.state(profile + "/" + $0.name)) }
  }

  /// Puts back what an edit changed, all files or none: false when one is not as the edit left it. A database's log that
  /// the browser has begun counts as a change. `root` is the folder that the backups' names begin in.
  static func restore(_ files: [ChangedFile], of profile: String, from root: String) throws(ProfileError) -> Bool {
    for file in files {
      let path = profile + "/" + file.name
      // The name came from our own journal; one that leads elsewhere did not.
      guard !file.name.split(separator: "/").contains(".."), !(file.backup ?? "").contains("..") else { return false }
      guard state(path) == file.state, logs.allSatisfy({ (ProfileFile.stamp(path + $0)?.size ?? 0) == 0 }) else {
        return false
      }
      if let backup = file.backup, ProfileFile.stamp(root + "/" + backup) == nil { return false }
    }
    for file in files {
      let path = profile + "/" + file.name
      for log in logs + ["-shm"] { unlink(path + log) }
      if let backup = file.backup {
        try ProfileFile.replace(path, withCopyOf: root + "/" + backup)
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
