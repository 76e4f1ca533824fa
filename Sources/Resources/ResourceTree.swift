package import BrowsingData
internal import CLinux
internal import Glibc

/// The files below a folder or file, as entries.
package enum ResourceTree {
  /// Puts a thing, and all below it when it is a folder, into a list. Links are not followed. `excludes`: whether a path in
  /// the archive stays here.
  package static func append(
    _ source: String, as path: String, to list: ResourceList, excludes: (String) -> Bool = { _ in false }
  ) throws(ResourceError) {
    var waiting = [(source: source, path: path)]
    while let (source, path) = waiting.popLast() {
      if excludes(path) { continue }
      guard var entry = entry(at: source, path: path) else {
        // It went meanwhile.
        var info = stat()
        if lstat(source, &info) != 0, errno == ENOENT { continue }
        list.refuse("it is neither file, folder nor link, or cannot be looked at")
        continue
      }
      switch entry.kind {
      case .file: list.append(entry, source: source)
      case .link:
        do throws(ResourcePath.Fault) {
          try ResourcePath(path).checkTarget(entry.target ?? "")
          list.append(entry, source: source)
        } catch {
          list.refuse(error.rawValue)
        }
      case .folder:
        guard let names = names(in: source, list) else { continue }
        // An empty one is sent for itself, the others are where their files are.
        entry.size = 0
        if names.isEmpty { list.append(entry, source: source) }
        for name in names.reversed() { waiting.append((source + "/" + name, path + "/" + name)) }
      }
    }
  }

  /// What is at a place; nil when there is nothing, or nothing that can be sent.
  package static func entry(at source: String, path: String) -> ResourceEntry? {
    var info = stat()
    guard lstat(source, &info) == 0 else { return nil }
    let mode = UInt16(truncatingIfNeeded: info.st_mode & 0o777)
    switch info.kind {
    case S_IFREG:
      return ResourceEntry(
        path: path, kind: .file, size: Int64(info.st_size), mode: mode, modifiedAt: info.modifiedAt)
    case S_IFDIR:
      return ResourceEntry(path: path, kind: .folder, mode: mode, modifiedAt: info.modifiedAt)
    case S_IFLNK:
      var entry = ResourceEntry(path: path, kind: .link, mode: mode, modifiedAt: info.modifiedAt)
      guard let target = linkTarget(source) else { return nil }
      entry.target = target
      return entry
    default: return nil
    }
  }

  /// Where a link points; nil when that is no text.
  static func linkTarget(_ path: String) -> String? {
    var buffer = [UInt8](repeating: 0, count: 4_097)
    let count = buffer.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink(path, $0.assumingMemoryBound(to: CChar.self), bytes.count) } ?? -1
    }
    guard count > 0, count <= 4_096 else { return nil }
    return String(validating: buffer[..<count], as: UTF8.self)
  }

  /// The names in a folder, sorted; nil when it cannot be read.
  private static func names(in folder: String, _ list: ResourceList) -> [String]? {
    var names: [String] = []
    let isRead = eachName(in: folder) { name in
      if let name { names.append(name) } else { list.refuse("its name is not UTF-8") }
    }
    if !isRead { list.refuse("a folder cannot be read") }
    return isRead ? names.sorted() : nil
  }

  /// Hands over each name, nil for one that is no text; false when the folder cannot be read.
  static func eachName(in folder: String, _ body: (String?) -> Void) -> Bool {
    guard let open = opendir(folder) else { return false }
    defer { closedir(open) }
    while let entry = readdir(open) {
      let length = strlen(&entry.pointee.d_name.0)
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(validating: $0[..<length], as: UTF8.self) }
      if name != "." && name != ".." { body(name) }
    }
    return true
  }

  /// How much room the files of a list take on the disk here: less than their sizes where they have holes.
  package static func roomTaken(_ source: String) -> Int64 {
    var info = stat()
    guard lstat(source, &info) == 0 else { return 0 }
    return Int64(info.st_blocks) &* 512
  }
}
