import Browsers
import BrowsingData
import Foundation
import TestSupport
import Testing

@Suite struct FirefoxSecretsTests {
  @Test func `a primary password opens logins and cards`() throws {
    let fixture = try Fixture("firefox-profile-primary-password")
    let profile = try FirefoxProfile(path: fixture.path)
    try profile.unlock(password: "Primary-Pass 1")
    let records = try CollectedRecords(profile, [.passwords, .cards])
    let open = try Fixture("firefox-profile")
    let plain = try CollectedRecords(FirefoxProfile(path: open.path), [.passwords, .cards])
    #expect(Set(records.logins.map(\.password)) == Set(plain.logins.map(\.password)))
    #expect(Set(records.logins.map(\.id)) == Set(plain.logins.map(\.id)))
    #expect(Set(records.cards.map(\.number)) == Set(plain.cards.map(\.number)))
    #expect(records.remarks.isEmpty)
  }

  @Test func `without the primary password nothing is handed over`() throws {
    let fixture = try Fixture("firefox-profile-primary-password")
    let profile = try FirefoxProfile(path: fixture.path)
    var batches = 0
    #expect(throws: ProfileError.secretsLocked(.primaryPassword)) {
      try profile.read(.all) { _ in batches += 1 }
    }
    #expect(batches == 0)
    #expect(try profile.counts()[.passwords] > 0)
    #expect(try !CollectedRecords(profile, .withoutSecrets).visits.isEmpty)
  }

  @Test func `a wrong primary password is told from a missing one`() throws {
    let fixture = try Fixture("firefox-profile-primary-password")
    let profile = try FirefoxProfile(path: fixture.path)
    for wrong in ["", "primary-pass 1", "Primary-Pass 1 "] {
      #expect(throws: ProfileError.wrongPassword) { try profile.unlock(password: wrong) }
    }
    #expect(throws: ProfileError.secretsLocked(.primaryPassword)) {
      try profile.read(.passwords) { _ in }
    }
  }

  @Test func `one login that does not open is a remark and the others come`() throws {
    let fixture = try Fixture("firefox-profile")
    let whole = try CollectedRecords(FirefoxProfile(path: fixture.path), .passwords).logins
    var document = try #require(
      try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: fixture.file("logins.json"))))
        as? [String: Any])
    var entries = try #require(document["logins"] as? [[String: Any]])
    let field = try #require(entries[0]["encryptedPassword"] as? String)
    var bytes = try #require(Data(base64Encoded: field))
    bytes[bytes.count - 1] ^= 1
    entries[0]["encryptedPassword"] = bytes.base64EncodedString()
    entries[1]["encryptedUsername"] = "not Base64!"
    entries.append(["deleted": true, "guid": "{gone}", "id": 99])
    document["logins"] = entries
    try JSONSerialization.data(withJSONObject: document).write(to: URL(fileURLWithPath: fixture.file("logins.json")))
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), .passwords)
    #expect(records.logins.count == whole.count - 2)
    #expect(records.remarks.map(\.kind) == [.skipped, .skipped])
    #expect(records.remarks.map(\.place) == entries.prefix(2).map { .id($0["guid"] as? String ?? "") })
  }

  @Test func `a card whose tag does not hold is a remark, not a wrong number`() throws {
    let fixture = try Fixture("firefox-profile")
    let url = URL(fileURLWithPath: fixture.file("autofill-profiles.json"))
    var document = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [String: Any])
    var cards = try #require(document["creditCards"] as? [[String: Any]])
    let number = try #require(cards[0]["cc-number-encrypted"] as? String)
    var bytes = try #require(Data(base64Encoded: number))
    bytes[13] ^= 1
    cards[0]["cc-number-encrypted"] = bytes.base64EncodedString()
    document["creditCards"] = cards
    try JSONSerialization.data(withJSONObject: document).write(to: url)
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), .cards)
    #expect(records.cards.count == 2)
    #expect(records.remarks.map(\.kind) == [.skipped])
  }

  @Test func `no secret stands in what is printed of a record`() throws {
    let fixture = try Fixture("firefox-profile")
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), [.passwords, .cards])
    var printed = ""
    dump(records.logins, to: &printed)
    dump(records.cards, to: &printed)
    printed += "\(records.logins) \(records.cards)"
    for secret in records.logins.map(\.password) + records.cards.map(\.number) where secret.count > 2 {
      #expect(!printed.contains(secret))
    }
  }

  /// Both are key4.db files that NSS itself opens: its own with a key for triple DES, and one wrapped as NSS did before
  /// Firefox 73.
  @Test(arguments: ["firefox-keys-triple-des", "firefox-keys-before-73"])
  func `keys and logins of old profiles open`(name: String) throws {
    let fixture = try Fixture(name)
    let login = try #require(try CollectedRecords(FirefoxProfile(path: fixture.path), .passwords).logins.first)
    #expect(login.username == "älter")
    #expect(login.password == "triple DES, 24 bytes of key")
    #expect(login.url == "https://old.test")
    #expect(login.dateCreated == Timestamp(microseconds: 1_500_000_000_000_000))
    #expect(login.dateLastUsed == nil)
    #expect(login.timesUsed == 3)
  }

  @Test func `damage anywhere in the key database is an error or a remark, never a crash`() throws {
    let fixture = try Fixture("firefox-keys-triple-des")
    let url = URL(fileURLWithPath: fixture.file("key4.db"))
    let whole = try Data(contentsOf: url)
    var random = SeededGenerator(seed: 3)
    for _ in 0..<60 {
      var bytes = whole
      for _ in 0..<20 {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      try bytes.write(to: url)
      do {
        let records = try CollectedRecords(FirefoxProfile(path: fixture.path), .passwords)
        #expect(records.logins.count + records.remarks.count == 1)
      } catch is ProfileError {}
    }
  }
}
