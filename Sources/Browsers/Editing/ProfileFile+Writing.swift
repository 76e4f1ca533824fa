internal import Glibc

extension ProfileFile {
  /// Replaces a file as a whole: a new one beside it, made durable, takes its place and its mode. A crash leaves the old
  /// one or the new one. One that was not there gets mode 0600.
  static func replace(_ path: String, with bytes: [UInt8]) throws(ProfileError) {
    let temporary = path + ".wherry-new"
    unlink(temporary)
    let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw failure(path) }
    do throws(ProfileError) {
      defer { close(file) }
      try write(bytes, bytes.count, to: file, path)
      try settle(file, like: path)
    } catch {
      unlink(temporary)
      throw error
    }
    try rename(temporary, over: path)
  }

  /// Puts a copy of one file in the place of another, as `replace` does.
  static func replace(_ path: String, withCopyOf source: String) throws(ProfileError) {
    let temporary = path + ".wherry-new"
    unlink(temporary)
    do throws(ProfileError) {
      try copy(source, to: temporary, like: path)
    } catch {
      unlink(temporary)
      throw error
    }
    try rename(temporary, over: path)
  }

  /// Copies a file to a new one, durably. The copy has the mode of the file at `model`, 0600 when there is none.
  static func copy(_ source: String, to target: String, like model: String? = nil) throws(ProfileError) {
    let input = open(source, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard input >= 0 else { throw failure(source) }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard output >= 0 else { throw failure(target) }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = Glibc.read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw failure(source) }
      if count == 0 { break }
      try write(buffer, count, to: output, target)
    }
    try settle(output, like: model ?? target)
  }

  /// Makes a folder that only this user may enter; one that is there is fine.
  static func makeFolder(_ path: String) throws(ProfileError) {
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
  }

  /// Makes the names in the folder of a file durable.
  static func settleFolder(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  /// The system's words for what failed with a file.
  static func failure(_ path: String) -> ProfileError {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if errno == ENOSPC || errno == EDQUOT { return .full(file: name) }
    return .unwritable(file: name, reason: String(cString: strerror(errno)))
  }

  private static func write(_ bytes: [UInt8], _ count: Int, to file: Int32, _ path: String) throws(ProfileError) {
    var done = 0
    while done < count {
      let written = bytes[done..<count].withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw failure(path) }
      done += written
    }
  }

  /// Gives an open file the mode of another one and makes it durable.
  private static func settle(_ file: Int32, like path: String) throws(ProfileError) {
    var status = stat()
    if stat(path, &status) == 0 { fchmod(file, status.st_mode & 0o777) }
    guard fsync(file) == 0 else { throw failure(path) }
  }

  private static func rename(_ temporary: String, over path: String) throws(ProfileError) {
    guard Glibc.rename(temporary, path) == 0 else {
      let error = failure(path)
      unlink(temporary)
      throw error
    }
    settleFolder(of: path)
  }
}
