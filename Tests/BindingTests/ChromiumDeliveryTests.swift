import Browsers
import BrowsingData
import Foundation
import SQLite
import Store
import TestSupport
import Testing

@testable import Binding

@Suite struct ChromiumDeliveryTests {
  private let folder = TemporaryDirectory()

  private func path(_ profile: UnpackedProfile) -> String { profile.path + "/Default" }

  private func editor(_ profile: UnpackedProfile, _ name: String, dryRun: Bool = false) throws -> ChromiumEditor {
    var options = profile.options(name)
    options.isDryRun = dryRun
    return try ChromiumEditor(path: path(profile), options)
  }

  private func deliver(
    _ source: any RecordSource, _ profile: UnpackedProfile, _ name: String = "edit"
  ) throws -> ApplyReport {
    try ProfileDelivery(from: source, to: try editor(profile, name), types: .all)
      .deliver(journal: profile.store, label: "to a test", path: path(profile))
  }

  private func records(_ profile: UnpackedProfile) throws -> CollectedRecords {
    try CollectedRecords(ChromiumProfile(path: path(profile)))
  }

  /// What is in the files of the profile, but for journals, which come and go.
  private func contents(_ profile: UnpackedProfile) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: path(profile)) where !name.hasSuffix("-journal") {
      contents[name] = FileManager.default.contents(atPath: path(profile) + "/" + name)
    }
    return contents
  }

  @Test func `Firefox's records arrive but for what Chromium cannot hold, which is said before`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("chromium-profile-new")
    let untouched = try contents(profile)
    let preview = try ProfileDelivery(from: source, to: try editor(profile, "dry", dryRun: true), types: .all).preview()
    #expect(try contents(profile) == untouched)
    let report = try deliver(source, profile)
    #expect(preview.losses == report.losses)
    #expect(preview.types == report.types)
    for (type, field) in [
      (DataType.bookmarks, "kind"), (.bookmarks, "tags"), (.bookmarks, "keyword"), (.bookmarks, "parent"),
      (.history, "transition"), (.history, "visited_at"), (.extensions, "extension"),
    ] {
      #expect(report.losses.contains { $0.type == type && $0.field == field })
    }
    let before = try CollectedRecords(source)
    let after = try records(profile)
    #expect(
      Set(after.visits.map { "\($0.url) \($0.visitedAt)" }) == Set(before.visits.map { "\($0.url) \($0.visitedAt)" }))
    #expect(Set(after.logins.map(\.password)) == Set(before.logins.map(\.password)))
    #expect(Set(after.cards.map(\.number)) == Set(before.cards.map(\.number)))
    let titles = { (records: CollectedRecords, root: RecordID) in
      records.bookmarks.filter { $0.parent == root && $0.kind != .separator && !$0.title.hasPrefix("Extensions") }
        .map { $0.title.replacingOccurrences(of: "\n", with: " ").replacingOccurrences(of: "\t", with: " ") }
    }
    for root in [RecordID.toolbar, .menu, .mobile] { #expect(titles(after, root) == titles(before, root)) }
    #expect(!after.bookmarks.contains { $0.title == "Bookmarks menu" })
  }

  @Test func `where the browser has made no reading list, that is a loss, and the rest arrives`() throws {
    let list = ReadingListItem(id: RecordID(high: 1, low: 1), title: "t", url: "https://read.test/", dateAdded: nil)
    let mark = Bookmark(
      id: RecordID(high: 1, low: 2), kind: .bookmark, parent: .toolbar, position: 0, title: "m", url: "https://m.test/")
    let profile = try UnpackedProfile("chromium-profile-new")
    try FileManager.default.removeItem(atPath: path(profile) + "/Sync Data")
    let report = try deliver(ListSource(bookmarks: [mark], readingList: [list]), profile)
    #expect(report.losses.contains { $0.type == .readingList && $0.field == "item" && $0.count == 1 })
    #expect(report[.bookmarks].added == 1 && report[.readingList].added == 0 && report[.readingList].skipped == 0)
  }

  @Test func `a second delivery changes no byte and is no entry of the journal`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    let profile = try UnpackedProfile("chromium-profile")
    _ = try deliver(source, profile)
    let before = try contents(profile)
    let report = try deliver(source, profile, "second")
    for type in DataType.stored { #expect(report[type].added == 0 && report[type].changed == 0) }
    #expect(try contents(profile) == before)
    #expect(try profile.store.journal().filter { $0.kind == .delivery }.count == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: profile.home.backups) == ["edit"])
  }

  @Test func `a delivery is taken back, by its files or record by record`() throws {
    let source = try UnpackedProfile.source("firefox-profile", in: folder)
    for hasRun in [false, true] {
      let profile = try UnpackedProfile("chromium-profile")
      let before = try records(profile)
      let untouched = try contents(profile)
      _ = try deliver(source, profile)
      if hasRun {
        let history = try Database(path: path(profile) + "/History", mode: .readWrite)
        try history.execute("UPDATE urls SET title = 'seen again' WHERE id = 1")
      }
      let entry = try #require(try profile.store.journal().last { $0.kind == .delivery })
      var undo = DeliveryUndo(entry, in: profile.store, through: try editor(profile, "undo"))
      let report = try undo.run()
      #expect(report[.history].changed > 100)
      if !hasRun {
        #expect(try contents(profile) == untouched)
        continue
      }
      let after = try records(profile)
      #expect(after.visits.map(\.visitedAt) == before.visits.map(\.visitedAt))
      #expect(after.logins.map(\.password) == before.logins.map(\.password))
      #expect(Set(after.cards.map(\.number)) == Set(before.cards.map(\.number)))
      #expect(after.bookmarks.map(\.title) == before.bookmarks.map(\.title))
    }
  }
}
