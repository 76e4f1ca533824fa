import Glibc

/// A regular file as an input.
package struct FileInput: ByteInput {
  /// Its path.
  package let path: String
  package var name: String { lastComponent(of: path) }

  /// Of a path; nothing is opened yet.
  package init(_ path: String) { self.path = path }

  package func open() throws(FormatError) -> any OpenByteInput { Open(try descriptor()) }

  /// Opens it. Anything but a regular file is refused: a pipe cannot be read twice.
  func descriptor() throws(FormatError) -> FileDescriptor {
    let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK, doing: "opening the file")
    guard try file.status().st_mode & S_IFMT == S_IFREG else { throw .notThisFormat("a plain file") }
    posix_fadvise(file.raw, 0, 0, POSIX_FADV_SEQUENTIAL)
    return file
  }

  private final class Open: OpenByteInput {
    private let file: FileDescriptor
    init(_ file: FileDescriptor) { self.file = file }

    var expectedCount: Int? { (try? file.status()).map { Int($0.st_size) } }

    func read(into buffer: UnsafeMutableRawBufferPointer) throws(FormatError) -> Int {
      try file.read(into: buffer)
    }
  }
}

/// What comes after the last slash.
func lastComponent(of path: String) -> String {
  path.split(separator: "/").last.map(String.init) ?? path
}
