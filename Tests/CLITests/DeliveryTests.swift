import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

/// Profiles as destinations, through the program itself.
@Suite struct DeliveryTests {
  private let folder = TemporaryDirectory()
  private var wherry: Wherry { Wherry(home: folder.file("home")) }
  private var profile: String { folder.file("profile") }
  private var places: String { profile + "/places.sqlite" }

  /// Unpacks a profile that a real Firefox made.
  private func unpack(_ name: String, to path: String) throws {
    try unpackProfile(name, to: path, through: folder.file("unpacked-\(UUID().uuidString)"))
  }

  private func fillStore() throws {
    try unpack("firefox-profile", to: folder.file("source"))
    _ = try wherry.run("import", folder.file("source"), "--quiet")
  }

  private func number(_ sql: String) throws -> Int64 {
    try Database(path: places, mode: .readWrite).int64(sql) ?? 0
  }

  @Test func `the store goes into a profile, a second time changes nothing, and undo takes it back`() throws {
    try fillStore()
    try unpack("firefox-profile-new", to: profile)
    let before = FileManager.default.contents(atPath: places)
    let first = try wherry.run("export", profile, "--json")
    #expect(first.exit == 0)
    #expect(first.figures("history")["added"] == 183)
    #expect(first.figures("passwords")["added"] == 9)
    let second = try wherry.run("export", profile, "--json")
    #expect(second.exit == 0)
    #expect(second.figures("history")["added"] == 0)
    #expect(second.figures("bookmarks")["added"] == 0)
    #expect(try wherry.run("undo", "--json").exit == 0)
    #expect(FileManager.default.contents(atPath: places) == before)
    #expect(!FileManager.default.fileExists(atPath: profile + "/logins.json"))
  }

  @Test func `a dry run says losses and changes nothing`() throws {
    try fillStore()
    try unpack("firefox-profile-new", to: profile)
    let before = FileManager.default.contents(atPath: places)
    let dry = try wherry.run("export", profile, "--dry-run", "--json")
    #expect(dry.exit == 0)
    let report = try #require(dry.events("report").first)
    #expect(report["dry_run"] as? Bool == true)
    #expect((report["losses"] as? [[String: Any]] ?? []).contains { $0["type"] as? String == "extensions" })
    #expect(dry.figures("history")["added"] == 183)
    #expect(FileManager.default.contents(atPath: places) == before)
  }

  @Test func `former contents are kept where only their owner reads them`() throws {
    try fillStore()
    try unpack("firefox-profile-new", to: profile)
    _ = try wherry.run("export", profile)
    let backups = folder.file("home") + "/data/backups"
    let edit = try #require(FileManager.default.contentsOfDirectory(atPath: backups).first)
    for (path, mode) in [(backups, 0o700), (backups + "/" + edit, 0o700), (backups + "/\(edit)/places.sqlite", 0o600)] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == mode)
    }
  }

  /// Holds Firefox's lock on the profile, as a running Firefox does, in another process.
  private func holdLock(for seconds: Int) throws -> Process {
    let holder = Process()
    holder.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
    let script =
      "import fcntl,sys,time\nf=open(sys.argv[1],'a+')\nfcntl.lockf(f,fcntl.LOCK_EX)\nprint('held',flush=True)\n"
      + "time.sleep(\(seconds))"
    holder.arguments = ["-c", script, profile + "/.parentlock"]
    let output = Pipe()
    holder.standardOutput = output
    try holder.run()
    _ = try output.fileHandleForReading.read(upToCount: 4)
    return holder
  }

  @Test func `a profile that is open is refused with its own exit code, and --wait waits`() throws {
    try fillStore()
    try unpack("firefox-profile-new", to: profile)
    let before = FileManager.default.contents(atPath: places)
    let holder = try holdLock(for: 4)
    let refused = try wherry.run("export", profile, "--json")
    #expect(refused.exit == 11)
    #expect(refused.events("error").first?["code"] as? String == "in_use")
    #expect((refused.events("error").first?["hint"] as? String)?.contains("Close Firefox") == true)
    #expect(FileManager.default.contents(atPath: places) == before)
    let into = try wherry.run("receive", "--into", profile, "--json")
    #expect(into.exit == 11)
    #expect(into.events("code").isEmpty)
    let waited = try wherry.run("export", profile, "--wait", "--json")
    #expect(waited.exit == 0)
    #expect(waited.figures("history")["added"] == 183)
    holder.waitUntilExit()
  }

  @Test func `a version that is not known is refused by name and left alone`() throws {
    try fillStore()
    try unpack("firefox-profile-new", to: profile)
    do {
      let database = try Database(path: places, mode: .readWrite)
      try database.execute("PRAGMA user_version = 9999; PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let before = FileManager.default.contents(atPath: places)
    let result = try wherry.run("export", profile, "--json")
    #expect(result.exit == 14)
    #expect((result.events("error").first?["message"] as? String)?.contains("9999") == true)
    #expect(FileManager.default.contents(atPath: places) == before)
  }

  @Test func `a profile that Firefox has never opened is told from one that is not there`() throws {
    try FileManager.default.createDirectory(atPath: profile, withIntermediateDirectories: true)
    try "{}".write(toFile: profile + "/times.json", atomically: true, encoding: .utf8)
    let unused = try wherry.run("export", profile, "--json")
    #expect(unused.exit == 10)
    #expect((unused.events("error").first?["hint"] as? String)?.contains("once") == true)
    #expect(try wherry.run("export", "firefox", "--json").exit == 10)
    #expect(try wherry.run("receive", "--into", "firefox", "--json").exit == 10)
  }

  @Test func `a program that is killed while it writes leaves a sound profile, which the next delivery completes`()
    throws
  {
    try fillStore()
    try unpack("firefox-profile-new", to: folder.file("fresh"))
    var random = SeededGenerator(seed: 11)
    for _ in 0..<8 {
      try? FileManager.default.removeItem(atPath: profile)
      try FileManager.default.copyItem(atPath: folder.file("fresh"), toPath: profile)
      let (output, errors) = (Pipe(), Pipe())
      let process = try wherry.start(["export", profile, "--json"], output: output, errors: errors)
      usleep(UInt32.random(in: 1_000...400_000, using: &random))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      #expect(try Database(path: places, mode: .readWrite).text("PRAGMA integrity_check") == "ok")
      let completed = try wherry.run("export", profile, "--json")
      #expect(completed.exit == 0)
      #expect(try number("SELECT count(*) FROM moz_historyvisits") == 183)
      #expect(try number("SELECT count(*) - count(DISTINCT guid) FROM moz_bookmarks") == 0)
      #expect(completed.figures("passwords").values.reduce(0, +) > 0)
      let again = try wherry.run("export", profile, "--json")
      for type in ["bookmarks", "history", "passwords", "cards"] { #expect(again.figures(type)["added"] == 0) }
    }
  }
}
