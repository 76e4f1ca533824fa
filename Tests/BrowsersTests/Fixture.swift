import Browsers
import BrowsingData
import Foundation
import TestSupport

/// A profile made by a real browser, unpacked for one test.
struct Fixture {
  let folder = TemporaryDirectory()
  let path: String

  init(_ name: String) throws {
    path = folder.file("profile")
    let archive = try Fixture.url("\(name).tar.gz").path
    let tar = Process()
    tar.executableURL = URL(fileURLWithPath: "/usr/bin/tar")
    tar.arguments = ["-xzf", archive, "-C", folder.path]
    try tar.run()
    tar.waitUntilExit()
    guard tar.terminationStatus == 0 else { throw CocoaError(.fileReadCorruptFile) }
    // Some are packed as what the browser calls a user data folder.
    for inner in try FileManager.default.contentsOfDirectory(atPath: folder.path) where inner != "profile" {
      try FileManager.default.moveItem(atPath: folder.file(inner), toPath: path)
    }
  }

  func file(_ name: String) -> String { path + "/" + name }

  /// Every file's and folder's name, bytes, mode and time of change.
  func state() throws -> [String: String] {
    var state: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) + [""] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path + "/" + name)
      let time = (attributes[.modificationDate] as? Date)?.timeIntervalSinceReferenceDate ?? 0
      let contents = FileManager.default.contents(atPath: path + "/" + name)?.hashValue ?? 0
      state[name] = "\(attributes[.size] ?? 0) \(attributes[.posixPermissions] ?? 0) \(time) \(contents)"
    }
    return state
  }

  static func url(_ name: String) throws -> URL {
    guard let folder = Bundle.module.resourceURL else { throw CocoaError(.fileNoSuchFile) }
    return folder.appendingPathComponent("Fixtures/" + name)
  }
}

/// What the browser itself says about a fixture.
struct Truth {
  let value: Any?

  init(_ value: Any?) { self.value = value is NSNull ? nil : value }

  init(fixture: String) throws {
    value = try JSONSerialization.jsonObject(with: Data(contentsOf: Fixture.url("\(fixture).truth.json")))
  }

  subscript(_ name: String) -> Truth { Truth((value as? [String: Any])?[name]) }
  var list: [Truth] { (value as? [Any] ?? []).map { Truth($0) } }
  var keys: [String] { Array((value as? [String: Any] ?? [:]).keys) }
  var string: String? { value as? String }
  var number: Int64? { (value as? NSNumber)?.int64Value }
  var bool: Bool? { (value as? NSNumber)?.boolValue }
  /// nil for 0, too, where a browser means "never".
  var time: Timestamp? { number.flatMap { $0 == 0 ? nil : Timestamp(microseconds: $0) } }
}
