import Browsers
import BrowsingData
import Foundation
import TestSupport
import Testing

/// A reading list of 2,000 items that LevelDB itself spread over tables and a log: every third was read and renamed
/// later, then every fifth was removed.
@Suite struct ChromiumReadingListTests {
  private func makeProfile() throws -> Fixture {
    let fixture = try Fixture("chromium-profile-new")
    let list = try Fixture("reading-list-tables")
    let folder = fixture.file("Default/Sync Data")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try? FileManager.default.removeItem(atPath: folder + "/LevelDB")
    try FileManager.default.moveItem(atPath: list.path, toPath: folder + "/LevelDB")
    return fixture
  }

  private func read(_ fixture: Fixture) throws -> CollectedRecords {
    try CollectedRecords(ChromiumProfile(path: fixture.file("Default")), .readingList)
  }

  private func names(_ fixture: Fixture, _ ending: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: fixture.file("Default/Sync Data/LevelDB"))
      .filter { $0.hasSuffix(ending) }.map { fixture.file("Default/Sync Data/LevelDB/" + $0) }
  }

  @Test func `the newest entry of each address holds, over tables and log`() throws {
    let fixture = try makeProfile()
    #expect(try !names(fixture, ".ldb").isEmpty && !names(fixture, ".log").isEmpty)
    let items = try read(fixture).readingList
    #expect(items.count == 1_600)
    for item in items {
      let number = try #require(item.url.split(separator: "/").dropFirst(3).first.flatMap { Int($0) })
      #expect(number % 5 != 0)
      #expect(item.title == (number % 3 == 0 ? "Again \(number)" : "Title \(number)"))
      #expect(item.read == (number % 3 == 0))
      #expect(item.dateAdded == Timestamp(microseconds: 1_700_000_000_000_000 + Int64(number)))
    }
  }

  @Test func `a table that the manifest does not name is a left-over`() throws {
    let fixture = try makeProfile()
    let table = try #require(try names(fixture, ".ldb").first)
    try FileManager.default.copyItem(atPath: table, toPath: fixture.file("Default/Sync Data/LevelDB/999999.ldb"))
    #expect(try read(fixture).readingList.count == 1_600)
  }

  @Test func `a log that was cut short counts up to there`() throws {
    let fixture = try makeProfile()
    let log = try #require(try names(fixture, ".log").first)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: log))
    for cut in [1, 40, bytes.count / 2, bytes.count] {
      try bytes.dropLast(cut).write(to: URL(fileURLWithPath: log))
      #expect(try read(fixture).readingList.count >= 1_000)
    }
  }

  @Test func `damage anywhere is an error or what is left, never a crash`() throws {
    let fixture = try makeProfile()
    var random = SeededGenerator(seed: 11)
    for file in try names(fixture, "") {
      let whole = try Data(contentsOf: URL(fileURLWithPath: file))
      for _ in 0..<20 where !whole.isEmpty {
        var bytes = whole
        bytes[Int.random(in: 0..<bytes.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
        if Bool.random(using: &random) { bytes = bytes.prefix(Int.random(in: 0...bytes.count, using: &random)) }
        try bytes.write(to: URL(fileURLWithPath: file))
        do {
          #expect(try read(fixture).readingList.count <= 2_000)
        } catch let error as ProfileError {
          #expect("\(error)".contains("LevelDB"))
        }
      }
      try whole.write(to: URL(fileURLWithPath: file))
    }
    #expect(try read(fixture).readingList.count == 1_600)
  }
}
