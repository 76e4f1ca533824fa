import Browsers
import BrowsingData
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import Binding

/// A profile of a real browser that is attached to a store.
private struct Attached {
  enum Kind: String, CaseIterable {
    case firefox
    case chromium
  }

  let kind: Kind
  let profile: UnpackedProfile
  var store: RecordStore { profile.store }

  init(_ kind: Kind) throws {
    self.kind = kind
    profile = try UnpackedProfile("\(kind)-profile")
    _ = try store.attach(
      Store.Attachment(path: path, words: "test", types: .withoutSecrets, attachedAt: Timestamp(microseconds: 1)))
  }

  var path: String { kind == .firefox ? profile.path : profile.path + "/Default" }
  var attachment: Store.Attachment { get throws { try #require(try store.attachments().first) } }

  func source() throws -> any RecordSource {
    switch kind {
    case .firefox: try FirefoxProfile(path: path)
    case .chromium: try ChromiumProfile(path: path)
    }
  }

  func touch() throws {
    let files = kind == .firefox ? ["places.sqlite"] : ["History", "Bookmarks"]
    for file in files {
      let date = Date(timeIntervalSince1970: .random(in: 1_600_000_000..<1_700_000_000))
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path + "/" + file)
    }
  }

  func editor(_ name: String = "edit") throws -> any ProfileEditor {
    switch kind {
    case .firefox: try FirefoxEditor(path: path, profile.options(name))
    case .chromium: try ChromiumEditor(path: path, profile.options(name))
    }
  }

  /// `touching`: as if one of its files had been written, so that it is looked at.
  @discardableResult
  func scan(force: Bool = false, now: Int64 = 1_800_000_000, touching: Bool = true) throws -> ApplyReport {
    if touching { try? touch() }
    return try AttachedProfile(attachment, in: store)
      .scan(source(), force: force, now: Timestamp(microseconds: now * 1_000_000))
  }

  /// Visits as the browser would note them, a second apart, of a page that it knows.
  func browse(_ count: Int, at seconds: Int64) throws {
    let rows =
      "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n WHERE i < \(count - 1)) INSERT INTO "
    switch kind {
    case .firefox:
      try profile.change(
        rows + "moz_historyvisits(from_visit, place_id, visit_date, visit_type) "
          + "SELECT 0, (SELECT min(place_id) FROM moz_historyvisits), (\(seconds) + i) * 1000000, 1 FROM n")
    case .chromium:
      try Database(path: path + "/History", mode: .readWrite).execute(
        rows + "visits(url, visit_time, from_visit, transition) SELECT (SELECT min(url) FROM visits), "
          + "(\(seconds) + i + 11644473600) * 1000000, 0, 805306368 FROM n")
    }
  }

  @discardableResult
  func deliver() throws -> ApplyReport {
    try #require(try AttachedProfile(attachment, in: store).deliver { try editor() })
  }

  func records() throws -> CollectedRecords { try CollectedRecords(source(), .withoutSecrets) }
  func titles() throws -> [String] { try records().bookmarks.map(\.title) }

  func shown() throws -> [Bookmark] {
    var shown: [Bookmark] = []
    try store.shownBookmarks().walk { shown.append($0) }
    return shown
  }

  /// A bookmark of the profile that has a title of its own.
  func some() throws -> Bookmark {
    let all = try shown()
    return try #require(
      all.first { one in
        one.kind == .bookmark && one.title.utf8.count > 3 && all.count { $0.title == one.title } == 1
          && one.title.utf8.allSatisfy { $0 >= 32 && $0 < 127 && $0 != 34 && $0 != 39 && $0 != 92 }
      })
  }

  /// Visits as another machine's would come.
  func visit(_ urls: [String], at time: Int64 = 1_700_000_000_000_000) throws {
    let run = try store.beginImport(ImportOptions(kind: .file, label: "elsewhere"))
    try run.apply(
      .history(
        urls.enumerated().map {
          HistoryVisit(url: $1, title: "seen", visitedAt: Timestamp(microseconds: time + Int64($0)), transition: .link)
        }))
    _ = try run.finish()
  }

  /// Another title in the profile, as its browser would give it.
  func rename(_ title: String, to other: String) throws {
    switch kind {
    case .firefox:
      try profile.change("UPDATE moz_bookmarks SET title = '\(other)' WHERE title = '\(title)'")
    case .chromium:
      for name in ["Bookmarks", "AccountBookmarks"] {
        guard let text = try? String(contentsOfFile: path + "/" + name, encoding: .utf8) else { continue }
        try text.replacingOccurrences(of: "\"\(title)\"", with: "\"\(other)\"")
          .write(toFile: path + "/" + name, atomically: true, encoding: .utf8)
      }
    }
  }
}

@Suite struct AttachedProfileTests {
  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `what a profile has comes in, and a second round changes nothing on either side`(
    kind: Attached.Kind
  ) throws {
    let attached = try Attached(kind)
    let before = try attached.records()
    let report = try attached.scan()
    #expect(report[.bookmarks].added > 5 && report[.history].added > 50)
    try attached.deliver()
    let mark = try attached.store.changeMark()
    let entries = try attached.store.journal().count
    for _ in 0..<2 {
      try attached.scan()
      try attached.deliver()
    }
    #expect(try attached.store.changeMark() == mark)
    #expect(try attached.store.journal().count == entries)
    let after = try attached.records()
    #expect(after.bookmarks.map(\.title) == before.bookmarks.map(\.title))
    #expect(after.visits.map(\.visitedAt) == before.visits.map(\.visitedAt))
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `bookmarks that are made, renamed, moved and deleted elsewhere are so in the profile`(
    kind: Attached.Kind
  ) throws {
    let attached = try Attached(kind)
    try attached.scan()
    try attached.deliver()
    let marks = try attached.shown().filter { $0.kind == .bookmark && $0.parent == .toolbar }
    let (gone, renamed) = (try #require(marks.first), try #require(marks.last))
    try #require(gone.id != renamed.id)
    try attached.store.edit(.edit, label: "elsewhere") { edits in
      let folder = Bookmark(id: RecordID(high: 7, low: 1), kind: .folder, parent: .other, position: 0, title: "New F")
      let new = try edits.add([folder], into: .toolbar, at: 0)[0]
      var mark = Bookmark(id: RecordID(high: 7, low: 2), kind: .bookmark, parent: .other, position: 0, title: "New B")
      mark.url = "https://new.test/"
      try edits.add([mark], into: new)
      try edits.update(bookmark: renamed.id) { $0.title = "Renamed elsewhere" }
      try edits.move(bookmark: renamed.id, into: new)
      try edits.delete(bookmark: gone.id)
    }
    let report = try attached.deliver()
    #expect(report[.bookmarks].added == 2 && report[.bookmarks].removed == 1)
    let now = try attached.records().bookmarks
    #expect(!now.contains { $0.url == gone.url && $0.parent == .toolbar && $0.title == gone.title })
    let folder = try #require(now.first { $0.title == "New F" })
    #expect(folder.parent == .toolbar)
    #expect(now.filter { $0.parent == folder.id }.map(\.title) == ["New B", "Renamed elsewhere"])
    let mark = try attached.store.changeMark()
    try attached.scan()
    #expect(try attached.store.changeMark() == mark)
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `of history only what is new is delivered`(kind: Attached.Kind) throws {
    let attached = try Attached(kind)
    try attached.scan()
    try attached.visit(["https://a.test/", "https://b.test/"])
    let first = try attached.deliver()
    #expect(first[.history].added == 2)
    #expect(try attached.deliver()[.history].found == 0)
    try attached.visit(["https://c.test/", "https://a.test/"], at: 1_700_000_100_000_000)
    let second = try attached.deliver()
    #expect(second[.history].found == 2 && second[.history].added == 2)
    let urls = try attached.records().visits.map(\.url)
    for (url, count) in [("https://a.test/", 2), ("https://b.test/", 1), ("https://c.test/", 1)] {
      #expect(urls.count { $0 == url } == count)
    }
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `what is forgotten leaves the profile, but not what was forgotten before it was attached`(
    kind: Attached.Kind
  ) throws {
    let attached = try Attached(kind)
    try attached.scan()
    try attached.visit(["https://gone.test/1", "https://gone.test/2", "https://stays.test/"])
    try attached.deliver()
    let before = try attached.records().visits.count
    _ = try attached.store.forget([ForgetRule(.host, "gone.test", from: 0, to: .max)], label: "test")
    let report = try attached.deliver()
    #expect(report[.history].removed == 2)
    var urls = try attached.records().visits.map(\.url)
    #expect(urls.count == before - 2 && urls.contains("https://stays.test/"))
    #expect(!urls.contains { $0.hasPrefix("https://gone.test") })
    try attached.scan()
    #expect(try attached.deliver()[.history].removed == 0)
    // Detached, everything forgotten, attached again.
    try attached.store.detach(attached.attachment)
    _ = try attached.store.forget([ForgetRule(.host, "stays.test", from: 0, to: .max)], label: "test")
    _ = try attached.store.attach(
      Store.Attachment(
        path: attached.path, words: "test", types: .withoutSecrets, attachedAt: Timestamp(microseconds: 1)))
    try attached.scan()
    try attached.deliver()
    urls = try attached.records().visits.map(\.url)
    #expect(urls.contains("https://stays.test/"))
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `a title given in the profile and elsewhere is a conflict, and no value is lost`(
    kind: Attached.Kind
  ) throws {
    let attached = try Attached(kind)
    try attached.scan()
    try attached.deliver()
    let mark = try attached.some()
    try attached.store.edit(.edit, label: "elsewhere") { try $0.update(bookmark: mark.id) { $0.title = "given there" } }
    try attached.rename(mark.title, to: "given here")
    try attached.scan()
    let conflicts = try attached.store.conflicts()
    #expect(conflicts.map(\.field) == ["title"])
    #expect(conflicts.first?.shown == "given here" && conflicts.first?.value == "given there")
    try attached.deliver()
    #expect(try attached.titles().contains("given here"))
    // Decided for the other value, it comes into the profile.
    let number = try #require(conflicts.first?.number)
    try attached.store.resolveConflict(number, keepingShown: false)
    try attached.deliver()
    #expect(try attached.titles().contains("given there") && !attached.titles().contains("given here"))
    try attached.scan()
    #expect(try attached.store.conflicts().isEmpty)
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `a wiped, a fresh and a missing profile delete nothing`(kind: Attached.Kind) throws {
    let attached = try Attached(kind)
    try attached.scan()
    try attached.deliver()
    let shown = try attached.shown().map(\.title)
    let visits = try attached.store.counts()[.history]
    let kept = attached.profile.folder.file("kept")
    func nothingIsGone() throws {
      #expect(try attached.shown().map(\.title) == shown)
      #expect(try attached.store.counts()[.history] >= visits)
    }
    // The profile was reset: its files are those of a fresh one.
    try FileManager.default.moveItem(atPath: attached.profile.path, toPath: kept)
    let fresh = try UnpackedProfile("\(kind)-profile-new")
    try FileManager.default.copyItem(atPath: fresh.path, toPath: attached.profile.path)
    #expect(throws: BindingError.self) { try attached.scan() }
    #expect(throws: BindingError.self) { try attached.deliver() }
    try nothingIsGone()
    // It is not there at all.
    try FileManager.default.removeItem(atPath: attached.profile.path)
    #expect(throws: (any Error).self) { try attached.scan() }
    #expect(throws: (any Error).self) { try attached.deliver() }
    try nothingIsGone()
    // Its bookmarks and its history were emptied.
    try FileManager.default.moveItem(atPath: kept, toPath: attached.profile.path)
    switch kind {
    case .firefox:
      try attached.profile.change(
        "DELETE FROM moz_bookmarks WHERE substr(guid, length(guid)) <> '_'; DELETE FROM moz_historyvisits")
    case .chromium:
      for name in try FileManager.default.contentsOfDirectory(atPath: attached.path)
      where name.contains("ookmarks") || name.hasPrefix("History") {
        try FileManager.default.removeItem(atPath: attached.path + "/" + name)
      }
    }
    #expect(throws: (any Error).self) { try attached.scan() }
    try nothingIsGone()
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `of a history only what came since is read, but once a day all of it`(kind: Attached.Kind) throws {
    let attached = try Attached(kind)
    try attached.browse(1_500, at: 1_750_000_000)
    let all = try attached.scan()[.history].found
    #expect(all > 1_550)
    #expect(try attached.scan()[.history].found == 1_001)
    try attached.browse(1, at: 1_790_000_000)
    // One that is older, as an import brings it.
    try attached.browse(1, at: 1_500_000_000)
    let next = try attached.scan(now: 1_800_000_060)
    #expect(next[.history].found == 1_003 && next[.history].added == 2)
    #expect(try attached.store.counts()[.history] == all + 2)
    #expect(try attached.scan(now: 1_800_000_000 + 86_399)[.history].found == 1_001)
    #expect(try attached.scan(now: 1_800_000_000 + 86_400)[.history].found == all + 2)
    #expect(try attached.scan(now: 1_800_000_000 + 86_460)[.history].found == 1_001)
    // A clock that went back, and a person who asks for it.
    #expect(try attached.scan(now: 1_700_000_000)[.history].found == all + 2)
    #expect(try attached.scan(force: true, now: 1_700_000_060)[.history].found == all + 2)
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `what an undo took out of the store is found in the profile again`(kind: Attached.Kind) throws {
    let attached = try Attached(kind)
    try attached.browse(1_500, at: 1_750_000_000)
    try attached.scan()
    let all = try attached.store.counts()[.history]
    try attached.browse(1_200, at: 1_780_000_000)
    #expect(try attached.scan(now: 1_800_000_060)[.history].added == 1_200)
    try attached.scan(now: 1_800_000_120)
    _ = try attached.store.undo()
    #expect(try attached.store.counts()[.history] == all)
    #expect(try attached.scan(now: 1_800_000_180)[.history].added == 1_200)
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `a profile that waits for a person is read on from where it was`(kind: Attached.Kind) throws {
    let attached = try Attached(kind)
    try attached.browse(1_500, at: 1_750_000_000)
    try attached.scan()
    let attachment = try attached.attachment
    try attached.store.replaceBonds(
      of: attachment,
      by: attached.store.bonds(of: attachment)
        + (0..<100).map { Bond(foreignID: "gone\($0)", id: try attached.some().id, shadow: []) })
    for _ in 0..<2 { #expect(throws: BindingError.self) { try attached.scan() } }
    try attached.store.hold(attachment, "why")
    #expect(try attached.attachment.hold == "why")
    #expect(try attached.attachment.historyRead != nil)
    try attached.scan(force: true)
    #expect(try attached.attachment.hold == nil)
    #expect(try attached.scan()[.history].found == 1_001)
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `a look at a profile that did not change writes no bookmark`(kind: Attached.Kind) throws {
    let attached = try Attached(kind)
    try attached.scan()
    try attached.deliver()
    try Database(path: attached.store.path, mode: .readWrite).execute(
      """
      CREATE TRIGGER bound AFTER INSERT ON bind BEGIN SELECT RAISE(ABORT, 'bound again'); END;
      CREATE TRIGGER written AFTER UPDATE ON rec BEGIN SELECT RAISE(ABORT, 'written again'); END
      """)
    try attached.scan()
    try attached.rename(attached.some().title, to: "another")
    #expect(throws: StoreError.self) { try attached.scan() }
  }

  @Test(arguments: Attached.Kind.allCases)
  fileprivate func `a round in which nothing changed opens no profile for writing and writes no bookmark`(
    kind: Attached.Kind
  ) throws {
    let attached = try Attached(kind)
    try attached.scan()
    try attached.deliver()
    try Database(path: attached.store.path, mode: .readWrite).execute(
      """
      CREATE TRIGGER bound AFTER INSERT ON bind BEGIN SELECT RAISE(ABORT, 'bound again'); END;
      CREATE TRIGGER unbound AFTER DELETE ON bind BEGIN SELECT RAISE(ABORT, 'bound again'); END
      """)
    // What the first scan itself brought into the store may be looked at once more.
    try attached.deliver()
    for _ in 0..<2 {
      try attached.scan()
      let report = try AttachedProfile(attached.attachment, in: attached.store).deliver {
        Issue.record("the profile is opened")
        return nil
      }
      #expect(report == ApplyReport())
    }
    // A change on either side is a reason again.
    try attached.store.edit(label: "elsewhere") { try $0.update(bookmark: attached.some().id) { $0.title += "!" } }
    #expect(try AttachedProfile(attached.attachment, in: attached.store).deliver { nil } == nil)
    try Database(path: attached.store.path, mode: .readWrite).execute("DROP TRIGGER bound; DROP TRIGGER unbound")
    try attached.deliver()
    try attached.rename(attached.some().title, to: "another")
    try attached.scan()
    #expect(try AttachedProfile(attached.attachment, in: attached.store).deliver { nil } == nil)
    #expect(try AttachedProfile(attached.attachment, in: attached.store).deliver(force: true) { nil } == nil)
  }

  @Test func `a profile whose files were not written is not read, and one whose bookmarks did not change without them`()
    throws
  {
    let attached = try Attached(.firefox)
    try attached.browse(10, at: 1_750_000_000)
    let all = try attached.scan()
    #expect(all[.history].found > 10)
    #expect(try attached.scan(touching: false) == ApplyReport())
    #expect(try attached.attachment.lastScan == Timestamp(microseconds: 1_800_000_000_000_000))
    // One visit: the bookmarks are as they were.
    try attached.browse(1, at: 1_760_000_000)
    let visit = try attached.scan(now: 1_800_000_060, touching: false)
    #expect(visit[.history].added == 1 && visit[.bookmarks].found == 0)
    #expect(try attached.scan(now: 1_800_000_120, touching: false) == ApplyReport())
    // A title of the same length, though no time says so, and a keyword.
    let mark = try attached.some()
    try attached.rename(mark.title, to: String(mark.title.reversed()))
    let renamed = try attached.scan(now: 1_800_000_180, touching: false)
    #expect(renamed[.bookmarks].changed == 1)
    try attached.profile.change(
      "INSERT INTO moz_keywords(keyword, place_id, post_data) SELECT 'word', fk, '' FROM moz_bookmarks "
        + "WHERE type = 1 AND fk NOT IN (SELECT place_id FROM moz_keywords) LIMIT 1")
    #expect(try attached.scan(now: 1_800_000_240, touching: false)[.bookmarks].changed == 1)
    // Once a day everything, and when a person asks for it.
    #expect(try attached.scan(now: 1_800_000_240 + 86_400, touching: false)[.bookmarks].found > 5)
    #expect(try attached.scan(force: true, now: 1_800_000_300 + 86_400, touching: false)[.bookmarks].found > 5)
    // What an undo took away is looked for although nothing was written.
    try attached.browse(1, at: 1_770_000_000)
    for step in 0..<2 as Range<Int64> {
      #expect(try attached.scan(now: 1_800_000_360 + step + 86_400, touching: false)[.history].added == 1)
      if step == 0 { _ = try attached.store.undo() }
    }
  }

  @Test func `the running browser's profile is left for later`() throws {
    let attached = try Attached(.firefox)
    try attached.scan()
    try attached.visit(["https://a.test/"])
    #expect(try AttachedProfile(attached.attachment, in: attached.store).deliver { nil } == nil)
    #expect(try attached.attachment.visitsDelivered == 0)
    #expect(try attached.deliver()[.history].added == 1)
  }
}
