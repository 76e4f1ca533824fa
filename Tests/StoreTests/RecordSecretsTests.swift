import BrowsingData
import Crypto
import Foundation
import Store
import Testing

@Suite struct RecordSecretsTests {
  @Test func `a password file twice changes nothing, whatever its order`() throws {
    let fixture = try RecordFixture()
    var logins = randomLogins(seed: 1, count: 300)
    let first = try fixture.take(.logins(logins))
    let before = try fixture.everything()
    #expect(first[.passwords].added == before[.passwords]?.count)
    #expect(first[.passwords].found == 300)
    let again = try fixture.take(.logins(logins))
    #expect(again[.passwords].unchanged == 300)
    var random = StoreRandom(seed: 2)
    logins.shuffle(using: &random)
    let shuffled = try fixture.take(.logins(logins))
    #expect(shuffled[.passwords].added == 0)
    #expect(shuffled[.passwords].unchanged + shuffled[.passwords].conflicts == 300)
    #expect(try fixture.everything() == before)
  }

  @Test func `a second row with another password is a listed conflict, the first stays shown`() throws {
    let fixture = try RecordFixture()
    let logins = [login("p1"), login("p2", occurrence: 1)]
    let report = try fixture.take(.logins(logins))
    #expect(report[.passwords].added == 1)
    #expect(report[.passwords].conflicts == 1)
    #expect(try shown(fixture) == ["p1"])
    #expect(try fixture.store.conflicts().map(\.value) == ["p2"])
    #expect(try fixture.take(.logins(logins))[.passwords].unchanged == 2)
    #expect(try fixture.store.conflicts().count == 1)
  }

  @Test func `rows that differ in more than the password are logins of their own`() throws {
    let fixture = try RecordFixture()
    var other = login("p2", occurrence: 1)
    other.formAction = "https://b.test"
    var first = login("p1")
    first.formAction = "https://a.test"
    #expect(try fixture.take(.logins([first, other]))[.passwords].added == 2)
    #expect(try fixture.take(.logins([other, first]))[.passwords].unchanged == 2)
  }

  @Test func `thousands of logins of one origin and user are told apart by their pages`() throws {
    let fixture = try RecordFixture()
    let logins = (0..<3_000).map { login("p\($0)", url: "https://a.test/\($0)") }
    #expect(try fixture.take(.logins(logins))[.passwords].added == 3_000)
    #expect(try shown(fixture).sorted() == logins.map(\.password).sorted())
    #expect(try fixture.take(.logins(logins))[.passwords].unchanged == 3_000)
  }

  @Test func `a newer password is shown and the one that was there is listed`() throws {
    let fixture = try RecordFixture()
    var old = login("old")
    old.datePasswordChanged = Timestamp(microseconds: 1_000)
    try fixture.take(.logins([old]))
    var new = login("new")
    new.datePasswordChanged = Timestamp(microseconds: 2_000)
    #expect(try fixture.take(.logins([new]))[.passwords].conflicts == 1)
    #expect(try shown(fixture) == ["new"])
    #expect(try fixture.store.conflicts().map(\.value) == ["old"])
    _ = try fixture.store.undo()
    #expect(try shown(fixture) == ["old"])
    #expect(try fixture.store.conflicts().isEmpty)
  }

  @Test func `an older or undated other password stays unshown but listed, and can be chosen`() throws {
    let fixture = try RecordFixture()
    try fixture.take(.logins([login("kept")]))
    #expect(try fixture.take(.logins([login("other")]))[.passwords].conflicts == 1)
    #expect(try shown(fixture) == ["kept"])
    let conflict = try #require(try fixture.store.conflicts().first)
    #expect(conflict.field == "password")
    #expect(!"\(conflict)".contains("other"))
    try fixture.store.resolveConflict(conflict.number, keepingShown: false)
    #expect(try shown(fixture) == ["other"])
    #expect(try fixture.store.conflicts().isEmpty)
    _ = try fixture.store.undo()
    #expect(try shown(fixture) == ["kept"])
    #expect(throws: StoreError.noSuchEntry) { try fixture.store.resolveConflict(conflict.number, keepingShown: true) }
  }

  @Test func `empty incoming fields say nothing and gaps are filled`() throws {
    let fixture = try RecordFixture()
    var full = login("p")
    full.notes = "note"
    full.otpauth = "otpauth://totp/x?secret=A"
    full.title = "Title"
    try fixture.take(.logins([full]))
    #expect(try fixture.take(.logins([login("")]))[.passwords].unchanged == 1)
    var richer = login("p")
    richer.url = "https://a.test/login"
    richer.dateCreated = Timestamp(microseconds: 5)
    richer.notes = "another"
    let report = try fixture.take(.logins([richer]))
    #expect(report[.passwords].conflicts == 1)
    guard case .login(let result) = try fixture.all(.passwords)[0] else { return }
    #expect(result.notes == "note")
    #expect(result.urls == ["https://a.test/login"])
    #expect(result.dateCreated == richer.dateCreated)
    #expect(try fixture.store.conflicts().map(\.value) == ["another"])
  }

  @Test func `a card is known by its number`() throws {
    let fixture = try RecordFixture()
    var card = PaymentCard(id: randomID(), number: "4111111111111111")
    card.holder = "A Person"
    try fixture.take(.cards([card, PaymentCard(id: randomID(), number: "5555555555554444")]))
    var again = PaymentCard(id: randomID(), number: "4111111111111111")
    again.expirationMonth = 7
    let report = try fixture.take(.cards([again]))
    #expect(report[.cards].changed == 1)
    let cards = try fixture.all(.cards)
    #expect(cards.count == 2)
    guard case .paymentCard(let result) = cards.first(where: { $0.id == card.id }) else { throw StoreError.noSuchEntry }
    #expect(result.holder == "A Person")
    #expect(result.expirationMonth == 7)
    again.id = randomID()
    #expect(try fixture.take(.cards([again]))[.cards].unchanged == 1)
  }

  @Test func `no secret stands in clear in the database or its log`() throws {
    let fixture = try RecordFixture()
    var login = login("canary-password")
    login.username = "canary-user"
    login.title = "canary-title"
    login.notes = "canary-notes"
    login.otpauth = "canary-otp"
    login.urls = ["https://canary-more.test/"]
    login.unknown = UnknownFields([.init(number: 999, value: Array("canary-unknown".utf8))])
    var card = PaymentCard(id: randomID(), number: "4012888888881881")
    card.holder = "canary-holder"
    card.name = "canary-card"
    try fixture.take(.logins([login]), .cards([card]))
    login.password = "canary-loser"
    login.notes = "canary-other"
    try fixture.take(.logins([login]))
    login.title = "canary-renamed"
    card.holder = "canary-second"
    try fixture.take(.logins([login]), .cards([card]))
    _ = try fixture.store.undo()
    var found = 0
    for suffix in ["", "-wal"] {
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.store.path + suffix)))
      found += bytes.count
      #expect(!contains(bytes, "canary-"))
      #expect(!contains(bytes, "4012888888881881"))
      #expect(!contains(bytes, "canary-more"))
    }
    #expect(found > 8_192)
    guard case .login(let kept) = try fixture.all(.passwords)[0] else { return }
    #expect(kept.unknown == login.unknown)
    #expect(try fixture.store.conflicts().count == 2)
  }

  @Test func `another home's key opens nothing`() throws {
    let fixture = try RecordFixture()
    try fixture.take(.logins([login("p")]))
    let key = fixture.home.config + "/store.key"
    try Data([UInt8](repeating: 7, count: 32)).write(to: URL(fileURLWithPath: key))
    chmod(key, 0o600)
    let other = try RecordStore.open(home: fixture.home)
    #expect(throws: StoreError.unsealable) { try fixture.all(.passwords, other) }
  }

  private func shown(_ fixture: RecordFixture) throws -> [String] {
    try fixture.all(.passwords).map { record in
      guard case .login(let login) = record else { return "" }
      return login.password
    }
  }
}

/// A login of one site and user.
func login(_ password: String, occurrence: Int = 0, user: String = "u", url: String = "https://a.test/") -> Login {
  let identity = RecordIdentity.login(
    origin: Origin.of(url), httpRealm: nil, username: user, occurrence: occurrence)
  var login = Login(
    id: RecordID(bytes: Hash.blake2b(identity.bytes, length: 16))!, url: url, username: user, password: password)
  login.occurrence = occurrence
  return login
}

/// Logins of few sites and users, numbered as a source numbers them.
func randomLogins(seed: UInt64, count: Int) -> [Login] {
  var random = StoreRandom(seed: seed)
  var occurrences: [String: Int] = [:]
  return (0..<count).map { _ in
    let (site, user) = (random.below(40), random.below(4))
    let occurrence = occurrences["\(site) \(user)", default: 0]
    occurrences["\(site) \(user)"] = occurrence + 1
    var one = login(
      "p\(random.below(4))", occurrence: occurrence, user: "u\(user)", url: "https://s\(site).test/")
    if random.below(2) == 0 { one.formAction = "https://f\(random.below(2)).test" }
    return one
  }
}

private func randomID() -> RecordID { RecordID(bytes: Random.bytes(16))! }

private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
  Data(bytes).range(of: Data(text.utf8)) != nil
}
