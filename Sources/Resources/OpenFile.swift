internal import BrowsingData
internal import CLinux
internal import Glibc

/// A file or folder that is open, closed with the last reference. One thread uses it.
final class OpenFile {
  let descriptor: Int32

  init(_ descriptor: Int32, doing: String) throws(ResourceError) {
    guard descriptor >= 0 else { throw OpenFile.failure(doing) }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// An open folder; never by way of a link in its last part.
  static func folder(_ path: String) throws(ResourceError) -> OpenFile {
    try OpenFile(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), doing: "opening a folder")
  }

  /// The error of the call that failed just now.
  static func failure(_ doing: String) -> ResourceError {
    switch errno {
    case ENOENT: .notFound
    case ENOSPC, EDQUOT: .full
    case EACCES, EPERM, EROFS: .denied
    case let other: .system(doing, String(cString: strerror(other)))
    }
  }

  /// What is known of it.
  func status() throws(ResourceError) -> stat {
    var info = stat()
    guard fstat(descriptor, &info) == 0 else { throw OpenFile.failure("looking at a file") }
    return info
  }

  /// At most so many bytes from a place; none at the end.
  func read(at offset: Int64, atMost count: Int) throws(ResourceError) -> [UInt8] {
    var failed = false
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, length in
      guard let base = buffer.baseAddress else { return }
      while length < count {
        let got = pread(descriptor, base + length, count - length, off_t(offset) + length)
        if got < 0 && errno == EINTR { continue }
        if got < 0 { failed = true }
        if got <= 0 { return }
        length += got
      }
    }
    if failed { throw OpenFile.failure("reading a file") }
    return bytes
  }

  /// Writes all bytes at a place.
  func write(_ bytes: [UInt8], at offset: Int64) throws(ResourceError) {
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done, off_t(offset) + done)
      }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw OpenFile.failure("writing a file") }
      done += count
    }
  }

  /// Where the next byte is that is not in a hole, from a place on; `size` when there is none.
  func nextData(from offset: Int64, size: Int64) -> Int64 {
    let found = lseek(descriptor, off_t(offset), wherry_seek_data)
    if found >= 0 { return min(Int64(found), size) }
    return errno == ENXIO ? size : offset
  }

  /// Takes the file for itself; false when another has it. Goes with the file.
  func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

  /// Makes all that was written in its file system survive a power failure.
  func syncFileSystem() throws(ResourceError) {
    guard wherry_sync_file_system(descriptor) == 0 else { throw OpenFile.failure("writing to the disk") }
  }
}

extension stat {
  var kind: mode_t { st_mode & S_IFMT }
  var modifiedAt: Timestamp {
    Timestamp(microseconds: Int64(st_mtim.tv_sec) &* 1_000_000 &+ Int64(st_mtim.tv_nsec) / 1_000)
  }
}
