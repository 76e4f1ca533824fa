import Glibc

/// An open file; closed when it is let go. Reads and writes go on after a signal.
final class FileDescriptor {
  /// The system's number.
  let raw: Int32

  /// Takes an open descriptor over.
  init(taking raw: Int32) { self.raw = raw }

  /// Opens a path. `O_CLOEXEC` is always set.
  convenience init(_ path: String, _ flags: Int32, mode: mode_t = 0o600, doing: String) throws(FormatError) {
    let raw = Glibc.open(path, flags | O_CLOEXEC, mode)
    if raw < 0 {
      let code = errno
      let isMissing = (code == ENOENT || code == ENOTDIR) && flags & O_CREAT == 0
      throw isMissing ? .notFound : .system(code: code, doing)
    }
    self.init(taking: raw)
  }

  deinit { close(raw) }

  /// Reads what comes next; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
    try FileDescriptor.repeated("reading the file") { Glibc.read(raw, buffer.baseAddress, buffer.count) }
  }

  /// Reads at an offset; fewer bytes than asked for only at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(FormatError) -> Int {
    var done = 0
    while done < buffer.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
      let count = try FileDescriptor.repeated("reading the file") {
        pread(raw, rest.baseAddress, rest.count, off_t(offset) &+ done)
      }
      if count == 0 { break }
      done += count
    }
    return done
  }

  /// Writes all of it.
  func write(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    var rest = bytes
    while rest.count > 0 {
      let count = try FileDescriptor.repeated("writing the file") {
        Glibc.write(raw, rest.baseAddress, rest.count)
      }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Writes all of it at an offset.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws(FormatError) {
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      done += try FileDescriptor.repeated("writing the file") {
        pwrite(raw, rest.baseAddress, rest.count, off_t(offset) &+ done)
      }
    }
  }

  /// What the system knows of it.
  func status() throws(FormatError) -> stat {
    var status = stat()
    if fstat(raw, &status) != 0 { throw .system(code: errno, "looking at the file") }
    return status
  }

  /// Waits until it is on the disk.
  func synchronize() throws(FormatError) {
    if fsync(raw) != 0 { throw .system(code: errno, "writing the file to the disk") }
  }

  private static func repeated(_ doing: String, _ call: () -> Int) throws(FormatError) -> Int {
    while true {
      let result = call()
      if result >= 0 { return result }
      let code = errno
      if code != EINTR { throw .system(code: code, doing) }
    }
  }
}

/// The system's words for an `errno`.
func systemMessage(_ code: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
  return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
