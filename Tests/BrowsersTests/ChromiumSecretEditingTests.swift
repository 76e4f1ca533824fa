import BrowsingData
import Browsers
import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct ChromiumSecretEditingTests {
  let backups = TemporaryDirectory()

  private func editor(_ fixture: Fixture, secret: String? = nil) throws -> ChromiumEditor {
    var options = EditorOptions(
      backups: backups.file("kept"), name: UUID().uuidString, now: Timestamp(microseconds: 1_800_000_000_000_000))
    options.password = secret
    return try ChromiumEditor(path: fixture.file("Default"), options)
  }

  /// What the keyring of that fixture kept.
  private let secret = "zvTFfAUXw20qXICuI5MWsw=="

  private func login(_ url: String = "https://new.test/sign-in", _ username: String = "mei") -> Login {
    var login = Login(id: RecordID(high: 1, low: 1), url: url, username: username, password: "pässword 🔑")
    login.notes = "a note"
    login.dateCreated = Timestamp(microseconds: 1_700_000_000_000_000)
    login.timesUsed = 7
    return login
  }

  private func insert(_ login: Login, _ editor: ChromiumEditor) throws -> EditResult {
    guard case .held(let fit, _) = editor.fit(login) else { throw CancellationError() }
    var edits = ItemEdits<Login>()
    edits.insertions = [Held(editor.foreignID(for: login.id, type: .passwords, guid: nil, attempt: 0), fit)]
    return try editor.apply(edits)
  }

  @Test func `a login has Chromium's realm, and HTTP authentication its own`() throws {
    let fixture = try Fixture("chromium-profile-new")
    do {
      let editor = try editor(fixture)
      var http = login("https://intern.test:8443/area", "mei")
      http.id = RecordID(high: 2, low: 2)
      http.httpRealm = "Members only"
      http.formAction = nil
      #expect(try insert(http, editor).refused.isEmpty)
      _ = try editor.commit()
    }
    do {
      let editor = try editor(fixture)
      #expect(try insert(login("https://NEW.test:443"), editor).refused.isEmpty)
      _ = try editor.commit()
    }
    let database = try Database(path: fixture.file("Default/Login Data"), mode: .readOnly)
    let rows = try database.prepare("SELECT id, origin_url, signon_realm, scheme, times_used FROM logins ORDER BY id")
    #expect(try rows.step())
    #expect(
      [rows.text(1), rows.text(2)] == ["https://intern.test:8443/area", "https://intern.test:8443/Members only"])
    #expect(rows.int64(3) == 1)
    #expect(try rows.step())
    #expect([rows.text(1), rows.text(2)] == ["https://new.test/", "https://new.test/"])
    #expect([rows.int64(0), rows.int64(3), rows.int64(4)] == [2, 0, 7])
    let records = try CollectedRecords(ChromiumProfile(path: fixture.file("Default")), .passwords)
    #expect(records.logins.map(\.httpRealm) == ["Members only", nil])
    #expect(records.logins.map(\.notes) == ["a note", "a note"])
    #expect(records.logins.map(\.password) == ["pässword 🔑", "pässword 🔑"])
  }

  @Test func `a login changes, and goes with its notes`() throws {
    let fixture = try Fixture("chromium-profile")
    do {
      let editor = try editor(fixture)
      let held = try #require(try editor.heldLogins().first { $0.item.notes != nil })
      var edits = ItemEdits<Login>()
      var changed = held
      changed.item.password = "another"
      changed.item.datePasswordChanged = nil
      changed.item.notes = "other words"
      edits.updates = [changed]
      let others = try editor.heldLogins().filter { $0.foreignID != held.foreignID }
      edits.removals = Set(others.map(\.foreignID))
      #expect(try editor.apply(edits).refused.isEmpty)
      #expect(try editor.commit().map(\.name) == ["Login Data"])
    }
    let logins = try CollectedRecords(ChromiumProfile(path: fixture.file("Default")), .passwords).logins
    #expect(logins.map(\.password) == ["another"])
    #expect(logins.map(\.notes) == ["other words"])
    #expect(logins.map(\.datePasswordChanged) == [Timestamp(microseconds: 1_800_000_000_000_000)])
    let database = try Database(path: fixture.file("Default/Login Data"), mode: .readOnly)
    #expect(try database.int64("SELECT count(*) FROM password_notes") == 1)
  }

  @Test func `of one address and user Chromium keeps one login`() throws {
    let fixture = try Fixture("chromium-profile-new")
    let editor = try editor(fixture)
    #expect(try insert(login(), editor).refused.isEmpty)
    var second = login()
    second.id = RecordID(high: 2, low: 2)
    second.password = "second"
    #expect(try insert(second, editor).refused.count == 1)
  }

  @Test func `a profile under the keyring's secret gets its new ones under it, too`() throws {
    let fixture = try Fixture("chromium-profile-v11")
    do {
      let locked = try editor(fixture)
      #expect(throws: ProfileError.self) { try locked.heldLogins() }
      #expect(throws: ProfileError.self) { try locked.heldCards() }
      #expect(throws: ProfileError.self) { try insert(login(), locked) }
    }
    do {
      let editor = try editor(fixture, secret: secret)
      #expect(try editor.heldLogins().count == 9)
      #expect(try insert(login(), editor).refused.isEmpty)
      _ = try editor.commit()
    }
    let database = try Database(path: fixture.file("Default/Login Data"), mode: .readOnly)
    #expect(
      try database.int64("SELECT count(*) FROM logins WHERE substr(password_value, 1, 3) = CAST('v11' AS BLOB)") == 10)
    let profile = try ChromiumProfile(path: fixture.file("Default"))
    try profile.unlock(password: secret)
    #expect(try CollectedRecords(profile, .passwords).logins.last?.password == "pässword 🔑")
  }

  @Test func `cards keep what a card has`() throws {
    let fixture = try Fixture("chromium-profile")
    do {
      let editor = try editor(fixture)
      let held = try editor.heldCards()
      var edits = ItemEdits<PaymentCard>()
      var card = PaymentCard(id: RecordID(high: 3, low: 3), number: "4111111111111111")
      card.holder = "Mei Chën"
      guard case .refused = editor.fit(card) else { throw CancellationError() }
      (card.expirationMonth, card.expirationYear) = (11, 2031)
      card.lastUsedAt = Timestamp(microseconds: 1_700_000_000_999_999)
      guard case .held(let fit, _) = editor.fit(card) else { throw CancellationError() }
      edits.insertions = [Held(editor.foreignID(for: card.id, type: .cards, guid: nil, attempt: 0), fit)]
      var changed = held[0]
      changed.item.number = "5555555555554444"
      changed.item.name = "renamed"
      edits.updates = [changed, held[1]]
      edits.removals = [held[2].foreignID]
      _ = try editor.apply(edits)
      _ = try editor.commit()
    }
    let cards = try CollectedRecords(ChromiumProfile(path: fixture.file("Default")), .cards).cards
    #expect(
      Set(cards.map(\.number)) == [
        "5555555555554444", "4111111111111111", try #require(cards.first { $0.holder == "Jürgen Müßig" }).number,
      ])
    #expect(cards.contains { $0.name == "renamed" })
    #expect(cards.first { $0.holder == "Mei Chën" }?.lastUsedAt == Timestamp(microseconds: 1_700_000_000_000_000))
  }
}
