import BrowsingData
import Store
import Testing

@Suite struct RecordUndoTests {
  @Test func `undo puts back exactly what was there, for random trees and logins`() throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      let fixture = try RecordFixture()
      try fixture.take(
        .bookmarks(TreeBuilder.random(seed: seed, count: 60)), .logins(randomLogins(seed: seed, count: 40)))
      let before = try fixture.everything()
      let ends = try fixture.store.ending([.bookmarks, .passwords])
      var bookmarks = TreeBuilder.random(seed: seed, count: 90)
      for index in bookmarks.indices where index % 5 == 0 { bookmarks[index].description = "d\(index)" }
      bookmarks.reverse()
      try fixture.take(.bookmarks(bookmarks), .logins(randomLogins(seed: seed + 50, count: 60)))
      #expect(try fixture.everything() != before)
      let report = try fixture.store.undo()
      #expect(!report.isPartial)
      #expect(try fixture.everything() == before)
      let after = try fixture.store.ending([.bookmarks, .passwords])
      #expect(after.mapValues(\.digest) == ends.mapValues(\.digest))
      #expect(after.mapValues(\.count) == ends.mapValues(\.count))
    }
  }

  @Test func `two undos take two imports back, the last one first`() throws {
    let fixture = try RecordFixture()
    var bookmark = TreeBuilder.tree("a")[0]
    try fixture.take(.bookmarks([bookmark]))
    bookmark.keyword = "k"
    try fixture.take(.bookmarks([bookmark]))
    #expect(try !fixture.store.undo().isPartial)
    #expect(try fixture.tree() == ["other a"])
    #expect(try !fixture.store.undo().isPartial)
    #expect(try fixture.tree().isEmpty)
    #expect(throws: StoreError.noSuchEntry) { try fixture.store.undo() }
  }

  @Test func `later edits stay and are listed`() throws {
    let fixture = try RecordFixture()
    var bookmarks = TreeBuilder.tree("F/1", "a")
    try fixture.take(.bookmarks(bookmarks))
    bookmarks[1].keyword = "k"
    try fixture.take(.bookmarks(bookmarks))
    let report = try fixture.store.undo(entry: 1)
    #expect(report.isPartial)
    #expect(report.remarks.count == 1)
    #expect(report[.bookmarks].skipped == 1)
    // Its folder is gone; it is shown where that stood.
    #expect(try fixture.tree() == ["other 1"])
    let batch = try #require(try fixture.store.changes(.bookmarks, after: 0))
    guard case .records(let rows) = batch.content else { return }
    let parents = rows.compactMap { row -> RecordID? in
      guard case .present(.bookmark(let one)) = row.change else { return nil }
      return one.parent
    }
    #expect(parents == [.other])
  }

  @Test func `what was taken back can be imported again, with the same ids`() throws {
    let fixture = try RecordFixture()
    let bookmarks = TreeBuilder.random(seed: 8, count: 40)
    try fixture.take(.bookmarks(bookmarks), .logins(randomLogins(seed: 8, count: 20)))
    let before = try fixture.everything()
    _ = try fixture.store.undo()
    #expect(try fixture.everything().values.allSatisfy { $0.isEmpty })
    try fixture.take(.bookmarks(bookmarks), .logins(randomLogins(seed: 8, count: 20)))
    #expect(Set(try fixture.all(.bookmarks)) == Set(before[.bookmarks]!))
    #expect(Set(try fixture.all(.passwords)) == Set(before[.passwords]!))
  }

  @Test func `every field of every kind comes back as it went in`() throws {
    let fixture = try RecordFixture()
    let records = RecordUndoTests.complete()
    try fixture.take(
      .bookmarks([records.bookmark]), .readingList([records.item]), .extensions([records.browserExtension]),
      .logins([records.login]), .cards([records.card]))
    #expect(try fixture.all(.bookmarks) == [.bookmark(records.bookmark)])
    #expect(try fixture.all(.readingList) == [.readingListItem(records.item)])
    #expect(try fixture.all(.extensions) == [.browserExtension(records.browserExtension)])
    #expect(try fixture.all(.passwords) == [.login(records.login)])
    #expect(try fixture.all(.cards) == [.paymentCard(records.card)])
    for type in [DataType.bookmarks, .readingList, .extensions, .passwords, .cards] {
      #expect(try fixture.store.counts()[type] == 1)
    }
  }

  private static func complete() -> (
    bookmark: Bookmark, item: ReadingListItem, browserExtension: BrowserExtension, login: Login, card: PaymentCard
  ) {
    let unknown = UnknownFields([.init(number: 101, value: [1, 2]), .init(number: 205, value: [])])
    let application = Application(id: "app", name: "App")
    var bookmark = TreeBuilder.tree("a")[0]
    bookmark.tags = ["x", "", "y"]
    (bookmark.keyword, bookmark.postData, bookmark.description) = ("k", "p", "")
    (bookmark.charset, bookmark.icon, bookmark.iconURI, bookmark.guid) = ("c", "i", "u", "g")
    (bookmark.dateAdded, bookmark.dateModified) = (time(1), time(2))
    bookmark.lastVisitedAt = time(3)
    bookmark.attributes = [NamedValue(name: "N", value: ""), NamedValue(name: "", value: "v")]
    (bookmark.profile, bookmark.application, bookmark.unknown) = ("", application, unknown)
    var item = ReadingListItem(id: id(2), title: "t", url: "u", dateAdded: time(4))
    (item.lastVisitedAt, item.read, item.preview) = (time(5), false, "pre")
    (item.profile, item.application, item.unknown) = ("p", application, unknown)
    var one = BrowserExtension(id: id(3), name: "n", identifier: "i")
    (one.developer, one.storeIdentifier, one.store, one.version) = ("d", "s", "amo", "1")
    (one.enabled, one.homepage) = (true, "h")
    (one.iosExtensionBundleIdentifier, one.iosAppBundleIdentifier) = ("1", "2")
    (one.macosExtensionBundleIdentifier, one.macosAppBundleIdentifier) = ("3", "4")
    (one.profile, one.application, one.unknown) = ("p", application, unknown)
    var login = Login(id: id(4), url: "https://a.test/", username: "", password: "p")
    (login.title, login.notes, login.otpauth, login.urls) = ("t", "n", "o", ["a", "b"])
    (login.httpRealm, login.formAction, login.timesUsed, login.guid) = ("", "", 0, "g")
    (login.dateCreated, login.dateLastUsed, login.datePasswordChanged) = (time(6), time(7), time(8))
    (login.profile, login.application, login.unknown) = ("p", application, unknown)
    var card = PaymentCard(id: id(5), number: "41")
    (card.name, card.holder, card.expirationMonth, card.expirationYear) = ("n", "h", 12, 2_030)
    (card.lastUsedAt, card.profile, card.application, card.unknown) = (time(9), "p", application, unknown)
    return (bookmark, item, one, login, card)
  }

  private static func time(_ value: Int64) -> Timestamp { Timestamp(microseconds: 1_700_000_000_000_000 + value) }
  private static func id(_ value: UInt64) -> RecordID { RecordID(high: 6, low: value) }
}
