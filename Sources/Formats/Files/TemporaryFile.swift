import Glibc

/// An output into a file without a name, gone when it is let go: parts of a larger file that are put together later.
final class TemporaryFile: ByteOutput {
  private let file: FileDescriptor

  /// In a folder, where there is room for the whole of it.
  init(in folder: String) throws(FormatError) {
    do {
      file = try FileDescriptor.nameless(in: folder)
    } catch {
      var template = Array("\(folder)/.wherry-XXXXXX".utf8CString)
      let raw = mkstemp(&template)
      if raw < 0 { throw .system(code: errno, "creating a temporary file") }
      unlink(template)
      _ = fcntl(raw, F_SETFD, FD_CLOEXEC)
      file = FileDescriptor(taking: raw)
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(FormatError) { try file.write(bytes) }
  func finish() {}
  func abandon() {}

  /// A stream that reads it from the front; the caller closes it.
  func reader() throws(FormatError) -> UnsafeMutablePointer<FILE> {
    let copy = fcntl(file.raw, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0, lseek(copy, 0, SEEK_SET) == 0, let stream = fdopen(copy, "rb") else {
      let code = errno
      if copy >= 0 { close(copy) }
      throw .system(code: code, "reading a temporary file")
    }
    return stream
  }
}

extension FileDescriptor {
  /// A file without a name in this folder, mode 0600: gone when it is closed unless it is given one. Not every file
  /// system has such files.
  static func nameless(in folder: String) throws(FormatError) -> FileDescriptor {
    let nameless: Int32 = 0o20000000 | O_DIRECTORY  // O_TMPFILE, a macro that Swift does not see
    return try FileDescriptor(folder, O_RDWR | nameless, doing: "creating a temporary file")
  }
}
