import Browsers
import BrowsingData
import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct ChromiumProfileTests {
  private func open(_ fixture: Fixture, _ name: String = "Default") throws -> ChromiumProfile {
    try ChromiumProfile(path: fixture.file(name), label: name == "Default" ? nil : name)
  }

  @Test func `it keeps to the contract of a source`() throws {
    for (archive, name) in [
      ("chromium-profile", "Default"), ("chromium-profile", "Profile 1"), ("chromium-profile-new", "Default"),
    ] {
      let fixture = try Fixture(archive)
      #expect(try RecordSourceContract.violations(of: open(fixture, name)) == [])
    }
  }

  @Test func `reading changes no byte, name or time in the profile`() throws {
    let fixture = try Fixture("chromium-profile")
    let before = try fixture.state()
    _ = try open(fixture).counts()
    _ = try CollectedRecords(open(fixture))
    #expect(try fixture.state() == before)
  }

  @Test func `every bookmark is what Chromium says, in its place and order`() throws {
    let fixture = try Fixture("chromium-profile")
    let truth = try Truth(fixture: "chromium-profile")["view"]["bookmarks"]
    let records = try CollectedRecords(open(fixture), .bookmarks)
    #expect(records.remarks.isEmpty)
    #expect(records.bookmarks.count == 26 + 13)
    let children = Dictionary(grouping: records.bookmarks, by: \.parent)
    for (root, name) in [(RecordID.toolbar, "toolbar"), (.other, "other"), (.mobile, "mobile")] {
      expectEqual(children, under: root, truth["roots"][name].list)
    }
  }

  private func expectEqual(_ children: [RecordID: [Bookmark]], under parent: RecordID, _ truth: [Truth]) {
    let bookmarks = children[parent] ?? []
    #expect(bookmarks.count == truth.count)
    for (index, (bookmark, node)) in zip(bookmarks, truth).enumerated() {
      #expect(bookmark.position == index)
      #expect(bookmark.kind.name == node["kind"].string)
      #expect(bookmark.title == node["title"].string)
      #expect(bookmark.url == node["url"].string)
      // The extension API cuts to milliseconds.
      #expect(bookmark.dateAdded.map { $0.microseconds / 1_000 * 1_000 } == node["date_added_usec"].number)
      #expect(bookmark.guid?.utf8.count == 36)
      #expect(bookmark.profile == nil)
      #expect(bookmark.application == Application(id: "org.chromium.Chromium", name: "Chromium"))
      expectEqual(children, under: bookmark.id, node["children"].list)
    }
  }

  @Test func `every visit has its time, transition, redirect and referrer`() throws {
    let fixture = try Fixture("chromium-profile")
    let truth = try Truth(fixture: "chromium-profile")["store"]
    let visits = try CollectedRecords(open(fixture), .history).visits
    let titles = Dictionary(
      uniqueKeysWithValues: truth["pages"].list.map { ($0["url"].string ?? "", $0["title"].string) })
    let names: [String: HistoryVisit.Transition] = [
      "link": .link, "typed": .typed, "auto_bookmark": .bookmark, "manual_subframe": .framedLink,
      "generated": .generated, "auto_toplevel": .startPage, "form_submit": .formSubmit, "reload": .reload,
      "keyword": .keyword, "keyword_generated": .keyword,
    ]
    #expect(visits.count == 54)
    #expect(visits.count == truth["visits"].list.count)
    for (visit, node) in zip(visits, truth["visits"].list) {
      #expect(visit.url == node["url"].string)
      #expect(visit.visitedAt == node["time_usec"].time)
      let title = titles[visit.url] ?? nil
      #expect(visit.title == (title == "" ? nil : title))
      #expect(visit.transition == names[node["transition"].string ?? ""])
      let qualifiers = node["qualifiers"].list.compactMap(\.string)
      let isRedirect = qualifiers.contains("server_redirect") || qualifiers.contains("client_redirect")
      let from = node["from"]["url"].string.map {
        HistoryVisit.Link(url: $0, visitedAt: node["from"]["time_usec"].time ?? Timestamp(microseconds: 0))
      }
      #expect(visit.redirectSource == (isRedirect ? from : nil))
      #expect(visit.referrer == (isRedirect ? nil : from))
      let isFramed = ["auto_subframe", "manual_subframe", "keyword_generated"].contains(node["transition"].string)
      #expect(visit.hidden == (!qualifiers.contains("chain_end") || isFramed))
    }
    #expect(visits.contains { $0.redirectSource != nil } && visits.contains { $0.referrer != nil })
  }

  @Test func `pages that answered with an error did not load`() throws {
    let fixture = try Fixture("chromium-profile")
    let failed = try CollectedRecords(open(fixture), .history).visits.filter { !$0.loaded }.map(\.url)
    #expect(Set(failed) == ["http://news.example/404", "http://news.example/500"])
  }

  @Test func `a page that redirects to itself has two visits at one time`() throws {
    let fixture = try Fixture("chromium-profile")
    let database = try Database(path: fixture.file("Default/History"), mode: .readWrite)
    try database.execute(
      """
      INSERT INTO urls(id, url, title, last_visit_time) VALUES (900, 'https://cookie.test/', 'Cookie', 13440484323187969);
      INSERT INTO visits(id, url, visit_time, from_visit, transition) VALUES
        (900, 900, 13440484323187969, 0, 0x10000000), (901, 900, 13440484323187969, 900, 0xA0000000 - 0x100000000);
      """)
    let visits = try CollectedRecords(open(fixture), .history).visits.filter { $0.url == "https://cookie.test/" }
    #expect(visits.map(\.occurrence) == [0, 1])
    #expect(visits.map(\.hidden) == [true, false])
    let time = Timestamp(microseconds: 13_440_484_323_187_969 - Timestamp.webKitOffset)
    #expect(visits.map(\.redirectSource) == [nil, .init(url: "https://cookie.test/", visitedAt: time)])
  }

  @Test func `every login opens with its note and times`() throws {
    let fixture = try Fixture("chromium-profile")
    let truth = try Truth(fixture: "chromium-profile")["view"]["logins"]["logins"].list
    let records = try CollectedRecords(open(fixture), .passwords)
    #expect(records.remarks.isEmpty)
    #expect(records.logins.count == truth.count)
    for node in truth {
      let found = records.logins.first {
        $0.url == node["sites"].list[0].string && $0.username == node["username"].string
      }
      #expect(found?.password == node["password"].string)
      #expect(found?.notes ?? "" == node["note"].string)
      #expect(found?.dateCreated.map { $0.microseconds / 1_000 * 1_000 } == node["created_usec"].number)
      #expect(found?.httpRealm == nil)
    }
  }

  @Test func `every card opens with its fields`() throws {
    let fixture = try Fixture("chromium-profile")
    let truth = try Truth(fixture: "chromium-profile")["view"]["payment"]["cards"].list
    let cards = try CollectedRecords(open(fixture), .cards).cards
    #expect(cards.count == truth.count)
    for node in truth {
      let card = cards.first { $0.number == node["number"].string }
      #expect(card?.holder == node["name"].string)
      #expect(card?.name == node["nickname"].string)
      #expect(card?.expirationMonth == node["exp_month"].string.flatMap { Int($0) })
      #expect(card?.expirationYear == node["exp_year"].string.flatMap { Int($0) })
    }
  }

  @Test func `extensions come with name, maker and state`() throws {
    let fixture = try Fixture("chromium-profile")
    let truth = try Truth(fixture: "chromium-profile")["view"]["extensions"].list
    let extensions = try CollectedRecords(open(fixture), .extensions).extensions
    #expect(extensions.count == truth.count)
    for node in truth {
      let found = extensions.first { $0.identifier == node["id"].string }
      #expect(found?.name == node["name"].string)
      #expect(found?.version == node["version"].string)
      #expect(found?.enabled == node["enabled"].bool)
      #expect(found?.homepage ?? "" == node["homepage_url"].string)
    }
    #expect(extensions.contains { $0.developer == "Fixture Maker" })
  }

  @Test func `an extension's name may stand in its language files`() throws {
    let fixture = try Fixture("chromium-profile")
    let preferences = URL(fileURLWithPath: fixture.file("Default/Preferences"))
    var document = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: preferences)) as? [String: Any])
    let entry: [String: Any] = [
      "location": 1, "path": "abc/1_0", "from_webstore": true,
      "manifest": ["name": "__MSG_appName__", "version": "1", "default_locale": "en"],
    ]
    document["extensions"] = ["settings": ["abc": entry, "gone": [String: Any](), "built-in": ["location": 5]]]
    try JSONSerialization.data(withJSONObject: document).write(to: preferences)
    let folder = fixture.file("Default/Extensions/abc/1_0/_locales/en")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(#"{"APPNAME": {"message": "Spelled out"}}"#.utf8).write(
      to: URL(fileURLWithPath: folder + "/messages.json"))
    let extensions = try CollectedRecords(open(fixture), .extensions).extensions
    #expect(extensions.map(\.name) == ["Spelled out"])
    #expect(extensions.map(\.store) == ["chrome-web-store"])
  }

  @Test func `the reading list is read from its log`() throws {
    let fixture = try Fixture("chromium-profile")
    let truth = try Truth(fixture: "chromium-profile")["view"]["reading_list"].list
    let items = try CollectedRecords(open(fixture), .readingList).readingList
    #expect(items.count == truth.count)
    for node in truth {
      let item = items.first { $0.url == node["url"].string }
      #expect(item?.title == node["title"].string)
      #expect(item?.read == node["read"].bool)
      #expect(item?.dateAdded.map { $0.microseconds / 1_000 * 1_000 } == node["created_usec"].number)
    }
  }

  @Test func `each profile has its own records and gives its name`() throws {
    let fixture = try Fixture("chromium-profile")
    let records = try CollectedRecords(open(fixture, "Profile 1"))
    #expect(records.bookmarks.map(\.url) == ["https://second.example/"])
    #expect(records.visits.map(\.url) == ["http://second.example/visit"])
    #expect(records.visits.map(\.profile) == ["Profile 1"])
    #expect(records.bookmarks.map(\.profile) == ["Profile 1"])
  }

  @Test func `the encrypted copy of the bookmarks is read where the plain file is missing`() throws {
    let fixture = try Fixture("chromium-profile")
    let plain = try CollectedRecords(open(fixture), .bookmarks).bookmarks
    try FileManager.default.removeItem(atPath: fixture.file("Default/Bookmarks"))
    #expect(try CollectedRecords(open(fixture), .bookmarks).bookmarks == plain)
    #expect(try open(fixture).counts()[.bookmarks] == plain.count)
  }

  @Test func `an account's bookmarks are merged into the same roots`() throws {
    let fixture = try Fixture("chromium-profile")
    let account = """
      {"version": 1, "roots": {"bookmark_bar": {"type": "folder", "children": [
        {"type": "url", "name": "mine", "url": "https://account.test/", "guid": "11111111-2222-4333-8444-555555555555"},
        {"type": "odd", "name": "?"}]}, "trash": {"type": "folder", "children": [{"type": "url", "url": "https://gone.test/"}]},
        "custom_root": {"speedDial": {"type": "folder", "name": "Speed Dial", "children": [{"type": "url", "url": "https://dial.test/"}]}}}}
      """
    try Data(account.utf8).write(to: URL(fileURLWithPath: fixture.file("Default/AccountBookmarks")))
    let records = try CollectedRecords(open(fixture), .bookmarks)
    let added = try #require(records.bookmarks.first { $0.title == "mine" })
    #expect(added.parent == .toolbar)
    #expect(added.position == 6)
    let dial = try #require(records.bookmarks.first { $0.title == "Speed Dial" })
    #expect(dial.parent == .other)
    #expect(records.bookmarks.contains { $0.parent == dial.id && $0.url == "https://dial.test/" })
    #expect(!records.bookmarks.contains { $0.url == "https://gone.test/" })
    #expect(records.remarks.map(\.kind) == [.skipped])
  }

  @Test func `the keyring is asked for its secret, and says why it gives none`() throws {
    let fixture = try Fixture("chromium-profile-v11")
    let others = [FakeKeyring.Item(application: "chrome", secret: "another")]
    let item = FakeKeyring.Item(application: "chromium", secret: "zvTFfAUXw20qXICuI5MWsw==")
    var locked = item
    locked.isLocked = true
    var wrong = item
    wrong.secret = "wrong"
    for (items, reason) in [
      (others + [item], nil), ([wrong, item], nil), (others, "which has none for this browser"),
      ([locked], "which is locked"), ([wrong], "which has none for this browser"), (nil, "which does not run here"),
    ] as [([FakeKeyring.Item]?, String?)] {
      let keyring = try items.map { try FakeKeyring($0) }
      let profile = try ChromiumProfile(
        path: fixture.file("Default"), keyringBus: keyring?.address ?? "unix:path=\(fixture.file("nowhere"))")
      let records = try CollectedRecords(profile, [.passwords, .cards])
      #expect(records.logins.count == (reason == nil ? 9 : 0))
      #expect(records.cards.count == (reason == nil ? 3 : 0))
      #expect(records.remarks.count { $0.kind == .skipped } == (reason == nil ? 0 : 12))
      #expect(records.remarks.allSatisfy { $0.reason.hasSuffix(reason ?? "") })
    }
  }

  @Test func `a secret of the keyring opens what it locks`() throws {
    let fixture = try Fixture("chromium-profile-v11")
    let open = try Fixture("chromium-profile")
    let profile = try self.open(fixture)
    let locked = try CollectedRecords(profile, [.bookmarks, .passwords, .cards])
    #expect(locked.logins.isEmpty && locked.cards.isEmpty && !locked.bookmarks.isEmpty)
    #expect(locked.remarks.count { $0.type == .passwords && $0.kind == .skipped } == 9)
    #expect(locked.remarks.count { $0.type == .cards && $0.kind == .skipped } == 3)
    #expect(throws: ProfileError.wrongPassword) { try profile.unlock(password: "another") }
    try profile.unlock(password: "zvTFfAUXw20qXICuI5MWsw==")
    let records = try CollectedRecords(profile, [.passwords, .cards])
    let plain = try CollectedRecords(self.open(open), [.passwords, .cards])
    #expect(Set(records.logins.map(\.password)) == Set(plain.logins.map(\.password)))
    #expect(Set(records.logins.compactMap(\.notes)) == Set(plain.logins.compactMap(\.notes)))
    #expect(Set(records.cards.map(\.number)) == Set(plain.cards.map(\.number)))
  }

  @Test func `HTTP authentication has its realm, never-saved sites do not come`() throws {
    let fixture = try Fixture("chromium-profile")
    let database = try Database(path: fixture.file("Default/Login Data"), mode: .readWrite)
    try database.execute(
      """
      UPDATE logins SET scheme = 1, signon_realm = 'https://long.example/The "realm"/x' WHERE origin_url = 'https://long.example/';
      UPDATE logins SET blacklisted_by_user = 1 WHERE origin_url = 'https://csv.example/';
      """)
    let logins = try CollectedRecords(open(fixture), .passwords).logins
    #expect(logins.first { $0.url == "https://long.example/" }?.httpRealm == "The \"realm\"/x")
    #expect(logins.first { $0.url == "https://long.example/" }?.formAction == nil)
    #expect(!logins.contains { $0.url == "https://csv.example/" })
    #expect(try open(fixture).counts()[.passwords] == logins.count)
  }

  @Test func `a layout of a later Chromium is refused by name`() throws {
    let fixture = try Fixture("chromium-profile")
    let database = try Database(path: fixture.file("Default/History"), mode: .readWrite)
    try database.execute("UPDATE meta SET value = '99' WHERE key = 'last_compatible_version'")
    let expected = ProfileError.unsupportedSchema(file: "History", version: 99, reason: "up to 70 is known")
    #expect(throws: expected) { try open(fixture).read(.history) { _ in } }
  }

  @Test func `a database with a transaction under way is read as it was committed`() throws {
    let fixture = try Fixture("chromium-profile")
    let browser = try Database(path: fixture.file("Default/History"), mode: .readWrite)
    try browser.execute("PRAGMA cache_size = 1; BEGIN EXCLUSIVE; UPDATE urls SET title = 'unsaved'")
    let visits = try CollectedRecords(open(fixture), .history).visits
    #expect(visits.count == 54)
    #expect(!visits.contains { $0.title == "unsaved" })
    try browser.execute("ROLLBACK")
  }

  @Test func `a profile is open while its link names a living process`() throws {
    let fixture = try Fixture("chromium-profile-new")
    let profile = try open(fixture)
    #expect(!profile.isOpen)
    let link = fixture.file("SingletonLock")
    let host = ProcessInfo.processInfo.hostName
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    let own = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(own)-\(getpid())")
    #expect(profile.isOpen)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "\(own)-4194303")
    #expect(!profile.isOpen)
    try FileManager.default.removeItem(atPath: link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "not-\(host)-\(getpid())")
    #expect(profile.isOpen)
  }
}
