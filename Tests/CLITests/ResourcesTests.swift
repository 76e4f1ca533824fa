import ChannelTestSupport
import Foundation
import TestSupport
import Testing

/// `send --resources` and `receive --resources-into`, as two programs.
@Suite(.serialized) struct ResourcesTests {
  private let folder = TemporaryDirectory()

  /// An app with settings, and the manifest that names them.
  private func app(files: Int = 30) throws -> String {
    let root = folder.file("app")
    try FileManager.default.createDirectory(atPath: root + "/snippets", withIntermediateDirectories: true)
    try "dark".write(toFile: root + "/settings.json", atomically: true, encoding: .utf8)
    try "secret".write(toFile: root + "/token", atomically: true, encoding: .utf8)
    for number in 0..<files {
      let text = "snippet \(number) " + String(repeating: "\(number * 7919)", count: 400)
      try text.write(toFile: root + "/snippets/\(number).txt", atomically: true, encoding: .utf8)
    }
    let manifest = folder.file("manifest.json")
    try #"{"id": "org.example.editor", "version": "3", "root": "app", "paths": ["settings.json", "snippets/"]}"#
      .write(toFile: manifest, atomically: true, encoding: .utf8)
    return manifest
  }

  private func content(_ path: String) -> [String: String] {
    let below = FileManager.default.enumerator(atPath: path)
    var content: [String: String] = [:]
    while let name = below?.nextObject() as? String {
      content[name] = (try? String(contentsOfFile: path + "/" + name, encoding: .utf8)) ?? "folder"
    }
    return content
  }

  @Test func `files that a manifest names arrive beside what is there, and nothing else`() throws {
    let manifest = try app()
    let target = folder.file("target")
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    try "mine".write(toFile: target + "/mine", atomically: true, encoding: .utf8)
    let sender = try Running(
      home: folder.file("old"), ["send", "--resources", manifest, "--listen", "127.0.0.1:0"])
    let code = try #require(sender.event("code")?["code"] as? String)
    let address = try #require((sender.event("listening")?["addresses"] as? [String])?.first)
    let received = try Wherry(home: folder.file("new")).run(
      "receive", code, "--at", address, "--resources-into", target, "--json", "--yes")
    #expect(received.exit == 0, "\(received.errors)")
    #expect(received.figures("resources")["added"] == 31)
    #expect(sender.wait() == 0)
    var expected = content(folder.file("app"))
    expected["token"] = nil
    expected["mine"] = "mine"
    #expect(content(target) == expected)
  }

  @Test func `without a place for them files are not taken, and nothing is sent`() throws {
    let manifest = try app()
    let sender = try Running(
      home: folder.file("old"), ["send", "--resources", manifest, "--listen", "127.0.0.1:0"])
    let code = try #require(sender.event("code")?["code"] as? String)
    let address = try #require((sender.event("listening")?["addresses"] as? [String])?.first)
    let received = try Wherry(home: folder.file("new")).run("receive", code, "--at", address, "--json", "--yes")
    #expect(received.exit == 4)
    #expect(sender.wait() == 4)
  }

  @Test func `a transfer of files goes on after either program was killed`() throws {
    var random = SeededGenerator(seed: 7)
    let manifest = try app(files: 1_500)
    let (old, new, target) = (folder.file("old"), folder.file("new"), folder.file("target"))
    var sender = try Running(home: old, ["send", "--resources", manifest, "--listen", "127.0.0.1:0"])
    let code = try #require(sender.event("code")?["code"] as? String)
    let address = try #require((sender.event("listening")?["addresses"] as? [String])?.first)
    var receiver = try Running(home: new, ["receive", code, "--at", address, "--resources-into", target])
    _ = try #require(receiver.event("chosen"))
    var kills = 0
    while kills < 8, sender.isRunning, receiver.isRunning {
      usleep(UInt32.random(in: 5_000...120_000, using: &random))
      guard sender.isRunning, receiver.isRunning else { break }
      kills += 1
      if kills % 2 == 0 {
        sender.kill()
        sender = try Running(home: old, ["send", "--resume"])
        _ = try #require(sender.event("listening") ?? sender.event("error"))
      } else {
        receiver.kill()
        receiver = try Running(home: new, ["receive", "--resume"])
      }
    }
    #expect(receiver.wait() == 0 || receiver.word == "not_found")
    #expect(sender.wait() == 0 || sender.word == "not_found")
    var expected = content(folder.file("app"))
    expected["token"] = nil
    #expect(content(target) == expected)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasPrefix(".") })
  }

  /// Something that looks like a profile of Firefox, and a lock on it as Firefox has one.
  private func profile() throws -> (path: String, lock: () -> Void, unlock: () -> Void) {
    let path = folder.file("profile")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in ["places.sqlite", "mine"] {
      try "mine".write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
    }
    let file = open(path + "/.parentlock", O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    func set(_ type: Int32) {
      var lock = flock()
      lock.l_type = Int16(type)
      lock.l_whence = Int16(SEEK_SET)
      // F_OFD_SETLK: a lock of this open file, met by other programs.
      #expect(fcntl(file, 37, &lock) == 0)
    }
    return (path, { set(F_WRLCK) }, { set(F_UNLCK) })
  }

  @Test func `a browser's profile that is open is not touched; once it is closed the transfer goes on`() throws {
    let manifest = try app()
    let (target, lock, unlock) = try profile()
    let before = content(target)
    lock()
    let refused = try Wherry(home: folder.file("new")).run("receive", "--resources-into", target, "--json", "--yes")
    #expect(refused.exit == 11, "\(refused.errors)")
    unlock()
    let receiver = try Running(
      home: folder.file("new"), ["receive", "--resources-into", target, "--listen", "127.0.0.1:0"])
    let code = try #require(receiver.event("code")?["code"] as? String)
    let address = try #require((receiver.event("listening")?["addresses"] as? [String])?.first)
    // It is started meanwhile.
    lock()
    let sender = try Running(home: folder.file("old"), ["send", code, "--at", address, "--resources", manifest])
    #expect(receiver.wait() == 11)
    #expect(content(target) == before)
    unlock()
    let again = try Running(home: folder.file("new"), ["receive", "--resume"])
    #expect(again.wait() == 0, "\(again.word ?? "")")
    #expect(sender.wait() == 0, "\(sender.word ?? "")")
    var expected = content(folder.file("app")).merging(before) { $1 }
    expected["token"] = nil
    #expect(content(target) == expected)
  }

  @Test func `a manifest that is wrong, or names nothing, is said before a code is shown`() throws {
    let wherry = Wherry(home: folder.file("old"))
    let manifest = folder.file("wrong.json")
    try #"{"id": "a", "version": "1", "root": "/", "paths": ["../etc"]}"#
      .write(toFile: manifest, atomically: true, encoding: .utf8)
    #expect(try wherry.run("send", "--resources", manifest, "--json", "--yes").exit == 17)
    #expect(try wherry.run("send", "--resources", folder.file("gone.json"), "--json", "--yes").exit == 10)
    #expect(try wherry.run("send", "--resources", "firefox", "--json", "--yes").exit == 10)
  }
}
