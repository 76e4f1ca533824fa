internal import Glibc

/// A consistent copy of a database that another program may have open.
package enum DatabaseSnapshot {
  /// Copies the database at `path`, with what its write-ahead log or journal holds, into `directory`, under the same
  /// name, and returns the copy's path: one file that passed SQLite's own check. Copies again while the other program
  /// writes; after ten attempts the error is `.busy`. Never writes or locks the original.
  package static func copy(of path: String, into directory: String) throws(DatabaseError) -> String {
    let name = path.split(separator: "/").last.map(String.init) ?? "copy"
    let target = directory + "/" + name
    var failure = DatabaseError(code: .busy, message: "the database changed while it was copied")
    for attempt in 0..<10 {
      if attempt > 0 { usleep(50_000) }
      remove(target)
      let before = try state(of: path)
      guard before[0] != nil else { throw DatabaseError(code: .cantOpen, message: "there is no such database") }
      for suffix in suffixes { try copyFile(path + suffix, to: target + suffix) }
      guard try state(of: path) == before else { continue }
      do throws(DatabaseError) {
        try settle(target)
        return target
      } catch {
        // A copy that does not check may have been torn: try again, and at last say what SQLite said.
        failure = error
      }
    }
    remove(target)
    throw failure
  }

  /// The database itself first: what the log gains afterwards changes the log's state and is seen.
  private static let suffixes = ["", "-wal", "-journal"]

  private struct FileState: Equatable {
    var size: Int
    var inode: UInt
    var seconds: Int
    var nanoseconds: Int
  }

  private static func state(of path: String) throws(DatabaseError) -> [FileState?] {
    var states: [FileState?] = []
    for suffix in suffixes {
      var info = stat()
      guard stat(path + suffix, &info) == 0 else {
        guard errno == ENOENT else { throw systemError("the database cannot be read") }
        states.append(nil)
        continue
      }
      states.append(
        FileState(
          size: info.st_size, inode: info.st_ino, seconds: info.st_mtim.tv_sec,
          nanoseconds: info.st_mtim.tv_nsec))
    }
    return states
  }

  /// Takes the log into the file, so that the copy is one file, and checks it.
  private static func settle(_ path: String) throws(DatabaseError) {
    let database = try Database(path: path, mode: .readWrite)
    try database.harden()
    // Leaving WAL takes the log in; a database without one stays as it is.
    _ = try database.text("PRAGMA journal_mode = DELETE")
    guard try database.text("PRAGMA quick_check(1)") == "ok" else {
      throw DatabaseError(code: .corrupt, message: "the database is damaged")
    }
  }

  private static func remove(_ target: String) {
    for suffix in suffixes + ["-shm"] { unlink(target + suffix) }
  }

  private static func copyFile(_ source: String, to target: String) throws(DatabaseError) {
    let input = open(source, O_RDONLY | O_CLOEXEC)
    guard input >= 0 else {
      if errno == ENOENT { return }
      throw systemError("the database cannot be read")
    }
    defer { close(input) }
    let output = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard output >= 0 else { throw systemError("the copy cannot be made") }
    defer { close(output) }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while true {
      let count = read(input, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw systemError("the database cannot be read") }
      if count == 0 { return }
      try writeAll(buffer, count, to: output)
    }
  }

  private static func writeAll(_ buffer: [UInt8], _ count: Int, to output: Int32) throws(DatabaseError) {
    var done = 0
    while done < count {
      let written = buffer[done..<count].withUnsafeBytes { write(output, $0.baseAddress, $0.count) }
      if written < 0 && errno == EINTR { continue }
      guard written > 0 else { throw systemError("the copy cannot be written") }
      done += written
    }
  }

  private static func systemError(_ what: String) -> DatabaseError {
    let code: ResultCode
    switch errno {
    case ENOSPC, EDQUOT: code = .full
    case EACCES, EPERM, ENOENT: code = .cantOpen
    case EROFS: code = .readOnly
    default: code = .ioError
    }
    return DatabaseError(code: code, message: what + ": " + String(cString: strerror(errno)))
  }
}
