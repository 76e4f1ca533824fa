internal import Glibc

/// A folder that only this user may enter, deleted with its contents when the last reference goes.
final class TemporaryFolder {
  /// Where it is.
  let path: String

  /// Makes one in this folder; nil for TMPDIR, or /tmp.
  init(in folder: String? = nil) throws(ProfileError) {
    let base = folder ?? getenv("TMPDIR").map { String(cString: $0) } ?? ""
    var template = Array(((base.isEmpty ? "/tmp" : base) + "/wherry-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .unreadable(file: "temporary folder", reason: String(cString: strerror(errno)))
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// A new folder inside it.
  func folder(_ name: String) throws(ProfileError) -> String {
    guard mkdir(path + "/" + name, 0o700) == 0 else {
      throw .unreadable(file: "temporary folder", reason: String(cString: strerror(errno)))
    }
    return path + "/" + name
  }

  deinit { TemporaryFolder.remove(path) }

  private static func remove(_ folder: String) {
    for name in ProfileFile.names(in: folder) {
      let path = folder + "/" + name
      if unlink(path) != 0 { remove(path) }
    }
    rmdir(folder)
  }
}
