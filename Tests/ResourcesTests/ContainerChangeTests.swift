import Foundation
import TestSupport
import Testing

@testable import Resources

@Suite struct ContainerChangeTests {
  @Test func `what was there and is not replaced stays, equal things count as unchanged`() throws {
    let old = Container("profile")
    try old.write("prefs.js", "mine")
    try old.write("user.js", "old")
    try old.write("chrome/same.css", "same")
    symlink("prefs.js", old.path + "/lock")
    let new = Container("new", in: old.folder)
    try new.write("user.js", "new")
    try new.write("chrome/same.css", "same")
    try new.write("chrome/more.css", "more")
    let figures = try ContainerChange.overlay(new.path, onto: old.path)
    #expect(figures.added == 1 && figures.changed == 1 && figures.unchanged == 1)
    #expect(try String(contentsOfFile: old.path + "/user.js", encoding: .utf8) == "new")
    #expect(try String(contentsOfFile: old.path + "/prefs.js", encoding: .utf8) == "mine")
    #expect(old.content.keys.sorted() == ["chrome/more.css", "chrome/same.css", "lock", "prefs.js", "user.js"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: old.folder.path).sorted() == ["new", "profile"])
  }

  @Test func `when it cannot be put in place the folder is as it was`() throws {
    let old = Container("profile")
    try old.write("keep", "kept")
    let before = old.content
    #expect(throws: ResourceError.notFound) {
      try ContainerChange.overlay(old.folder.file("nothing/tree"), onto: old.folder.file("nothing-else"))
    }
    #expect(old.content == before)
  }

  @Test func `a folder that somebody holds is in use`() throws {
    let old = Container("profile")
    let hold = try ContainerChange.Hold(of: old.path)
    #expect(ContainerChange.isHeld(old.path))
    let new = Container("new", in: old.folder)
    try new.write("a", "a")
    #expect(throws: ResourceError.inUse) { try ContainerChange.overlay(new.path, onto: old.path) }
    #expect(throws: ResourceError.inUse) { try ContainerChange.Hold(of: old.path) }
    #expect(old.content.isEmpty)
    hold.release()
    #expect(!ContainerChange.isHeld(old.path))
  }

  @Test func `a snapshot brings back what was, whatever happened to it`() throws {
    let app = Container()
    try app.write("a", "before")
    try app.write("folder/b", "b")
    let before = app.content
    let snapshot = try ContainerChange.Snapshot(of: app.path)
    // In place, so that a copy that shared the file would change, too.
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: app.path + "/a"))
    file.write(Data("after!".utf8))
    try FileManager.default.removeItem(atPath: app.path + "/folder")
    try app.write("c", "c")
    try snapshot.restore()
    #expect(
      app.content.mapValues { $0.split(separator: " ").dropLast() }
        == before.mapValues { $0.split(separator: " ").dropLast() })
    #expect(try String(contentsOfFile: app.path + "/a", encoding: .utf8) == "before")
    #expect(try FileManager.default.contentsOfDirectory(atPath: app.folder.path) == ["app"])
  }

  @Test func `a container that was not there is not there again`() throws {
    let folder = TemporaryDirectory()
    let snapshot = try ContainerChange.Snapshot(of: folder.file("app"))
    mkdir(folder.file("app"), 0o700)
    try snapshot.restore()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }
}
