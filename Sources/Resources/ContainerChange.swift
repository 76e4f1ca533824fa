internal import BrowsingData
internal import CLinux
internal import Foundation
internal import Glibc

/// Changes a folder of an app as a whole: either everything is in place afterwards, or everything is as it was.
package struct ContainerChange {
  /// What became of the things that were put in place.
  package struct Figures: Hashable, Codable, Sendable {
    /// New ones.
    package var added = 0
    /// Ones that took another's place.
    package var changed = 0
    /// Ones that were there already, equal.
    package var unchanged = 0
    /// Nothing yet.
    package init() {}
  }

  /// Puts what lies in `tree` into the folder `destination`, which need not be there. What else it holds stays.
  /// `destination` is taken meanwhile; `inUse` when somebody else has it.
  package static func overlay(_ tree: String, onto destination: String) throws(ResourceError) -> Figures {
    var figures = Figures()
    var info = stat()
    let hold = try Hold(of: destination)
    defer { hold.release() }
    guard stat(destination, &info) == 0 else {
      figures.added = count(tree)
      guard rename(tree, destination) == 0 else { throw OpenFile.failure("putting files in place") }
      return figures
    }
    let place = realPath(destination)
    let merged = tree + ".merged"
    remove(merged)
    do throws(ResourceError) {
      try copy(place, to: merged, byLink: true)
      try lay(tree, over: merged, &figures)
      try exchange(merged, place)
    } catch {
      remove(merged)
      throw error
    }
    remove(merged)
    return figures
  }

  /// A folder that is taken for a change, by a file beside it: the folder itself may change places meanwhile.
  package final class Hold {
    private let file: OpenFile
    private let path: String

    /// Takes it; `inUse` when somebody else has it.
    package init(of root: String) throws(ResourceError) {
      path = ContainerChange.beside(realPath(root), "lock")
      while true {
        let opened = try OpenFile(
          open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600), doing: "taking a folder")
        guard opened.lock() else { throw .inUse }
        // Whoever had it may have removed the file in between.
        var there = stat()
        if stat(path, &there) == 0, there.st_ino == (try opened.status()).st_ino {
          file = opened
          return
        }
      }
    }

    /// Lets it go; so does the last reference.
    package func release() { unlink(path) }

    deinit { unlink(path) }
  }

  /// Whether somebody has taken a folder.
  package static func isHeld(_ root: String) -> Bool {
    let opened = open(beside(realPath(root), "lock"), O_RDWR | O_CLOEXEC | O_NOFOLLOW)
    guard opened >= 0, let file = try? OpenFile(opened, doing: "looking at a folder") else { return false }
    return !file.lock()
  }

  /// A copy of a folder as it is, to go back to.
  package final class Snapshot {
    private let root: String
    private let copy: String?

    /// Copies the folder beside itself. Whoever does so has taken it.
    package init(of root: String) throws(ResourceError) {
      self.root = realPath(root)
      var info = stat()
      guard stat(root, &info) == 0 else {
        copy = nil
        return
      }
      let path = ContainerChange.beside(self.root, "before")
      ContainerChange.remove(path)
      copy = path
      do throws(ResourceError) {
        try ContainerChange.copy(self.root, to: path, byLink: false)
      } catch {
        ContainerChange.remove(path)
        throw error
      }
    }

    /// What has changed stays.
    package func keep() { if let copy { ContainerChange.remove(copy) } }

    /// Everything is as it was before.
    package func restore() throws(ResourceError) {
      guard let copy else { return ContainerChange.remove(root) }
      var info = stat()
      if stat(root, &info) != 0 {
        guard rename(copy, root) == 0 else { throw OpenFile.failure("restoring the container") }
        return
      }
      try ContainerChange.exchange(copy, root)
      ContainerChange.remove(copy)
    }
  }

  /// A hidden name beside a folder.
  static func beside(_ path: String, _ word: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return (folder.isEmpty ? "." : folder) + "/." + (path as NSString).lastPathComponent + ".wherry-" + word
  }

  static func realPath(_ path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  /// Both change places at once; where the file system cannot, one after the other.
  private static func exchange(_ one: String, _ other: String) throws(ResourceError) {
    if wherry_exchange(AT_FDCWD, one, AT_FDCWD, other) == 0 { return }
    let aside = one + ".aside"
    guard rename(other, aside) == 0 else { throw OpenFile.failure("putting files in place") }
    guard rename(one, other) == 0 else {
      let failure = OpenFile.failure("putting files in place")
      rename(aside, other)
      throw failure
    }
    rename(aside, one)
  }

  private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

  /// A copy of a tree. By link a file takes no room, but what writes into one writes into both.
  private static func copy(_ source: String, to target: String, byLink: Bool) throws(ResourceError) {
    guard let entry = ResourceTree.entry(at: source, path: "") else { return }
    switch entry.kind {
    case .folder:
      guard mkdir(target, mode_t(entry.mode) | 0o700) == 0 else { throw OpenFile.failure("copying a folder") }
      var names: [String] = []
      // A name that is no text cannot be copied by name: then nothing is changed at all.
      var isText = true
      let isRead = ResourceTree.eachName(in: source) { name in
        if let name { names.append(name) } else { isText = false }
      }
      guard isRead, isText else { throw .system("copying a folder", "it cannot be read") }
      for name in names { try copy(source + "/" + name, to: target + "/" + name, byLink: byLink) }
    case .link:
      guard symlink(entry.target ?? "", target) == 0 else { throw OpenFile.failure("copying a link") }
    case .file:
      if byLink, link(source, target) == 0 { return }
      do {
        // Shares the blocks where the file system can.
        try FileManager.default.copyItem(atPath: source, toPath: target)
      } catch {
        throw errno == ENOSPC ? .full : .system("copying a file", "\(type(of: error))")
      }
    }
  }

  private static func lay(
    _ tree: String, over folder: String, _ figures: inout Figures
  ) throws(ResourceError) {
    var names: [String] = []
    _ = ResourceTree.eachName(in: tree) { if let name = $0 { names.append(name) } }
    for name in names.sorted() {
      let new = tree + "/" + name
      let old = folder + "/" + name
      let known = ResourceTree.entry(at: old, path: "")?.kind
      if ResourceTree.entry(at: new, path: "")?.kind == .folder {
        if known == .folder {
          try lay(new, over: old, &figures)
          continue
        }
        figures.added += count(new)
      } else if known == nil {
        figures.added += 1
      } else if FileManager.default.contentsEqual(atPath: new, andPath: old) {
        figures.unchanged += 1
        continue
      } else {
        figures.changed += 1
      }
      if known != nil { remove(old) }
      guard rename(new, old) == 0 else { throw OpenFile.failure("putting files in place") }
    }
  }

  /// How many things a tree holds: files, links, and folders without either.
  private static func count(_ path: String) -> Int {
    guard ResourceTree.entry(at: path, path: "")?.kind == .folder else { return 1 }
    var sum = 0
    _ = ResourceTree.eachName(in: path) { if let name = $0 { sum += count(path + "/" + name) } }
    return max(1, sum)
  }
}
