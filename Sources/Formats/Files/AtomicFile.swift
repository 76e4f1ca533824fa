import Glibc
import Synchronization

/// A file that appears whole or not at all: written without a name in the same folder with mode 0600, brought to the
/// disk, then given its name in one step. Let go without `finish`, it leaves nothing behind, even when the program dies.
package final class AtomicFile: ByteOutput {
  /// The folder it will be in.
  let folder: String
  private let path: String
  private var file: FileDescriptor?
  private var temporaryName: String?
  private var buffer: [UInt8] = []

  private static let bufferSize = 1 << 18

  /// For a path whose folder exists; the path itself stays untouched until `finish`.
  package init(_ path: String) throws(FormatError) {
    self.path = path
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    buffer.reserveCapacity(AtomicFile.bufferSize)
    do {
      file = try FileDescriptor.nameless(in: folder)
    } catch {
      let name = AtomicFile.unusedName(in: folder)
      file = try FileDescriptor(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, doing: "creating the file")
      temporaryName = name
    }
  }

  deinit { abandon() }

  package func write(_ bytes: UnsafeRawBufferPointer) throws(FormatError) {
    if buffer.count + bytes.count > AtomicFile.bufferSize { try flush() }
    if bytes.count >= AtomicFile.bufferSize {
      try opened().write(bytes)
    } else {
      buffer.append(contentsOf: bytes)
    }
  }

  package func finish() throws(FormatError) {
    let file = try opened()
    do throws(FormatError) {
      try flush()
      try file.synchronize()
      try rename(try link(file))
      try FileDescriptor(folder, O_RDONLY | O_DIRECTORY, doing: "opening the folder").synchronize()
    } catch {
      abandon()
      throw error
    }
    self.file = nil
  }

  package func abandon() {
    if let temporaryName { unlink(temporaryName) }
    temporaryName = nil
    file = nil
    buffer = []
  }

  /// The descriptor behind it, with everything written so far in it.
  func descriptor() throws(FormatError) -> FileDescriptor {
    try flush()
    return try opened()
  }

  private func opened() throws(FormatError) -> FileDescriptor {
    guard let file else { throw .system(code: EBADF, "writing the file") }
    return file
  }

  private func flush() throws(FormatError) {
    guard !buffer.isEmpty else { return }
    let file = try opened()
    var failure: FormatError?
    buffer.withUnsafeBytes { bytes in
      do throws(FormatError) { try file.write(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
    buffer.removeAll(keepingCapacity: true)
  }

  /// Gives the nameless file a temporary name, since a name that is taken can only be replaced by another one.
  private func link(_ file: FileDescriptor) throws(FormatError) -> String {
    if let temporaryName { return temporaryName }
    let name = AtomicFile.unusedName(in: folder)
    if linkat(AT_FDCWD, "/proc/self/fd/\(file.raw)", AT_FDCWD, name, AT_SYMLINK_FOLLOW) != 0 {
      throw .system(code: errno, "naming the file")
    }
    temporaryName = name
    return name
  }

  private func rename(_ name: String) throws(FormatError) {
    if Glibc.rename(name, path) != 0 { throw .system(code: errno, "naming the file") }
    temporaryName = nil
  }

  private static let names = Atomic<Int>(0)

  /// A name that no other file of this program has; that nobody else has it is checked when it is made.
  private static func unusedName(in folder: String) -> String {
    while true {
      let number = names.wrappingAdd(1, ordering: .relaxed).newValue
      let name = "\(folder)/.wherry-\(getpid())-\(number)"
      if access(name, F_OK) != 0 { return name }
    }
  }
}
