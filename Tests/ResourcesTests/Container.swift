import BrowsingData
import Foundation
import TestSupport
import Testing

@testable import Resources

/// A folder with files of an app.
struct Container {
  let folder: TemporaryDirectory
  let path: String

  init(_ name: String = "app", in folder: TemporaryDirectory = TemporaryDirectory()) {
    self.folder = folder
    path = folder.file(name)
    mkdir(path, 0o755)
  }

  /// Writes a file, with its folders.
  func write(_ name: String, _ bytes: [UInt8], mode: mode_t = 0o644) throws {
    let whole = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (whole as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: whole))
    chmod(whole, mode)
  }

  func write(_ name: String, _ text: String) throws { try write(name, Array(text.utf8)) }

  /// Makes a file that is one hole but for a few bytes at its middle.
  func writeSparse(_ name: String, size: Int64) throws {
    let file = open(path + "/" + name, O_RDWR | O_CREAT | O_TRUNC, 0o644)
    #expect(ftruncate(file, off_t(size)) == 0)
    #expect(pwrite(file, [1, 2, 3], 3, off_t(size / 2)) == 3)
    close(file)
  }

  /// Everything in it, by path: kind, content or target, mode, time.
  static func content(of path: String) -> [String: String] {
    let list = ResourceList()
    var content: [String: String] = [:]
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return [:] }
    for name in names { try? ResourceTree.append(path + "/" + name, as: name, to: list) }
    list.close()
    var place: Int64 = 0
    while let (_, item) = list.item(at: place) {
      let entry = item.entry
      var text = "\(entry.kind) \(entry.target ?? "")"
      if entry.kind == .file {
        let data = FileManager.default.contents(atPath: item.source) ?? Data()
        text += "\(data.count) \(data.hashValue) \(entry.modifiedAt.microseconds)"
      }
      content[entry.path] = text
      place += entry.length
    }
    return content
  }

  var content: [String: String] { Container.content(of: path) }

  /// All of it as a list that is complete.
  func list() throws -> ResourceList {
    let list = ResourceList()
    for name in try FileManager.default.contentsOfDirectory(atPath: path).sorted() {
      try ResourceTree.append(path + "/" + name, as: name, to: list)
    }
    list.close()
    return list
  }
}

/// Random bytes, the same for the same seed.
func someBytes(_ count: Int, seed: UInt64) -> [UInt8] {
  var random = SeededGenerator(seed: seed)
  return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}
