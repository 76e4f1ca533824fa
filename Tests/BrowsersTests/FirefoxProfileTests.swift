import Browsers
import BrowsingData
import TestSupport
import Testing

@Suite struct FirefoxProfileTests {
  @Test func `it keeps to the contract of a source`() throws {
    let fixture = try Fixture("firefox-profile")
    let profile = try FirefoxProfile(path: fixture.path)
    #expect(try RecordSourceContract.violations(of: profile) == [])
    #expect(profile.types == [.bookmarks, .extensions, .passwords, .cards, .history])
  }

  @Test func `every bookmark is what Firefox says, in its place and order`() throws {
    let fixture = try Fixture("firefox-profile")
    let truth = try Truth(fixture: "firefox-profile")["view"]["bookmarks"]
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), .bookmarks)
    #expect(records.bookmarks.count == 40 + 15 + 4)
    #expect(records.remarks.isEmpty)
    let children = Dictionary(grouping: records.bookmarks, by: \.parent)
    for (root, name) in [(RecordID.menu, "menu"), (.toolbar, "toolbar"), (.other, "unfiled"), (.mobile, "mobile")] {
      expectEqual(children, under: root, truth["roots"][name].list)
    }
  }

  private func expectEqual(_ children: [RecordID: [Bookmark]], under parent: RecordID, _ truth: [Truth]) {
    let bookmarks = children[parent] ?? []
    #expect(bookmarks.count == truth.count)
    for (index, (bookmark, node)) in zip(bookmarks, truth).enumerated() {
      #expect(bookmark.position == index)
      #expect(bookmark.kind.name == node["kind"].string)
      #expect(bookmark.guid == node["guid"].string)
      #expect(bookmark.title == node["title"].string ?? "")
      #expect(bookmark.url == node["url"].string)
      #expect(bookmark.tags.sorted() == node["tags"].list.compactMap(\.string).sorted())
      #expect(bookmark.keyword == node["keyword"].string)
      #expect(bookmark.postData == node["post_data"].string)
      #expect(bookmark.dateAdded == node["date_added_usec"].time)
      #expect(bookmark.dateModified == node["last_modified_usec"].time)
      #expect(bookmark.profile == nil)
      #expect(bookmark.application == Application(id: "org.mozilla.firefox", name: "Firefox"))
      expectEqual(children, under: bookmark.id, node["children"].list)
    }
  }

  @Test func `odd addresses and keywords with post data survive`() throws {
    let fixture = try Fixture("firefox-profile")
    let bookmarks = try CollectedRecords(FirefoxProfile(path: fixture.path), .bookmarks).bookmarks
    for start in ["place:", "javascript:", "data:", "file:", "about:", "ftp:"] {
      #expect(bookmarks.contains { $0.url?.hasPrefix(start) == true })
    }
    #expect(bookmarks.contains { $0.postData == "q=%s&lang=de" && $0.keyword == "px" })
    #expect(bookmarks.contains { $0.title.hasSuffix("é\u{FFFD}") })
    #expect(bookmarks.contains { ($0.url?.utf8.count ?? 0) > 20_000 })
  }

  @Test func `every visit has its time, transition, redirect and referrer`() throws {
    let fixture = try Fixture("firefox-profile")
    let truth = try Truth(fixture: "firefox-profile")["view"]["history"]
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), .history)
    #expect(records.remarks.isEmpty)
    let pages = Dictionary(uniqueKeysWithValues: truth["pages"].list.map { ($0["url"].string ?? "", $0) })
    let expected = truth["visits"].list.map { visit -> HistoryVisit in
      let url = visit["url"].string ?? ""
      var result = HistoryVisit(
        url: url, title: pages[url]?["title"].string, visitedAt: visit["time_usec"].time ?? Timestamp(microseconds: -1),
        transition: HistoryVisit.Transition.allCases.first { $0.name == visit["transition"].string },
        hidden: pages[url]?["hidden"].bool ?? false)
      if let from = visit["from"]["url"].string, let time = visit["from"]["time_usec"].time {
        let link = HistoryVisit.Link(url: from, visitedAt: time)
        let isRedirect = result.transition == .redirectPermanent || result.transition == .redirectTemporary
        if isRedirect { result.redirectSource = link } else { result.referrer = link }
      }
      return result
    }
    #expect(expected.count == 183)
    #expect(expected.contains { $0.redirectSource != nil } && expected.contains { $0.referrer != nil })
    #expect(Set(records.visits) == Set(expected))
    #expect(records.visits.count == expected.count)
  }

  @Test func `every login opens with its fields and times`() throws {
    let fixture = try Fixture("firefox-profile")
    let truth = try Truth(fixture: "firefox-profile")
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), .passwords)
    expectEqual(records.logins, truth["view"]["logins"]["logins"].list)
    let intent = Set(
      truth["intent"]["logins"].list.map { "\($0["username"].string ?? "") \($0["password"].string ?? "")" })
    #expect(Set(records.logins.map { "\($0.username) \($0.password)" }).isSubset(of: intent))
    #expect(records.remarks.isEmpty)
  }

  private func expectEqual(_ logins: [Login], _ truth: [Truth]) {
    let truth = truth.filter { $0["origin"].string != "chrome://FirefoxAccounts" }
    #expect(logins.count == truth.count)
    #expect(logins.count >= 8)
    let byGUID = Dictionary(uniqueKeysWithValues: truth.map { ($0["guid"].string ?? "", $0) })
    for login in logins {
      guard let node = byGUID[login.guid ?? ""] else {
        Issue.record("a login that Firefox does not know")
        continue
      }
      #expect(login.url == node["origin"].string)
      #expect(login.username == node["username"].string)
      #expect(login.password == node["password"].string)
      #expect(login.httpRealm == node["http_realm"].string)
      #expect(login.formAction == node["form_action_origin"].string)
      #expect(login.dateCreated == node["created_usec"].time)
      #expect(login.dateLastUsed == node["last_used_usec"].time)
      #expect(login.datePasswordChanged == node["password_changed_usec"].time)
      #expect(login.timesUsed.map(Int64.init) == node["times_used"].number)
      #expect(login.profile == nil)
    }
  }

  @Test func `every card opens with its fields`() throws {
    let fixture = try Fixture("firefox-profile")
    let truth = try Truth(fixture: "firefox-profile")["view"]["payment"]["cards"].list
    let cards = try CollectedRecords(FirefoxProfile(path: fixture.path), .cards).cards
    #expect(cards.count == truth.count)
    for (card, node) in zip(cards, truth) {
      #expect(card.number == node["number"].string)
      #expect(card.holder == node["name"].string)
      #expect(card.name == nil)
      #expect(card.expirationMonth.map(Int64.init) == node["exp_month"].number)
      #expect(card.expirationYear.map(Int64.init) == node["exp_year"].number)
      #expect(card.lastUsedAt == node["last_used_usec"].time)
    }
    #expect(Set(cards.map(\.id)).count == cards.count)
  }

  @Test func `only the user's own extensions come`() throws {
    let fixture = try Fixture("firefox-profile")
    let truth = try Truth(fixture: "firefox-profile")["view"]["extensions"].list
    let extensions = try CollectedRecords(FirefoxProfile(path: fixture.path), .extensions).extensions
    #expect(extensions.count == truth.count)
    for node in truth {
      let found = extensions.first { $0.identifier == node["id"].string }
      #expect(found?.name == node["name"].string)
      #expect(found?.version == node["version"].string)
      #expect(found?.developer == node["creator"].string)
      #expect(found?.enabled == node["enabled"].bool)
      #expect(found?.homepage == node["homepage_url"].string)
    }
  }

  @Test func `counts are those of the records`() throws {
    let fixture = try Fixture("firefox-profile")
    let profile = try FirefoxProfile(path: fixture.path)
    let records = try CollectedRecords(profile)
    let counts = try profile.counts()
    #expect(counts[.bookmarks] == records.bookmarks.count)
    #expect(counts[.history] == records.visits.count)
    #expect(counts[.extensions] == records.extensions.count)
    #expect(counts[.passwords] == records.logins.count)
    #expect(counts[.cards] == records.cards.count)
    #expect(counts[.readingList] == 0)
  }

  @Test func `a profile with a name gives it to every record`() throws {
    let fixture = try Fixture("firefox-profile")
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path, browser: .librewolf, label: "work"))
    #expect(records.bookmarks.allSatisfy { $0.profile == "work" && $0.application?.name == "LibreWolf" })
    #expect(records.logins.allSatisfy { $0.profile == "work" })
    #expect(records.cards.allSatisfy { $0.profile == "work" })
    #expect(records.extensions.allSatisfy { $0.profile == "work" })
    #expect(!records.visits.isEmpty && records.visits.allSatisfy { $0.profile == "work" })
  }

  @Test func `a profile just made holds the bookmarks that came with it and no more`() throws {
    let fixture = try Fixture("firefox-profile-new")
    let profile = try FirefoxProfile(path: fixture.path)
    let records = try CollectedRecords(profile)
    #expect(records.bookmarks.map(\.title).first == "Mozilla Firefox")
    #expect(records.logins.isEmpty && records.cards.isEmpty && records.extensions.isEmpty)
    #expect(try RecordSourceContract.violations(of: profile) == [])
  }

  @Test func `what is only in the log of an open database is read, too`() throws {
    let fixture = try Fixture("firefox-profile-open-wal")
    let before = try fixture.state()
    let records = try CollectedRecords(FirefoxProfile(path: fixture.path), [.bookmarks, .history])
    #expect(records.bookmarks.contains { $0.title == "only in the WAL" })
    #expect(records.visits.contains { $0.url == "http://wal.example/only-in-the-wal" })
    let truth = try Truth(fixture: "firefox-profile-open-wal")["view"]["history"]["visits"].list
    #expect(records.visits.count == truth.count)
    #expect(try fixture.state() == before)
  }
}
