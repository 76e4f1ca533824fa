import Browsers
import BrowsingData
import Foundation
import Glibc
import SQLite
import TestSupport
import Testing

@Suite struct ProfileFaultTests {
  @Test func `reading changes no byte, name or time in the profile`() throws {
    for name in ["firefox-profile", "firefox-profile-open-wal"] {
      let fixture = try Fixture(name)
      let before = try fixture.state()
      let profile = try FirefoxProfile(path: fixture.path)
      _ = try profile.counts()
      _ = try CollectedRecords(profile, name == "firefox-profile" ? .all : [.bookmarks, .history])
      #expect(try fixture.state() == before)
    }
  }

  @Test func `a folder without Firefox's database is no profile`() throws {
    let folder = TemporaryDirectory()
    for path in [folder.path, folder.file("nothing")] {
      #expect(throws: ProfileError.notFound(path)) { try FirefoxProfile(path: path) }
    }
  }

  @Test func `profile files that are missing mean no records`() throws {
    let fixture = try Fixture("firefox-profile")
    for name in ["logins.json", "autofill-profiles.json", "extensions.json", "key4.db"] {
      unlink(fixture.file(name))
    }
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path))
    #expect(records.logins.isEmpty && records.cards.isEmpty && records.extensions.isEmpty)
    #expect(records.visits.count == 183)
  }

  @Test func `logins and cards without their keys are skipped one by one, and the rest comes`() throws {
    let fixture = try Fixture("firefox-profile")
    unlink(fixture.file("key4.db"))
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path))
    #expect(records.logins.isEmpty && records.cards.isEmpty && records.visits.count == 183)
    #expect(records.remarks.count { $0.kind == .skipped && $0.type == .passwords } == 9)
    #expect(records.remarks.count { $0.kind == .skipped && $0.type == .cards } == 3)
    #expect(Set(records.remarks.map(\.reason)) == ["its key is not in the profile"])
  }

  @Test(arguments: [0, 20, 86_000])
  func `an unknown layout is refused by name`(version: Int) throws {
    let places = try PlacesDatabase(version: version)
    let profile = try FirefoxProfile(path: places.path)
    #expect {
      try profile.read(.bookmarks) { _ in }
    } throws: { error in
      guard case .unsupportedSchema("places.sqlite", Int64(version), _)? = error as? ProfileError else { return false }
      return true
    }
  }

  @Test(arguments: [("firefox-profile-new", "places.sqlite"), ("chromium-profile-new", "Default/History")])
  func `an empty database is one that the browser has not filled yet`(name: String, file: String) throws {
    let fixture = try Fixture(name)
    for suffix in ["", "-wal", "-shm"] { unlink(fixture.file(file + suffix)) }
    close(open(fixture.file(file), O_CREAT | O_WRONLY, 0o600))
    let source: any RecordSource =
      name.hasPrefix("firefox")
      ? try FirefoxProfile(path: fixture.path) : try ChromiumProfile(path: fixture.file("Default"))
    #expect {
      try source.read(.history) { _ in }
    } throws: { error in
      guard case .neverStarted? = error as? ProfileError else { return false }
      return "\(error)".contains("every table of \(file.split(separator: "/").last ?? "") is missing")
    }
  }

  @Test func `a missing column is an unknown layout`() throws {
    let places = try PlacesDatabase()
    try places.database.execute("ALTER TABLE moz_historyvisits RENAME COLUMN visit_type TO kind")
    let profile = try FirefoxProfile(path: places.path)
    #expect(throws: ProfileError.self) { try profile.counts() }
    #expect(throws: ProfileError.self) { try profile.read(.history) { _ in } }
  }

  @Test func `a view in the place of a table is refused`() throws {
    let places = try PlacesDatabase()
    try places.database.execute("DROP TABLE moz_keywords; CREATE VIEW moz_keywords AS SELECT 1 AS keyword")
    let profile = try FirefoxProfile(path: places.path)
    #expect(throws: ProfileError.self) { try profile.read(.bookmarks) { _ in } }
  }

  @Test func `a damaged or truncated database is an error, never a crash`() throws {
    let source = try Fixture("firefox-profile")
    let whole = try Data(contentsOf: URL(fileURLWithPath: source.file("places.sqlite")))
    var random = SeededGenerator(seed: 7)
    for attempt in 0..<12 {
      let fixture = try Fixture("firefox-profile-new")
      var bytes = whole
      if attempt == 0 {
        bytes = Data("not a database at all".utf8)
      } else if attempt < 4 {
        bytes = whole.prefix(whole.count / (attempt + 1) / 3)
      } else {
        // Only the pages in use: the rest of the file is empty.
        for _ in 0..<200 {
          bytes[Int.random(in: 100..<1_200_000, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
      }
      try bytes.write(to: URL(fileURLWithPath: fixture.file("places.sqlite")))
      do {
        try FirefoxProfile(path: fixture.path).read([.bookmarks, .history]) { _ in }
        #expect(attempt >= 4)
      } catch let error as ProfileError {
        #expect("\(error)".contains("places.sqlite"))
      }
    }
  }

  @Test func `a damaged JSON file is an error that names it`() throws {
    let fixture = try Fixture("firefox-profile")
    for (name, type) in [
      ("logins.json", DataType.passwords), ("autofill-profiles.json", .cards), ("extensions.json", .extensions),
    ] {
      try Data("{\"addons\": [".utf8).write(to: URL(fileURLWithPath: fixture.file(name)))
      #expect(throws: ProfileError.corrupt(file: name, reason: "not JSON from byte 12")) {
        try FirefoxProfile(path: fixture.path).read(DataTypes(type)) { _ in }
      }
    }
  }

  @Test func `a pipe in the place of a file does not hold the reader`() throws {
    let fixture = try Fixture("firefox-profile-new")
    unlink(fixture.file("extensions.json"))
    #expect(mkfifo(fixture.file("extensions.json"), 0o600) == 0)
    #expect(throws: ProfileError.unreadable(file: "extensions.json", reason: "not a plain file")) {
      try FirefoxProfile(path: fixture.path).read(.extensions) { _ in }
    }
  }

  @Test func `a profile is open while its lock is held, not when only the file is there`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let profile = try FirefoxProfile(path: fixture.path)
    #expect(!profile.isOpen)
    let file = open(fixture.file(".parentlock"), O_RDWR | O_CREAT, 0o600)
    defer { close(file) }
    #expect(!profile.isOpen)
    // A lock of the open file description (F_OFD_SETLK): its own process sees it as another's.
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    #expect(fcntl(file, 37, &lock) == 0)
    #expect(profile.isOpen)
    let before = try fixture.state()
    #expect(try !CollectedRecords(profile).bookmarks.isEmpty)
    #expect(try fixture.state() == before)
  }

  @Test func `a database that the browser locked is read from a copy`() throws {
    let fixture = try Fixture("firefox-profile-open-wal")
    let browser = try Database(path: fixture.file("places.sqlite"), mode: .readWrite)
    try browser.execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE moz_places SET title = 'unsaved'")
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), [.bookmarks, .history])
    #expect(records.visits.contains { $0.url == "http://wal.example/only-in-the-wal" })
    #expect(!records.visits.contains { $0.title == "unsaved" })
    try browser.execute("ROLLBACK")
  }

  @Test func `a database that changes while it is read in place is an error`() throws {
    let places = try PlacesDatabase()
    try places.page(1, "https://a.test/")
    try places.visit(1, page: 1, time: 5)
    let profile = try FirefoxProfile(path: places.path)
    #expect(throws: ProfileError.inUse("places.sqlite")) {
      try profile.read(.history) { _ in try places.page(Int64.random(in: 10...1_000_000), "https://b.test/") }
    }
  }

  @Test func `nothing is left in the temporary folder`() throws {
    let fixture = try Fixture("firefox-profile-open-wal")
    let temporary = TemporaryDirectory()
    let before = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
    do {
      let profile = try FirefoxProfile(path: fixture.path, temporary: temporary.path)
      try profile.read(.bookmarks) { _ in
        let names = try FileManager.default.contentsOfDirectory(atPath: temporary.path)
        #expect(names.count == 1)
        let mode = try FileManager.default.attributesOfItem(atPath: temporary.file(names[0]))[.posixPermissions]
        #expect(mode as? Int == 0o700)
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: temporary.path) == before)
  }
}
