internal import Glibc

/// Small files and folders that only this user may read.
enum PrivateFile {
  /// Makes the folder and those above it, and refuses one that others may enter or read.
  static func makeFolder(_ path: String) throws(StoreError) {
    var made = ""
    for part in path.split(separator: "/") {
      made += "/" + part
      if mkdir(made, 0o700) == 0 || errno == EEXIST || errno == EISDIR { continue }
      let reason = errno
      // A folder above it that is there but may not be written is no obstacle.
      var info = stat()
      if stat(made, &info) == 0 { continue }
      throw failure(made, reason)
    }
    try requirePrivate(path, isFolder: true)
  }

  /// Refuses what does not belong to this user alone; what is not there is fine.
  static func requirePrivate(_ path: String, isFolder: Bool = false) throws(StoreError) {
    var info = stat()
    guard (isFolder ? stat(path, &info) : lstat(path, &info)) == 0 else {
      if errno == ENOENT { return }
      throw failure(path)
    }
    guard info.st_mode & S_IFMT == (isFolder ? S_IFDIR : S_IFREG) else {
      throw .file(path, isFolder ? "is no folder" : "is no ordinary file")
    }
    guard info.st_mode & 0o077 == 0, info.st_uid == geteuid() else { throw .notPrivate(path) }
    if isFolder, access(path, W_OK) != 0 { throw failure(path) }
  }

  /// The content, nil when there is no such file; at most 64 KiB.
  static func read(_ path: String) throws(StoreError) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw failure(path)
    }
    defer { close(descriptor) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while content.count < 65_536 {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw failure(path) }
      if count == 0 { break }
      content += buffer[0..<count]
    }
    return content
  }

  /// Writes the whole file or nothing: a new file, made durable, takes the old one's place.
  static func write(_ content: [UInt8], to path: String) throws(StoreError) {
    let temporary = path + ".new"
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw failure(path) }
    var done = 0
    while done < content.count {
      let count = content[done...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { break }
      done += count
    }
    let isWritten = done == content.count && fsync(descriptor) == 0
    let problem = isWritten ? nil : failure(path)
    close(descriptor)
    if let problem {
      unlink(temporary)
      throw problem
    }
    guard rename(temporary, path) == 0 else { throw failure(path) }
    syncFolder(of: path)
  }

  /// Makes an empty file, if there is none: whoever writes into it later cannot choose its mode. One that is there is not
  /// even opened: to close it would drop the locks that SQLite holds on it for other connections of this process.
  static func touch(_ path: String) throws(StoreError) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0, errno == EEXIST { return }
    guard descriptor >= 0 else { throw failure(path) }
    close(descriptor)
  }

  /// Removes a folder and the files in it; folders in it stay, and then it does, too.
  static func removeFolder(_ path: String) {
    guard let folder = opendir(path) else { return }
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { unlink(path + "/" + name) }
    }
    closedir(folder)
    rmdir(path)
  }

  private static func syncFolder(of path: String) {
    guard let slash = path.lastIndex(of: "/") else { return }
    let folder = open(String(path[..<slash]), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0 else { return }
    fsync(folder)
    close(folder)
  }

  private static func failure(_ path: String, _ reason: Int32 = errno) -> StoreError {
    switch reason {
    case ENOSPC, EDQUOT: .full
    case EROFS, EACCES, EPERM: .readOnly(path)
    default: .file(path, String(cString: strerror(reason)))
    }
  }
}
