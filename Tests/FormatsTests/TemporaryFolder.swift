import Glibc

/// A folder that is gone, with all that is in it, when it is let go.
final class TemporaryFolder {
  let path: String

  init() {
    var template = Array("/tmp/wherry-formats-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) } ?? "/nonexistent"
    }
  }

  deinit {
    for name in names { unlink(self[name]) }
    rmdir(path)
  }

  /// The path of a file in it.
  subscript(name: String) -> String { "\(path)/\(name)" }

  /// The names in it, sorted.
  var names: [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != "." && name != ".." { names.append(name) }
    }
    return names.sorted()
  }

  /// Puts a file into it and gives its path.
  @discardableResult
  func write(_ bytes: [UInt8], to name: String) -> String {
    let file = fopen(self[name], "w")
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
    return self[name]
  }

  /// The bytes of a file in it; nil when there is none.
  func read(_ name: String) -> [UInt8]? {
    guard let file = fopen(self[name], "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = fread(&chunk, 1, chunk.count, file)
      if count == 0 { return bytes }
      bytes.append(contentsOf: chunk[..<count])
    }
  }
}
