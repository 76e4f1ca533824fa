import BrowsingData
import Foundation
import TestSupport
import Testing

@testable import Resources

@Suite struct ResourceManifestTests {
  private func manifest(_ json: String, in folder: TemporaryDirectory = TemporaryDirectory()) throws -> ResourceManifest
  {
    try json.write(toFile: folder.file("manifest.json"), atomically: true, encoding: .utf8)
    return try ResourceManifest(file: folder.file("manifest.json"))
  }

  @Test func `it names files, folders and patterns, and leaves out what it excludes`() throws {
    let app = Container()
    for name in ["user.js", "chrome/a.css", "chrome/b.tmp", "chrome/deep/c.tmp", "one.txt", "two.txt", "other"] {
      try app.write(name, name)
    }
    let manifest = try manifest(
      #"{"id": "a", "version": "1", "root": "app", "paths": ["user.js", "chrome/", "*.txt", "gone"], "excludes": ["*.tmp"]}"#,
      in: app.folder)
    let (list, room) = try manifest.list()
    #expect(list.isComplete && room > 0)
    var paths: [String] = []
    var place: Int64 = 0
    while let (_, item) = list.item(at: place) {
      paths.append(item.entry.path)
      place += item.entry.length
    }
    // The folder that is empty without what stays behind is no empty folder of the app's.
    #expect(paths == ["user.js", "chrome/a.css", "one.txt", "two.txt"])
  }

  @Test(arguments: [
    ("{}", "missing"), ("[", "JSON"), (#"{"id": "a", "version": 1, "paths": ["a"]}"#, "version"),
    (#"{"id": "", "version": "1", "paths": ["a"]}"#, "id"), (#"{"id": "a", "version": "1", "paths": []}"#, "empty"),
    (#"{"id": "a", "version": "1", "paths": ["a", "../b"]}"#, "number 2"),
    (#"{"id": "a", "version": "1", "paths": ["/etc"]}"#, "absolute"),
  ])
  func `one that is wrong says what is wrong`(_ json: String, _ word: String) throws {
    let error = #expect(throws: ResourceError.self) { try manifest(json) }
    guard case .manifest(let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains(word))
  }

  @Test func `nothing of what it names is an error of its own`() throws {
    let manifest = try manifest(#"{"id": "a", "version": "1", "root": "app", "paths": ["gone"]}"#)
    #expect(throws: ResourceError.notFound) { try manifest.list() }
  }

  @Test func `a kept list goes on where it was, and knows what is appended again`() throws {
    let app = Container()
    try app.write("a", "a")
    try app.write("b", "bb")
    let list = try app.list()
    let kept = app.folder.file("kept")
    try list.keep(at: kept)
    list.abandon(0, again: nil)
    let other = ResourceList()
    other.recall(from: kept)
    #expect(other.isComplete)
    #expect(other.ending() == list.ending())
    #expect(other.count == 1)
    let end = other.ending().cursor
    let entry = try #require(ResourceTree.entry(at: app.path + "/b", path: "b"))
    #expect(other.append(entry, source: app.path + "/b") == end)
    #expect(other.ending().cursor == end)
  }
}
