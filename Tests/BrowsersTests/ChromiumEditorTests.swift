import BrowsingData
import Browsers
import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct ChromiumEditorTests {
  let backups = TemporaryDirectory()

  private func editor(_ fixture: Fixture, _ backup: String = "1", dryRun: Bool = false) throws -> ChromiumEditor {
    var options = EditorOptions(
      backups: backups.file("kept"), name: backup, now: Timestamp(microseconds: 1_800_000_000_000_000))
    options.isDryRun = dryRun
    return try ChromiumEditor(path: fixture.file("Default"), options)
  }

  private func profile(_ fixture: Fixture) throws -> ChromiumProfile {
    try ChromiumProfile(path: fixture.file("Default"))
  }

  private func deliver(
    _ source: any RecordSource, _ fixture: Fixture, _ types: DataTypes = .all, backup: String = "1"
  ) throws -> (PlainDelivery, [ChangedFile]) {
    let editor = try editor(fixture, backup)
    let delivery = try PlainDelivery(source, into: editor, types)
    return (delivery, try editor.commit())
  }

  private func outline(_ bookmarks: [Bookmark]) -> [String] {
    let byParent = Dictionary(grouping: bookmarks, by: \.parent)
    func lines(_ parent: RecordID, _ indent: String) -> [String] {
      (byParent[parent] ?? []).sorted { $0.position < $1.position }.flatMap { bookmark in
        let line =
          "\(indent)\(bookmark.kind) \(bookmark.title) \(bookmark.url ?? "") \(bookmark.dateAdded?.microseconds ?? 0)"
        return [line] + lines(bookmark.id, indent + "  ")
      }
    }
    return RecordID.roots.flatMap { [$0.name] + lines($0.id, "  ") }
  }

  @Test func `a profile moves into a new one, record by record`() throws {
    let source = try Fixture("chromium-profile")
    let target = try Fixture("chromium-profile-new")
    let before = try CollectedRecords(profile(source))
    let (delivery, changed) = try deliver(profile(source), target)
    #expect(delivery.refused.isEmpty)
    #expect(
      Set(changed.map(\.name)) == [
        "Bookmarks", "History", "Login Data", "Web Data", "Sync Data/LevelDB/000003.log",
      ])
    #expect(changed.first { $0.name == "Bookmarks" }?.backup == nil)
    let after = try CollectedRecords(profile(target))
    #expect(after.remarks.isEmpty)
    #expect(outline(after.bookmarks) == outline(before.bookmarks))
    #expect(after.bookmarks.map(\.guid) == before.bookmarks.map(\.guid))
    let key = { (login: Login) in
      [login.url, login.username, login.password, login.notes ?? "", login.formAction ?? ""]
    }
    #expect(Set(after.logins.map(key)) == Set(before.logins.map(key)))
    #expect(Set(after.logins.map(\.dateCreated)) == Set(before.logins.map(\.dateCreated)))
    #expect(
      Set(after.cards.map { [$0.number, $0.holder, $0.name] })
        == Set(before.cards.map { [$0.number, $0.holder, $0.name] }))
    #expect(Set(after.readingList) == Set(before.readingList))
  }

  @Test func `visits keep time, transition, chain and links`() throws {
    let source = try Fixture("chromium-profile")
    let target = try Fixture("chromium-profile-new")
    let before = try CollectedRecords(profile(source), .history).visits
    let (delivery, _) = try deliver(profile(source), target, .history)
    #expect(delivery.history.added == before.count)
    let after = try CollectedRecords(profile(target), .history).visits
    #expect(Set(after) == Set(before))
    #expect(delivery.history.losses.filter { $0.key.field == "loaded" }.isEmpty)
    let answers = """
      SELECT u.url || ' ' || c.response_code FROM context_annotations c JOIN visits v ON v.id = c.visit_id
      JOIN urls u ON u.id = v.url WHERE c.response_code >= 400
      """
    #expect(try texts(target.file("Default/History"), answers) == texts(source.file("Default/History"), answers))
    // The bits, too, are those that Chromium had written, but for those of its own API and the address bar.
    let bits =
      "SELECT u.url || ' ' || v.visit_time || ' ' || (v.transition & 0xF00000FF) FROM visits v JOIN urls u ON u.id = v.url"
    #expect(try texts(target.file("Default/History"), bits) == texts(source.file("Default/History"), bits))
    let counts =
      "SELECT url || ' ' || title || ' ' || visit_count || ' ' || last_visit_time FROM urls WHERE url NOT LIKE '%transition%'"
    #expect(try texts(target.file("Default/History"), counts) == texts(source.file("Default/History"), counts))
  }

  private func texts(_ path: String, _ sql: String) throws -> Set<String> {
    let statement = try Database(path: path, mode: .readOnly).prepare(sql)
    var texts: Set<String> = []
    while try statement.step() { texts.insert(statement.text(0) ?? "") }
    return texts
  }

  @Test func `Firefox's history arrives whole, redirects with the kind of their chain`() throws {
    let source = try Fixture("firefox-profile")
    let target = try Fixture("chromium-profile-new")
    let firefox = try FirefoxProfile(path: source.path)
    let before = try CollectedRecords(firefox, .history).visits
    let (delivery, _) = try deliver(firefox, target, .history)
    #expect(delivery.history.added + delivery.history.skipped == before.count)
    #expect(delivery.history.remarks.isEmpty)
    let after = try CollectedRecords(profile(target), .history).visits
    let place = { (visit: HistoryVisit) in "\(visit.url) \(visit.visitedAt.microseconds) \(visit.occurrence)" }
    #expect(Set(after.map(place)) == Set(before.map(place)))
    let byPlace = Dictionary(uniqueKeysWithValues: after.map { (place($0), $0) })
    for visit in before {
      let found = byPlace[place(visit)]
      #expect(found?.redirectSource == visit.redirectSource)
      #expect(found?.referrer == visit.referrer)
      #expect(found?.title == visit.title)
    }
    #expect(
      try texts(
        target.file("Default/History"), "SELECT id FROM visits WHERE transition & 0x30000000 = 0 AND from_visit = 0"
      ).isEmpty)
  }

  @Test func `a second delivery of visits changes no byte`() throws {
    let source = try Fixture("firefox-profile")
    let target = try Fixture("chromium-profile")
    _ = try deliver(FirefoxProfile(path: source.path), target, .history)
    let before = try target.state()
    let (delivery, changed) = try deliver(FirefoxProfile(path: source.path), target, .history, backup: "2")
    #expect(delivery.history.added == 0)
    #expect(delivery.history.unchanged > 180)
    #expect(changed.isEmpty)
    #expect(
      try target.state().filter { $0.key.hasPrefix("Default/") } == before.filter { $0.key.hasPrefix("Default/") })
    #expect(!FileManager.default.fileExists(atPath: backups.file("kept/2")))
  }

  @Test func `a page that redirects to itself keeps both visits of one time`() throws {
    let target = try Fixture("chromium-profile-new")
    var pages = PageBatch()
    pages.append(number: 7, url: "https://cookie.test/".utf8, title: "Cookie".utf8)
    var visits = VisitBatch()
    visits.visits = [
      VisitBatch.Visit(page: 7, time: 1_700_000_000_000_000), VisitBatch.Visit(page: 7, time: 1_700_000_000_000_000),
    ]
    visits.visits[0].transition = HistoryVisit.Transition.typed.rawValue
    visits.visits[1].occurrence = 1
    visits.visits[1].transition = HistoryVisit.Transition.redirectTemporary.rawValue
    visits.visits[1].linkPage = 7
    visits.visits[1].flags = .linkIsRedirect
    for backup in ["1", "2"] {
      let editor = try editor(target, backup)
      try editor.insert(pages)
      try editor.insert(visits)
      #expect(try editor.finishHistory().added == (backup == "1" ? 2 : 0))
      _ = try editor.commit()
    }
    let found = try CollectedRecords(profile(target), .history).visits
    #expect(found.map(\.occurrence) == [0, 1])
    #expect(found.map(\.transition) == [.typed, .typed])
    #expect(found.map(\.hidden) == [true, false])
    #expect(found[1].redirectSource == .init(url: "https://cookie.test/", visitedAt: found[0].visitedAt))
  }

  @Test func `visits are taken back by their mark, and what was there stays`() throws {
    let source = try Fixture("firefox-profile")
    let target = try Fixture("chromium-profile")
    let rows = "SELECT v.id || u.url || v.from_visit || v.transition FROM visits v JOIN urls u ON u.id = v.url"
    let pages = "SELECT id || url || visit_count || typed_count || last_visit_time FROM urls"
    let before = try (texts(target.file("Default/History"), rows), texts(target.file("Default/History"), pages))
    let (delivery, _) = try deliver(FirefoxProfile(path: source.path), target, .history)
    let mark = try #require(delivery.history.mark)
    #expect(try texts(target.file("Default/History"), rows) != before.0)
    do {
      let editor = try editor(target, "2")
      #expect(try editor.takeBackHistory(mark: mark) == delivery.history.added)
      _ = try editor.commit()
    }
    #expect(try texts(target.file("Default/History"), rows) == before.0)
    #expect(try texts(target.file("Default/History"), pages) == before.1)
    #expect(try texts(target.file("Default/History"), "SELECT id FROM visit_source WHERE source = 3").isEmpty)
    #expect(try self.editor(target, "3").takeBackHistory(mark: mark) == 0)
  }

  @Test func `visits go by host, address and time`() throws {
    let target = try Fixture("chromium-profile")
    let all = try CollectedRecords(profile(target), .history).visits
    let end = Timestamp.end
    let start = Timestamp(microseconds: 0)
    let editor = try editor(target)
    #expect(
      try editor.removeVisits([
        VisitRemoval(.host("transition.example"), from: start, until: end),
        VisitRemoval(.url("http://news.example/r301"), from: start, until: end),
        VisitRemoval(.all, from: all[0].visitedAt, until: Timestamp(microseconds: all[0].visitedAt.microseconds + 1)),
      ]) == 9 + 1 + 1)
    _ = try editor.commit()
    let left = try CollectedRecords(profile(target), .history).visits
    #expect(left.count == all.count - 11)
    #expect(!left.contains { $0.url.contains("transition.example") })
    #expect(
      try texts(
        target.file("Default/History"),
        "SELECT id FROM visits WHERE from_visit > 0 AND from_visit NOT IN (SELECT id FROM visits)"
      ).isEmpty)
    #expect(
      try texts(target.file("Default/History"), "SELECT url FROM urls WHERE id NOT IN (SELECT url FROM visits)").isEmpty
    )
  }

  @Test func `a profile in use is not opened, and not touched`() throws {
    let fixture = try Fixture("chromium-profile")
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, 255)
    let host = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    try FileManager.default.createSymbolicLink(
      atPath: fixture.file("SingletonLock"), withDestinationPath: "\(host)-\(getppid())")
    let before = try fixture.state()
    #expect(throws: ProfileError.inUse("the profile")) { try editor(fixture) }
    #expect(try fixture.state() == before)
    // A dry run only reads.
    #expect(try editor(fixture, dryRun: true).heldBookmarks().count == 39)
  }

  @Test func `the lock is the browser's own, and goes with the editor`() throws {
    let fixture = try Fixture("chromium-profile")
    let before = Set(try FileManager.default.contentsOfDirectory(atPath: fixture.path))
    do {
      let editor = try editor(fixture)
      #expect(try profile(fixture).isOpen)
      #expect(throws: ProfileError.inUse("the profile")) { try self.editor(fixture, "2") }
      editor.abandon()
    }
    #expect(try !profile(fixture).isOpen)
    #expect(Set(try FileManager.default.contentsOfDirectory(atPath: fixture.path)) == before)
  }

  @Test func `a browser that is started meanwhile is answered when the editor goes`() throws {
    let fixture = try Fixture("chromium-profile")
    var editor: ChromiumEditor? = try self.editor(fixture)
    let path = try FileManager.default.destinationOfSymbolicLink(atPath: fixture.file("SingletonSocket"))
    let cookie = try FileManager.default.destinationOfSymbolicLink(atPath: fixture.file("SingletonCookie"))
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/SingletonCookie") == cookie)
    let client = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(client) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let isConnected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(client, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    #expect(isConnected)
    let question = Array("START\0/home\0chromium".utf8)
    #expect(send(client, question, question.count, 0) == question.count)
    _ = try editor?.heldBookmarks()
    editor = nil
    var answer = [UInt8](repeating: 0, count: 64)
    let count = recv(client, &answer, answer.count, 0)
    #expect(String(decoding: answer.prefix(max(0, count)), as: UTF8.self) == "SHUTDOWN")
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func `nothing is committed once another program has taken the lock`() throws {
    let source = try Fixture("chromium-profile")
    let fixture = try Fixture("chromium-profile-new")
    let editor = try editor(fixture)
    _ = try PlainDelivery(profile(source), into: editor)
    let before = try fixture.state()
    try FileManager.default.removeItem(atPath: fixture.file("SingletonLock"))
    #expect(throws: ProfileError.inUse("the profile")) { try editor.commit() }
    #expect(try contents(fixture) == contents(before))
  }

  @Test func `a layout that is not known is refused by name and left alone`() throws {
    for (file, sql) in [
      ("History", "UPDATE meta SET value = 99 WHERE key = 'last_compatible_version'"),
      ("History", "UPDATE meta SET value = 30 WHERE key = 'version'"), ("History", "DROP TABLE meta"),
      ("Login Data", "UPDATE meta SET value = 999 WHERE key = 'last_compatible_version'"),
      ("Web Data", "UPDATE meta SET value = 999 WHERE key = 'last_compatible_version'"),
    ] {
      let source = try Fixture("chromium-profile")
      let fixture = try Fixture("chromium-profile-new")
      try Database(path: fixture.file("Default/\(file)"), mode: .readWrite).execute(sql)
      let before = try fixture.state()
      #expect {
        let editor = try editor(fixture)
        _ = try PlainDelivery(profile(source), into: editor)
      } throws: { error in
        guard case .unsupportedSchema(file, _, _)? = error as? ProfileError else { return false }
        return true
      }
      #expect(try contents(fixture) == contents(before))
    }
  }

  /// What is in the files of the profile; a journal may come and go.
  private func contents(_ fixture: Fixture) throws -> [String: String] { try contents(fixture.state()) }

  private func contents(_ state: [String: String]) -> [String: String] {
    state.filter { $0.key.hasPrefix("Default/") && !$0.key.hasSuffix("-journal") }
      .mapValues { $0.split(separator: " ").last.map(String.init) ?? "" }
  }

  @Test func `what was changed is put back while nobody has written since`() throws {
    let source = try Fixture("chromium-profile")
    for (name, isTouched) in [
      ("chromium-profile-new", false), ("firefox-profile", false), ("chromium-profile-new", true),
    ] {
      let target = try Fixture("chromium-profile-new")
      let firefox = try Fixture("firefox-profile")
      let before = try target.state()
      let records: any RecordSource =
        name.hasPrefix("fire") ? try FirefoxProfile(path: firefox.path) : try profile(source)
      let (_, changed) = try deliver(records, target, backup: name + "\(isTouched)")
      if isTouched {
        try Database(path: target.file("Default/History"), mode: .readWrite).execute("DELETE FROM visits WHERE id = 1")
      }
      let delivered = try target.state()
      #expect(try editor(target, name + "\(isTouched)").restore(changed) == !isTouched)
      #expect(try contents(target) == contents(isTouched ? delivered : before))
    }
  }

  @Test func `a dry run counts the same and changes nothing`() throws {
    let source = try Fixture("firefox-profile")
    let target = try Fixture("chromium-profile")
    let before = try target.state()
    let editor = try editor(target, dryRun: true)
    let delivery = try PlainDelivery(FirefoxProfile(path: source.path), into: editor)
    #expect(delivery.history.added > 180)
    #expect(try editor.commit().isEmpty)
    #expect(try target.state() == before)
    #expect(!FileManager.default.fileExists(atPath: backups.file("kept/1")))
  }
}
