internal import Glibc

/// Reads and looks at a profile's plain files; never creates, locks or changes one.
enum ProfileFile {
  /// More than any browser's JSON file: a larger one is refused.
  static let maximumSize = 256 << 20

  /// What a file is as far as noticing a change goes.
  struct Stamp: Equatable {
    var device: UInt
    var node: UInt
    var size: Int
    var modified: Int
    var nanoseconds: Int
  }

  /// Its stamp, nil when there is none or it is no plain file.
  static func stamp(_ path: String) -> Stamp? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Stamp(
      device: UInt(status.st_dev), node: UInt(status.st_ino), size: Int(status.st_size),
      modified: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec)
  }

  /// What files of a folder are as far as noticing a change goes, as bytes; one that is not there counts, too.
  static func mark(of names: [String], in folder: String) -> [UInt8] {
    var bytes: [UInt8] = []
    for name in names {
      let stamp = stamp(folder + "/" + name)
      for number in [
        Int(bitPattern: stamp?.device ?? 0), Int(bitPattern: stamp?.node ?? 0), stamp?.size ?? -1,
        stamp?.modified ?? 0, stamp?.nanoseconds ?? 0,
      ] {
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
      }
    }
    return bytes
  }

  /// Whether it is a folder.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The names in a folder, sorted; empty when it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// All its bytes, nil when there is none.
  static func read(_ path: String) throws(ProfileError) -> [UInt8]? {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    // Without waiting: a pipe in the place of a file must not hold the program.
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    if file < 0 {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .unreadable(file: name, reason: String(cString: strerror(errno)))
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .unreadable(file: name, reason: "not a plain file")
    }
    guard status.st_size <= maximumSize else { throw .corrupt(file: name, reason: "larger than any browser writes it") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .unreadable(file: name, reason: String(cString: strerror(errno))) }
      if count == 0 { break }
      filled += count
    }
    bytes.removeLast(bytes.count - filled)
    return bytes
  }
}
