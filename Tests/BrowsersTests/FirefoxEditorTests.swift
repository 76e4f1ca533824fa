import BrowsingData
import Foundation
import SQLite
import TestSupport
import Testing

@testable import Browsers

@Suite struct FirefoxEditorTests {
  private let home = TemporaryDirectory()

  private func editor(_ fixture: Fixture, _ name: String = "edit", dryRun: Bool = false) throws -> FirefoxEditor {
    var options = EditorOptions(
      backups: home.file("backups"), name: name, now: Timestamp(microseconds: 1_800_000_000_123_456))
    options.isDryRun = dryRun
    return try FirefoxEditor(path: fixture.path, options)
  }

  private func query(_ fixture: Fixture, _ sql: String) throws -> [[String?]] {
    let database = try Database(path: fixture.file("places.sqlite"), mode: .readWrite)
    let read = try database.prepare(sql)
    var rows: [[String?]] = []
    while try read.step() { rows.append((0..<read.columnCount).map { read.text($0) }) }
    return rows
  }

  private func bookmark(_ title: String, _ url: String, tags: [String] = []) -> Bookmark {
    var bookmark = Bookmark(
      id: RecordID(high: 1, low: UInt64(title.utf8.count) + 50), kind: .bookmark, parent: .toolbar, position: 0,
      title: title, url: url)
    bookmark.tags = tags
    return bookmark
  }

  // MARK: - The lock

  @Test func `the lock is seen by others while it is held, and only then`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let profile = try FirefoxProfile(path: fixture.path)
    #expect(!profile.isOpen)
    do {
      let held = try editor(fixture)
      #expect(profile.isOpen)
      #expect(throws: ProfileError.inUse("the profile")) { try editor(fixture, "second") }
      // Looking at the lock has not ended it.
      #expect(profile.isOpen)
      held.abandon()
    }
    #expect(!profile.isOpen)
  }

  @Test func `a dry run needs no lock and writes nowhere`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let held = try editor(fixture)
    let before = try fixture.state()
    let dry = try editor(fixture, "dry", dryRun: true)
    var edits = BookmarkEdits()
    edits.insertions = [.init(Held("AAAAAAAAAAAA", bookmark("one", "https://one.test/")), into: .root(.toolbar))]
    #expect(try dry.apply(edits).refused.isEmpty)
    #expect(try dry.heldBookmarks().contains { $0.foreignID == "AAAAAAAAAAAA" })
    #expect(try dry.commit().isEmpty)
    #expect(try fixture.state() == before)
    held.abandon()
  }

  @Test func `updates to what is there already write nothing`() throws {
    let fixture = try Fixture("firefox-profile")
    let editing = try editor(fixture)
    let held = try editing.heldBookmarks()
    var edits = BookmarkEdits()
    edits.updates = held
    #expect(try editing.apply(edits).refused.isEmpty)
    let before = try query(fixture, "SELECT guid, title, lastModified, syncChangeCounter FROM moz_bookmarks")
    _ = try editing.commit()
    #expect(try query(fixture, "SELECT guid, title, lastModified, syncChangeCounter FROM moz_bookmarks") == before)
  }

  // MARK: - Bookmarks

  @Test func `new bookmarks get what Sync and the ranking need`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let editing = try editor(fixture)
    var folder = Bookmark(id: RecordID(high: 1, low: 9), kind: .folder, parent: .toolbar, position: 0, title: "f")
    folder.dateAdded = Timestamp(microseconds: 1_700_000_000_123_000)
    var edits = BookmarkEdits()
    edits.insertions = [
      .init(Held("folder______", folder), into: .root(.toolbar)),
      .init(Held("page________", bookmark("p", "https://p.test/", tags: ["x", "y"])), into: .item("folder______")),
      .init(Held("lost________", bookmark("lost", "https://l.test/")), into: .item("nowhere_____")),
    ]
    let result = try editing.apply(edits)
    #expect(Array(result.refused.keys) == ["lost________"])
    _ = try editing.commit()
    #expect(
      try query(
        fixture,
        "SELECT syncStatus, syncChangeCounter, dateAdded, lastModified FROM moz_bookmarks WHERE guid = 'folder______'"
      ) == [["1", "2", "1700000000123000", "1800000000123000"]])
    #expect(
      try query(
        fixture, "SELECT foreign_count, hidden, recalc_frecency, frecency FROM moz_places WHERE url = 'https://p.test/'"
      )
        == [["3", "0", "1", "1"]])
    #expect(
      try query(fixture, "SELECT syncChangeCounter > 1 FROM moz_bookmarks WHERE guid = 'toolbar_____'") == [["1"]])
  }

  @Test func `updates, moves and removals are carried out, and Sync hears of what it knew`() throws {
    let fixture = try Fixture("firefox-profile-new")
    do {
      let database = try Database(path: fixture.file("places.sqlite"), mode: .readWrite)
      try database.execute(
        """
        INSERT INTO moz_places(id, url, guid, url_hash, rev_host, foreign_count)
          VALUES (900, 'https://synced.test/', 'pageguid____', 1, '.', 1);
        INSERT INTO moz_bookmarks(type, fk, parent, position, title, guid, syncStatus)
          SELECT 1, 900, id, 99, 'synced', 'synced______', 2 FROM moz_bookmarks WHERE guid = 'unfiled_____'
        """)
    }
    var first = BookmarkEdits()
    first.insertions = [
      .init(Held("a___________", bookmark("a", "https://a.test/", tags: ["t"])), into: .root(.toolbar)),
      .init(Held("b___________", bookmark("b", "https://b.test/")), into: .root(.toolbar)),
      .init(Held("c___________", bookmark("c", "https://c.test/")), into: .root(.toolbar)),
    ]
    do {
      let editing = try editor(fixture)
      _ = try editing.apply(first)
      _ = try editing.commit()
    }
    do {
      let editing = try editor(fixture, "second")
      var edits = BookmarkEdits()
      var renamed = bookmark("renamed", "https://other.test/", tags: ["u"])
      renamed.keyword = "kw"
      edits.updates = [Held("a___________", renamed)]
      edits.moves = ["b___________": .root(.menu)]
      edits.removals = ["synced______", "c___________"]
      edits.order = [.root(.menu): ["b___________"]]
      #expect(try editing.apply(edits) == EditResult())
      _ = try editing.commit()
    }
    let held = try editor(fixture, "third").heldBookmarks()
    let item = try #require(held.first { $0.foreignID == "a___________" }?.item)
    #expect(item.title == "renamed" && item.url == "https://other.test/" && item.tags == ["u"] && item.keyword == "kw")
    #expect(held.first { $0.item.parent == .menu }?.foreignID == "b___________")
    #expect(!held.contains { ["synced______", "c___________"].contains($0.foreignID) })
    #expect(try query(fixture, "SELECT guid FROM moz_bookmarks_deleted") == [["synced______"]])
    #expect(
      try query(fixture, "SELECT count(*) FROM moz_places WHERE url LIKE '%/c.test/' OR url LIKE '%/a.test/'") == [
        ["0"]
      ])
  }

  @Test func `a folder does not come to lie below itself`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let editing = try editor(fixture)
    func folder(_ number: UInt64) -> Bookmark {
      Bookmark(id: RecordID(high: 1, low: number), kind: .folder, parent: .toolbar, position: 0, title: "f")
    }
    var edits = BookmarkEdits()
    edits.insertions = [
      .init(Held("outer_______", folder(1)), into: .root(.toolbar)),
      .init(Held("inner_______", folder(2)), into: .item("outer_______")),
    ]
    edits.moves = ["outer_______": .item("inner_______")]
    #expect(Array(try editing.apply(edits).refused.keys) == ["outer_______"])
    editing.abandon()
  }

  @Test func `of two pages with one keyword the first keeps it, and the loss is told`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let editing = try editor(fixture)
    var one = bookmark("one", "https://one.test/")
    one.keyword = "k"
    var two = bookmark("three", "https://two.test/")
    two.keyword = "k"
    var edits = BookmarkEdits()
    edits.insertions = [
      .init(Held("one_________", one), into: .root(.other)), .init(Held("two_________", two), into: .root(.other)),
    ]
    let result = try editing.apply(edits)
    #expect(result.losses.values.reduce(0, +) == 1)
    _ = try editing.commit()
    #expect(
      try query(fixture, "SELECT p.url FROM moz_keywords k JOIN moz_places p ON p.id = k.place_id") == [
        ["https://one.test/"]
      ])
  }

  // MARK: - History

  private func visits(_ list: [(page: Int64, time: Int64, type: UInt8, link: Int64, delta: Int64, flags: UInt8)])
    -> VisitBatch
  {
    var batch = VisitBatch()
    for one in list {
      var visit = VisitBatch.Visit(page: one.page, time: one.time)
      visit.transition = one.type
      visit.linkPage = one.link
      visit.linkDelta = one.delta
      visit.flags = VisitBatch.Flags(rawValue: one.flags)
      batch.visits.append(visit)
    }
    return batch
  }

  private func pages(_ urls: [String]) -> PageBatch {
    var batch = PageBatch()
    for (index, url) in urls.enumerated() {
      batch.append(number: Int64(index + 1), url: url.utf8, title: "t\(index)".utf8)
    }
    return batch
  }

  @Test func `two addresses that Firefox takes for one are one page`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let editing = try editor(fixture)
    try editing.insert(pages(["https://a.test", "https://a.test/", "https://b.test/ü", "no address"]))
    let time: Int64 = 1_700_000_000_000_000
    try editing.insert(
      visits([
        (1, time, 1, 0, 0, 0), (2, time, 1, 0, 0, 0), (2, time + 1, 2, 0, 0, 0), (3, time + 2, 1, 2, 1, 0),
        (4, time, 1, 0, 0, 0),
      ]))
    let result = try editing.finishHistory()
    #expect(result.added == 3 && result.unchanged == 1 && result.skipped == 1)
    _ = try editing.commit()
    #expect(
      try query(fixture, "SELECT url, visit_count, typed FROM moz_places WHERE visit_count > 0 ORDER BY url") == [
        ["https://a.test/", "2", "1"], ["https://b.test/%C3%BC", "1", "0"],
      ])
    #expect(try query(fixture, "SELECT count(*) FROM moz_historyvisits WHERE from_visit <> 0") == [["1"]])
  }

  @Test func `a redirect chain of one moment keeps its links, in whatever order it comes`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let editing = try editor(fixture)
    try editing.insert(pages(["https://end.test/", "https://middle.test/", "https://start.test/"]))
    let time: Int64 = 1_700_000_000_000_000
    let redirect = VisitBatch.Flags.linkIsRedirect.rawValue
    try editing.insert(visits([(1, time, 1, 2, 0, redirect), (2, time, 1, 3, 0, redirect), (3, time, 1, 0, 0, 0)]))
    #expect(try editing.finishHistory().added == 3)
    _ = try editing.commit()
    let chain = try query(
      fixture,
      """
      SELECT p.url, v.visit_type, (SELECT q.url FROM moz_historyvisits f JOIN moz_places q ON q.id = f.place_id
        WHERE f.id = v.from_visit) FROM moz_historyvisits v JOIN moz_places p ON p.id = v.place_id ORDER BY p.url
      """)
    #expect(
      chain == [
        ["https://end.test/", "6", "https://middle.test/"], ["https://middle.test/", "6", "https://start.test/"],
        ["https://start.test/", "1", nil],
      ])
  }

  @Test func `typed visits of the last 90 days rank their origin, others do not`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let editing = try editor(fixture)
    try editing.insert(
      pages(["https://typed.test/a", "https://typed.test/b", "https://linked.test/", "https://old.test/"]))
    let (day, now): (Int64, Int64) = (86_400_000_000, 1_800_000_000_000_000)
    try editing.insert(
      visits([
        (4, now - 200 * day, 2, 0, 0, 0), (1, now - 3 * day, 2, 0, 0, 0), (1, now - 2 * day, 2, 0, 0, 0),
        (2, now - 2 * day + 1, 2, 0, 0, 0), (3, now - day, 1, 0, 0, 0),
      ]))
    #expect(try editing.finishHistory().added == 5)
    _ = try editing.commit()
    let ranks = try query(
      fixture,
      """
      SELECT host, o.frecency = CAST((2 * a.frecency + b.frecency) / 3.0 * 2 AS INTEGER), o.frecency = -1,
        o.recalc_frecency
      FROM moz_origins o, moz_places a, moz_places b WHERE a.url LIKE '%typed.test/a' AND b.url LIKE '%typed.test/b'
        AND host IN ('typed.test', 'linked.test', 'old.test') ORDER BY host
      """)
    #expect(ranks == [["linked.test", "0", "1", "1"], ["old.test", "0", "1", "1"], ["typed.test", "1", "0", "1"]])
  }

  @Test func `origins of the file are used and marked, new ones stay only with a page that was visited`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let time: Int64 = 1_700_000_000_000_000
    func deliver(_ urls: [String], visited: [Int64], _ name: String) throws {
      let editing = try editor(fixture, name)
      try editing.insert(pages(urls))
      try editing.insert(visits(visited.map { ($0, time, 1, 0, 0, 0) }))
      _ = try editing.finishHistory()
      _ = try editing.commit()
    }
    try deliver(["https://a.test/1", "http://a.test/1", "https://b.test/"], visited: [1, 2, 3], "first")
    _ = try query(fixture, "UPDATE moz_origins SET recalc_frecency = 0")
    try deliver(
      ["https://a.test/2", "https://a.test/3", "https://u@a.test/4", "https://unvisited.test/", "ftp://a.test/"],
      visited: [1, 2, 3, 5], "second")
    let origins = try query(
      fixture,
      """
      SELECT prefix, host, recalc_frecency, (SELECT count(*) FROM moz_places p WHERE p.origin_id = o.id)
      FROM moz_origins o WHERE host LIKE '%.test' ORDER BY host, prefix
      """)
    #expect(
      origins == [
        ["ftp://", "a.test", "1", "1"], ["http://", "a.test", "0", "1"], ["https://", "a.test", "1", "4"],
        ["https://", "b.test", "0", "1"],
      ])
  }

  @Test(arguments: [
    "moz_historyvisits(place_id, id) SELECT min(id), 9223372036854775807 FROM moz_places",
    "moz_places(url, id) SELECT 'https://last.test/', 9223372036854775807",
    "moz_origins(prefix, host, frecency, id) SELECT 'https://', 'last.test', 1, 9223372036854775807",
  ])
  func `a file whose rows are numbered to the end is refused, and left as it was`(rows: String) throws {
    let fixture = try Fixture("firefox-profile-new")
    _ = try query(fixture, "INSERT INTO \(rows)")
    let editing = try editor(fixture)
    #expect {
      try editing.insert(pages(["https://a.test/1"]))
    } throws: { error in
      guard case .corrupt("places.sqlite", _)? = error as? ProfileError else { return false }
      return true
    }
    editing.abandon()
    #expect(try query(fixture, "SELECT count(*) FROM moz_places WHERE url = 'https://a.test/1'") == [["0"]])
  }

  @Test func `visits are removed by page, host and time, with pages that nothing holds`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let time: Int64 = 1_700_000_000_000_000
    do {
      let editing = try editor(fixture)
      try editing.insert(pages(["https://a.test/1", "https://a.test/2", "https://b.test:8443/", "https://xa.test/"]))
      try editing.insert(
        visits([
          (1, time, 1, 0, 0, 0), (1, time + 10, 1, 0, 0, 0), (2, time, 1, 0, 0, 0), (3, time, 1, 0, 0, 0),
          (4, time, 1, 0, 0, 0),
        ]))
      _ = try editing.finishHistory()
      _ = try editing.commit()
    }
    func left() throws -> [String?] {
      try query(fixture, "SELECT url FROM moz_places WHERE visit_count > 0 ORDER BY url").map { $0[0] }
    }
    func remove(_ scope: VisitRemoval.Scope, _ from: Int64, _ until: Int64) throws -> Int {
      let editing = try editor(fixture, "\(from)\(until)")
      let count = try editing.removeVisits([
        VisitRemoval(scope, from: Timestamp(microseconds: from), until: Timestamp(microseconds: until))
      ])
      _ = try editing.commit()
      return count
    }
    #expect(try remove(.url("https://a.test/1"), time + 10, time + 11) == 1)
    #expect(try left().count == 4)
    #expect(try remove(.host("b.test"), 0, time + 1) == 1)
    #expect(try left() == ["https://a.test/1", "https://a.test/2", "https://xa.test/"])
    #expect(try remove(.host("a.test"), 0, time + 1) == 2)
    #expect(try left() == ["https://xa.test/"])
    #expect(try remove(.all, 0, time + 1) == 1)
    #expect(
      try query(fixture, "SELECT count(*) FROM moz_origins WHERE host LIKE '%a.test' OR host LIKE 'b.test%'") == [["0"]]
    )
  }

  // MARK: - Secrets

  @Test func `a profile without keys gets some, wrapped and signed as the browser's own are`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let editing = try editor(fixture)
    var logins = ItemEdits<Login>()
    logins.insertions = [
      Held(
        "{00000000-0000-4000-8000-000000000001}",
        Login(id: RecordID(high: 1, low: 1), url: "https://a.test", username: "", password: "ünï ✓"))
    ]
    #expect(try editing.apply(logins).refused.isEmpty)
    var cards = ItemEdits<PaymentCard>()
    var card = PaymentCard(id: RecordID(high: 1, low: 2), number: "378282246310005")
    card.holder = "Anna Maria Berg"
    card.expirationMonth = 3
    card.expirationYear = 2033
    cards.insertions = [Held("0123456789ab", card)]
    #expect(try editing.apply(cards).refused.isEmpty)
    let files = try editing.commit()
    #expect(files.map(\.name) == ["key4.db", "logins.json", "autofill-profiles.json"])
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), .secrets)
    #expect(records.logins.map(\.password) == ["ünï ✓"])
    #expect(records.cards.map(\.number) == ["378282246310005"])
    let entry = try #require(try JSONValue.read(fixture.file("autofill-profiles.json"))?["creditCards"]?.elements.first)
    #expect(entry["cc-type"]?.string == "amex" && entry["cc-exp"]?.string == "2033-03")
    #expect(entry["cc-given-name"]?.string == "Anna" && entry["cc-additional-name"]?.string == "Maria")
    let database = try Database(path: fixture.file("key4.db"), mode: .readWrite)
    #expect(try database.int64("SELECT count(*) FROM metaData WHERE id LIKE 'sig_key_%_00000011'") == 2)
    #expect(try database.int64("SELECT count(DISTINCT a102) FROM nssPrivate WHERE a0 = X'00000004'") == 2)
  }

  @Test(arguments: ["firefox-keys-triple-des", "firefox-keys-before-73"])
  func `an old profile's own key seals what it opens again`(name: String) throws {
    let fixture = try Fixture(name)
    let keys = try FirefoxKeys(
      profile: ProfileFolder(path: fixture.path, isOpen: false, temporary: nil), password: nil)
    let sealed = try #require(try keys.sealLoginField("ü ✓"))
    #expect(try keys.openLoginField(sealed) == "ü ✓")
    #expect(keys.loginKey?.key.count == 24)
  }

  @Test func `what the JSON files hold beside the records stays`() throws {
    let fixture = try Fixture("firefox-profile")
    let before = try #require(try JSONValue.read(fixture.file("logins.json")))
    let addresses = try JSONValue.read(fixture.file("autofill-profiles.json"))?["addresses"]
    let editing = try editor(fixture)
    let known = try #require(try editing.heldLogins().first)
    var edits = ItemEdits<Login>()
    var changed = known.item
    changed.password = "another"
    edits.updates = [Held(known.foreignID, changed)]
    #expect(try editing.apply(edits).refused.isEmpty)
    let cards = try editing.heldCards()
    var removal = ItemEdits<PaymentCard>()
    removal.removals = [try #require(cards.first?.foreignID)]
    _ = try editing.apply(removal)
    _ = try editing.commit()
    let after = try #require(try JSONValue.read(fixture.file("logins.json")))
    #expect(Array(after["logins"]?.elements.dropFirst() ?? []) == Array(before["logins"]?.elements.dropFirst() ?? []))
    #expect(after["nextId"] == before["nextId"] && after["potentiallyVulnerablePasswords"] == .array([]))
    #expect(try JSONValue.read(fixture.file("autofill-profiles.json"))?["addresses"] == addresses)
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), .secrets)
    #expect(records.logins.contains { $0.password == "another" && $0.username == known.item.username })
    #expect(records.cards.count == cards.count - 1)
  }

  @Test func `logins that Firefox would not take are refused, with the reason`() {
    func reason(_ url: String, _ password: String, user: String = "u") -> String? {
      let login = Login(id: RecordID(high: 1, low: 1), url: url, username: user, password: password)
      if case .refused(let reason) = FirefoxLoginFile.fit(login) { return reason }
      return nil
    }
    #expect(reason("https://a.test", "p") == nil)
    #expect(reason("https://a.test", "") != nil)
    #expect(reason("a.test", "p") != nil)
    #expect(reason("https://a.test", "p", user: "a\0b") != nil)
    let app = Login(id: RecordID(high: 1, low: 1), url: "android://hash@app/", username: "u", password: "p")
    guard case .lost = FirefoxLoginFile.fit(app) else {
      Issue.record("an app's login is a loss")
      return
    }
  }

  // MARK: - Former contents

  @Test func `former contents are put back as they were, and not over a file that changed since`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let before = FileManager.default.contents(atPath: fixture.file("places.sqlite"))
    func insert(_ name: String) throws -> [ChangedFile] {
      let editing = try editor(fixture, name)
      var edits = BookmarkEdits()
      edits.insertions = [.init(Held("\(name)_______", bookmark(name, "https://\(name).test/")), into: .root(.other))]
      _ = try editing.apply(edits)
      return try editing.commit()
    }
    let files = try insert("first")
    #expect(files.map(\.name) == ["places.sqlite"])
    #expect(try editor(fixture, "undo").restore(files))
    #expect(FileManager.default.contents(atPath: fixture.file("places.sqlite")) == before)
    let again = try insert("again")
    _ = try insert("later")
    #expect(try !editor(fixture, "undo").restore(again))
    #expect(try !editor(fixture, "undo").restore([ChangedFile(name: "../outside", backup: nil, state: nil)]))
  }

  @Test func `only the last ten edits' former contents are kept`() throws {
    let fixture = try Fixture("firefox-profile-new")
    for number in 10..<22 {
      let editing = try editor(fixture, "edit\(number)")
      var edits = BookmarkEdits()
      let page = bookmark("\(number)", "https://\(number).test/")
      edits.insertions = [.init(Held("number\(number)____", page), into: .root(.other))]
      _ = try editing.apply(edits)
      _ = try editing.commit()
    }
    let kept = try FileManager.default.contentsOfDirectory(atPath: home.file("backups")).sorted()
    #expect(kept == (12..<22).map { "edit\($0)" })
  }
}
