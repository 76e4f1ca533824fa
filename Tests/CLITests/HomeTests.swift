import Foundation
import TestSupport
import Testing

@Suite struct HomeTests {
  private let folder = TemporaryDirectory()
  private var wherry: Wherry { Wherry(home: folder.file("home")) }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: folder.file(path))[.posixPermissions] as? Int
  }

  @Test func `folders and files of a home belong to their owner alone`() throws {
    #expect(try wherry.run("status").exit == 0)
    for path in ["home/data", "home/state", "home/config"] { #expect(try mode(path) == 0o700) }
    #expect(try mode("home/data/store.sqlite") == 0o600)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.file("home/config")) {
      #expect(try mode("home/config/\(name)") == 0o600)
    }
  }

  @Test func `a home that others can enter is refused`() throws {
    #expect(try wherry.run("status").exit == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.file("home/data"))
    let result = try wherry.run("status", "--json")
    #expect(result.exit == 1)
    #expect((result.events("error").first?["hint"] as? String)?.contains("chmod") == true)
  }

  @Test func `the option goes before the environment`() throws {
    #expect(try wherry.run("status", "--home", folder.file("other")).exit == 0)
    #expect(FileManager.default.fileExists(atPath: folder.file("other/data/store.sqlite")))
    #expect(!FileManager.default.fileExists(atPath: folder.file("home")))
  }

  @Test func `doctor finds a sound home sound`() throws {
    let result = try wherry.run("doctor", "--json")
    let checks = result.events("check")
    for name in ["home", "store", "identity", "clock"] {
      #expect(checks.first { $0["name"] as? String == name }?["state"] as? String == "ok")
    }
  }

  @Test func `without a terminal there is no escape code anywhere`() throws {
    for arguments in [["status"], ["--help"], ["doctor"], ["list", "bookmarks"], ["nonsense"]] {
      let output = Pipe(), errors = Pipe()
      let process = try wherry.start(arguments, output: output, errors: errors)
      let bytes = output.fileHandleForReading.readDataToEndOfFile() + errors.fileHandleForReading.readDataToEndOfFile()
      process.waitUntilExit()
      #expect(!bytes.contains(0x1B))
    }
  }
}
