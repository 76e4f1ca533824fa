import BrowsingData
import TestSupport
import Testing

@testable import Formats

@Suite struct SafariPaymentCardsTests {
  @Test func `numbers lose blanks and dashes, an empty one is skipped`() throws {
    let found = try read(#"{"card_number":"4111 1111-1111\u00a01111"},{"card_number":" - "},{"card_name":"x"},7"#)
    #expect(found.cards.map(\.number) == ["4111111111111111"])
    #expect(found.skipped.count == 3)
    #expect(found.skipped.allSatisfy { $0.type == .cards })
  }

  @Test func `a number that fails the check is taken with a warning that does not show it`() throws {
    let found = try read(#"{"card_number":"4111111111111112"},{"card_number":"41111111111"}"#)
    #expect(found.cards.count == 2)
    #expect(found.warnings.count == 2)
    #expect(found.warnings.allSatisfy { !$0.reason.contains("411") })
  }

  @Test func `a fractional time is rounded, zeros and empty texts are absent`() throws {
    let found = try read(
      #"{"card_number":"4111111111111111","card_name":"Main","cardholder_name":"A Person","card_expiration_month":7,"#
        + #""card_expiration_year":2031,"card_last_used_time_usec":1722730594744987.2},"#
        + #"{"card_number":"5555555555554444","card_name":"","card_expiration_month":0,"card_expiration_year":0,"#
        + #""card_last_used_time_usec":1.722730594744987e15},"#
        + #"{"card_number":"5555555555554444","card_expiration_month":13,"card_expiration_year":"x"}"#)
    #expect(found.cards.map(\.name) == ["Main", nil, nil])
    #expect(found.cards.map(\.holder) == ["A Person", nil, nil])
    #expect(found.cards.map(\.expirationMonth) == [7, nil, nil])
    #expect(found.cards.map(\.expirationYear) == [2031, nil, nil])
    #expect(found.cards.map { $0.lastUsedAt?.microseconds } == [1_722_730_594_744_987, 1_722_730_594_744_987, nil])
    #expect(found.warnings.count == 1)
  }

  @Test func `ids are random`() throws {
    let entry = #"{"card_number":"4111111111111111"}"#
    let ids = try read(entry).cards.map(\.id) + read(entry).cards.map(\.id)
    #expect(Set(ids).count == 2)
  }

  private func read(_ entries: String) throws -> CollectedRecords {
    try CollectedRecords(SafariPaymentCards(input: MemoryInput(Array(#"{"payment_cards":[\#(entries)]}"#.utf8))))
  }
}

@Suite struct SafariExtensionsTests {
  @Test func `every field is kept, the identifier as it stands`() throws {
    let json = #"""
      {"extensions":[{"composed_identifier":"test.app.Ext (TEAM123456)","developer_name":"Dev & Co","display_name":"B",
      "marketplace_lookup":{"store_identifier":"13","ios_extension_bundle_identifier":"a","ios_app_bundle_identifier":"b",
      "macos_extension_bundle_identifier":"c","macos_app_bundle_identifier":"d","new":{}}},{"display_name":"none"}]}
      """#
    let found = try CollectedRecords(SafariExtensions(input: MemoryInput(Array(json.utf8)), profile: "Work"))
    var expected = BrowserExtension(
      id: RecordID(hashing: .browserExtension(identifier: "test.app.Ext (TEAM123456)", profile: "Work")), name: "B",
      identifier: "test.app.Ext (TEAM123456)")
    expected.developer = "Dev & Co"
    expected.storeIdentifier = "13"
    expected.iosExtensionBundleIdentifier = "a"
    expected.iosAppBundleIdentifier = "b"
    expected.macosExtensionBundleIdentifier = "c"
    expected.macosAppBundleIdentifier = "d"
    expected.profile = "Work"
    #expect(found.extensions == [expected])
    #expect(found.skipped.count == 1)
  }
}

@Suite struct SafariFileNamesTests {
  @Test(arguments: [
    ("History.json", nil), ("History - Work.json", "Work"), ("History - Work - A.json", "Work - A"),
    ("History - v1.2.json", "v1.2"), ("Export - 1/Historial - Café.json", "Café"), ("x/History - .json", nil),
    ("History - Cafe\u{301}.json", "Caf\u{E9}"), ("History", nil),
  ])
  func `the profile is what follows the first dash`(name: String, profile: String?) {
    let found = SafariFileNames.profile(ofMember: name)
    #expect(found.map { Array($0.unicodeScalars) } == profile.map { Array($0.unicodeScalars) })
  }

  @Test func `a profile comes back from the name written for it`() {
    for profile in ["Work", "Work - A", "v1.2", "Café", "a.json", ".."] {
      #expect(SafariFileNames.keeps(profile: profile))
    }
    for profile in ["a/b", "a\\b", "a\nb", "Cafe\u{301}"] {
      #expect(SafariFileNames.keeps(profile: profile) == (profile == "Cafe\u{301}"))
      #expect(!SafariFileNames.member("History", profile: profile, suffix: "json").contains("/"))
    }
  }
}
