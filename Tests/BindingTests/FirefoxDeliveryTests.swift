import Browsers
import BrowsingData
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import Binding

@Suite struct FirefoxDeliveryTests {
  private let folder = TemporaryDirectory()

  private struct Seen: Equatable {
    var bookmarks: [[String?]]
    var visits: Set<[String]>
    var logins: Set<[String?]>
    var cards: Set<[String?]>

    init(_ records: CollectedRecords) {
      var names: [RecordID: String] = [:]
      for one in records.bookmarks { names[one.id] = (names[one.parent] ?? one.parent.description) + "/" + one.title }
      let ours = records.bookmarks.filter { one in
        let path = names[one.id] ?? ""
        return !path.contains("Mozilla Firefox") && !path.contains("Extensions to install")
      }
      bookmarks = ours.map { one in
        [
          one.kind.name, names[one.parent] ?? one.parent.description, one.title, one.url, one.keyword, one.postData,
          one.tags.sorted().joined(separator: ","), one.dateAdded.map { "\($0.microseconds)" },
        ]
      }
      visits = Set(
        records.visits.map { one in
          [
            one.url, one.title ?? "", "\(one.visitedAt.microseconds)", one.transition?.name ?? "", "\(one.hidden)",
            one.redirectSource.map { "\($0.url) \($0.visitedAt.microseconds)" } ?? "",
            one.referrer.map { "\($0.url) \($0.visitedAt.microseconds)" } ?? "",
          ]
        })
      logins = Set(
        records.logins.map { one in
          [
            one.url, one.username, one.password, one.httpRealm, one.formAction,
            one.dateCreated.map { "\($0.microseconds)" }, one.timesUsed.map(String.init),
          ]
        })
      cards = Set(records.cards.map { [$0.number, $0.holder, $0.expirationMonth.map(String.init)] })
    }
  }

  @Test func `a fresh profile holds afterwards what the source held`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-new")
    let report = try profile.deliver(source)
    let seen = try Seen(profile.records())
    let truth = try Seen(CollectedRecords(source))
    #expect(seen.bookmarks == truth.bookmarks)
    #expect(seen.visits == truth.visits)
    #expect(seen.logins == truth.logins)
    #expect(seen.cards == truth.cards)
    #expect(seen.visits.count > 100 && seen.logins.count > 5 && seen.cards.count == 3)
    #expect(try profile.faults() == [])
    #expect(report[.history].added == report[.history].found)
    #expect(report[.extensions].added == 2)
    #expect(report.losses.contains { $0.type == .extensions && $0.count == 2 })
    #expect(!report.isPartial)
  }

  @Test func `a delivery tells how far the visits have come, and ends with all of them`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-new")
    let delivery = ProfileDelivery(from: source, to: try profile.editor(), types: [.history])
    var told: [(done: Int, total: Int)] = []
    delivery.progress = { told.append(($0, $1)) }
    let report = try delivery.deliver(journal: profile.store, label: "to a test", path: profile.path)
    let total = report[.history].found
    #expect(total > 100 && told.allSatisfy { $0.total == total })
    #expect(told.map(\.done) == told.map(\.done).sorted() && told.dropLast().allSatisfy { $0.done < total })
    #expect(told.last?.done == total)
  }

  @Test func `a second delivery changes nothing and is no entry of the journal`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-new")
    try profile.deliver(source)
    let before = try profile.records()
    let report = try profile.deliver(source, name: "second")
    for type in DataType.stored {
      #expect(report[type].added == 0 && report[type].changed == 0 && report[type].conflicts == 0)
      #expect(report[type].unchanged == report[type].found)
    }
    #expect(try Seen(profile.records()) == Seen(before))
    #expect(try profile.store.journal().filter { $0.kind == .delivery }.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: profile.home.backups) == ["edit"])
  }

  @Test func `into a profile with data nothing is lost and nothing doubled`() throws {
    let source = try UnpackedProfile.source("firefox-profile-open-wal", in: folder)
    let profile = try UnpackedProfile("firefox-profile")
    let before = try profile.records()
    try profile.deliver(source, [.bookmarks, .history])
    let after = try profile.records()
    let kept = Set(before.bookmarks.map(\.id)).subtracting(after.bookmarks.map(\.id))
    #expect(kept.isEmpty)
    #expect(Set(before.visits.map(\.visitedAt)).isSubset(of: Set(after.visits.map(\.visitedAt))))
    let wanted = try CollectedRecords(source, [.history])
    #expect(Set(wanted.visits.map(\.visitedAt)).isSubset(of: Set(after.visits.map(\.visitedAt))))
    #expect(Set(after.visits.map { "\($0.url) \($0.visitedAt) \($0.occurrence)" }).count == after.visits.count)
    #expect(try profile.faults() == [])
  }

  @Test func `a profile with a primary password takes logins with it and refuses without`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-primary-password")
    #expect(throws: ProfileError.secretsLocked(.primaryPassword)) { try profile.deliver(source, .passwords) }
    var options = profile.options("second")
    options.password = "Primary-Pass 1"
    var login = Login(
      id: RecordID(high: 5, low: 5), url: "https://new.example/login?next=1", username: "jo", password: "pässword ✓")
    login.notes = "a note"
    let report = try ProfileDelivery(
      from: ListSource(logins: [login]), to: FirefoxEditor(path: profile.path, options), types: .passwords
    ).deliver(journal: profile.store, label: "test", path: profile.path)
    #expect(report[.passwords].added == 1)
    #expect(Set(report.losses.map(\.field)) == ["notes", "url"])
    let opened = try FirefoxProfile(path: profile.path)
    try opened.unlock(password: "Primary-Pass 1")
    let logins = try CollectedRecords(opened, .passwords).logins
    #expect(logins.contains { $0.url == "https://new.example" && $0.password == "pässword ✓" })
    #expect(try profile.store.journal().filter { $0.kind == .delivery }.count == 1)
  }

  @Test func `another password in the profile is a conflict, and stays`() throws {
    let profile = try UnpackedProfile("firefox-profile")
    let known = try #require(try profile.records(.passwords).logins.first)
    var login = known
    login.password = "something else"
    let report = try profile.deliver(ListSource(logins: [login]))
    #expect(report[.passwords].conflicts == 1)
    #expect(report.remarks.contains { $0.kind == .warning && $0.type == .passwords })
    #expect(try profile.records(.passwords).logins.contains { $0.password == known.password })
  }

  @Test func `what a dry run says is what a delivery does, and it changes nothing`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-new")
    let before = try profile.state()
    var options = profile.options()
    options.isDryRun = true
    let preview = try ProfileDelivery(
      from: source, to: FirefoxEditor(path: profile.path, options), types: .all
    ).preview()
    #expect(try profile.state() == before)
    #expect(try profile.deliver(source) == preview)
  }

  @Test func `addresses that Firefox does not take are named and left out`() throws {
    let profile = try UnpackedProfile("firefox-profile-new")
    var good = Bookmark(
      id: RecordID(high: 1, low: 200), kind: .bookmark, parent: .toolbar, position: 0, title: "ok",
      url: "HTTP://Example.test")
    good.tags = ["one,two", " three "]
    let bad = Bookmark(
      id: RecordID(high: 1, low: 201), kind: .bookmark, parent: .toolbar, position: 1, title: "no", url: "no address")
    let long = Bookmark(
      id: RecordID(high: 1, low: 202), kind: .bookmark, parent: .toolbar, position: 2, title: "long",
      url: "https://long.test/" + String(repeating: "x", count: 70_000))
    let report = try profile.deliver(ListSource(bookmarks: [good, bad, long]))
    #expect(report[.bookmarks].added == 1 && report[.bookmarks].skipped == 2 && report[.bookmarks].found == 3)
    let held = try profile.records(.bookmarks).bookmarks.filter { $0.parent == .toolbar }
    #expect(held.map(\.url) == ["http://example.test/"])
    #expect(held.first?.tags == ["one", "three", "two"])
    #expect(try profile.faults() == [])
  }

  @Test func `a delivery that ends after any step leaves a sound profile, and a second one completes it`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let whole = try UnpackedProfile("firefox-profile-new")
    try whole.deliver(source)
    let wanted = try Seen(whole.records())
    struct Crash: Error {}
    for end in EditorStep.allCases {
      let profile = try UnpackedProfile("firefox-profile-new")
      #expect(throws: (any Error).self) {
        try profile.deliver(source) { step in if step == end { throw Crash() } }
      }
      #expect(try profile.faults() == [], "after \(end)")
      _ = try profile.records()
      try profile.deliver(source, name: "second")
      #expect(try Seen(profile.records()) == wanted, "after \(end)")
      #expect(try profile.faults() == [])
    }
  }

  // MARK: - Taking back

  private func undo(_ profile: UnpackedProfile) throws -> ApplyReport {
    let entry = try profile.store.entryToTakeBack()
    var undo = DeliveryUndo(entry, in: profile.store, through: try profile.editor("undo"))
    return try undo.run()
  }

  @Test func `undo puts the files back when the browser has not run since`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-new")
    let before = try profile.contents(["places.sqlite", "key4.db", "logins.json", "autofill-profiles.json"])
    let report = try profile.deliver(source)
    let undone = try undo(profile)
    #expect(try profile.contents(["places.sqlite", "key4.db", "logins.json", "autofill-profiles.json"]) == before)
    #expect(undone[.history].changed == report[.history].added)
    #expect(throws: StoreError.noSuchEntry) { try profile.store.entryToTakeBack() }
  }

  @Test func `undo takes back record by record when the browser has run, and keeps what was changed`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-new")
    let before = try Seen(profile.records())
    try profile.deliver(source)
    let titles = try profile.records(.bookmarks).bookmarks.filter { $0.kind == .bookmark && $0.parent == .toolbar }
    let renamed = try #require(titles.first?.guid)
    try profile.change("UPDATE moz_bookmarks SET title = 'my own' WHERE guid = '\(renamed)'")
    let undone = try undo(profile)
    #expect(undone.isPartial)
    let after = try profile.records()
    #expect(after.bookmarks.filter { $0.title == "my own" }.count == 1)
    #expect(after.visits.isEmpty && after.logins.isEmpty && after.cards.isEmpty)
    #expect(try profile.faults() == [])
    #expect(Seen(after).bookmarks.count == before.bookmarks.count + 1)
  }

  @Test func `a delivery that was cut can be taken back`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-new")
    let before = try Seen(profile.records())
    struct Crash: Error {}
    #expect(throws: (any Error).self) {
      try profile.deliver(source) { step in if step == .wroteLogins { throw Crash() } }
    }
    _ = try undo(profile)
    #expect(try Seen(profile.records()) == before)
    #expect(try profile.faults() == [])
  }

  @Test func `visits of the browser's own and filled-in bookmarks survive an undo`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("firefox-profile-new")
    try profile.deliver(source)
    try profile.change(
      """
      INSERT INTO moz_historyvisits(from_visit, place_id, visit_date, visit_type, session)
        SELECT 0, min(id), 1900000000000000, 1, 0 FROM moz_places WHERE visit_count > 0;
      UPDATE moz_places SET visit_count = visit_count + 1, last_visit_date = 1900000000000000
        WHERE id = (SELECT min(id) FROM moz_places WHERE visit_count > 0)
      """)
    _ = try undo(profile)
    #expect(try profile.records(.history).visits.map(\.visitedAt.microseconds) == [1_900_000_000_000_000])
    #expect(try profile.faults() == [])
  }
}

extension UnpackedProfile {
  /// Every file's bytes.
  func state() throws -> [String: Int] {
    var state: [String: Int] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      state[name] = FileManager.default.contents(atPath: path + "/" + name)?.hashValue ?? 0
    }
    return state
  }

  /// The bytes of these files, nil for one that is not there.
  func contents(_ names: [String]) throws -> [Data?] {
    names.map { FileManager.default.contents(atPath: path + "/" + $0) }
  }
}

/// Records of a test.
struct ListSource: RecordSource {
  var bookmarks: [Bookmark] = []
  var logins: [Login] = []
  var readingList: [ReadingListItem] = []
  let types: DataTypes = [.bookmarks, .passwords, .readingList]

  func counts() -> RecordCounts {
    RecordCounts([.bookmarks: bookmarks.count, .passwords: logins.count, .readingList: readingList.count])
  }

  func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    if types.contains(.bookmarks) { try consume(.bookmarks(bookmarks)) }
    if types.contains(.passwords) { try consume(.logins(logins)) }
    if types.contains(.readingList) { try consume(.readingList(readingList)) }
  }
}
