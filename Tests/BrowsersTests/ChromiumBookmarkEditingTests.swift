import BrowsingData
import Browsers
import Foundation
import TestSupport
import Testing

@Suite struct ChromiumBookmarkEditingTests {
  let backups = TemporaryDirectory()

  private func edit<T>(
    _ fixture: Fixture, _ body: (ChromiumEditor) throws -> T
  ) throws -> (result: T, files: [ChangedFile]) {
    let options = EditorOptions(
      backups: backups.file("kept"), name: UUID().uuidString, now: Timestamp(microseconds: 1_800_000_000_000_000))
    let editor = try ChromiumEditor(path: fixture.file("Default"), options)
    return (try body(editor), try editor.commit())
  }

  private func bookmarks(_ fixture: Fixture) throws -> [Bookmark] {
    try CollectedRecords(ChromiumProfile(path: fixture.file("Default")), .bookmarks).bookmarks
  }

  private func document(_ fixture: Fixture, _ name: String = "Bookmarks") throws -> [String: Any] {
    let data = try Data(contentsOf: URL(fileURLWithPath: fixture.file("Default/" + name)))
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func bookmark(_ title: String, _ url: String? = nil) -> Bookmark {
    Bookmark(
      id: .other, kind: url == nil ? .folder : .bookmark, parent: .other, position: 0, title: title, url: url,
      dateAdded: Timestamp(microseconds: 1_700_000_000_123_456))
  }

  @Test func `the checksum is Chromium's, and all that it wrote is kept`() throws {
    let fixture = try Fixture("chromium-profile")
    let before = try document(fixture)
    let toolbar = try bookmarks(fixture).filter { $0.parent == .toolbar }
    let first = try #require(toolbar.first { $0.kind == .bookmark })
    // Moved away and back: nothing differs but the times of its folder.
    for folder in [HeldFolder.root(.mobile), .root(.toolbar)] {
      _ = try edit(fixture) { editor in
        var edits = BookmarkEdits()
        edits.moves = [try #require(first.guid): folder]
        edits.order[.root(.toolbar)] = toolbar.compactMap(\.guid)
        #expect(try editor.apply(edits).refused.isEmpty)
      }
    }
    let after = try document(fixture)
    #expect(after["checksum"] as? String == before["checksum"] as? String)
    #expect(after.keys.sorted() == before.keys.filter { $0 != "sync_metadata" }.sorted())
    #expect(try bookmarks(fixture).map(\.title) == bookmarks(Fixture("chromium-profile")).map(\.title))
    let roots = try #require(after["roots"] as? [String: [String: Any]])
    let node = try #require((roots["bookmark_bar"]?["children"] as? [[String: Any]])?.first)
    #expect(node["meta_info"] != nil)
  }

  @Test func `the former file stays beside the new one, and the encrypted copy goes`() throws {
    let fixture = try Fixture("chromium-profile")
    let before = try document(fixture)
    let (_, files) = try edit(fixture) { editor in
      var edits = BookmarkEdits()
      edits.insertions = [
        .init(Held("11111111-2222-4333-8444-555555555555", bookmark("new", "https://new.test/")), into: .root(.other))
      ]
      _ = try editor.apply(edits)
    }
    #expect(try document(fixture, "Bookmarks.bak")["checksum"] as? String == before["checksum"] as? String)
    #expect(!FileManager.default.fileExists(atPath: fixture.file("Default/EncryptedBookmarks2")))
    #expect(files.first { $0.name == "EncryptedBookmarks2" }?.state == nil)
    let mode = try FileManager.default.attributesOfItem(atPath: fixture.file("Default/Bookmarks"))[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test func `the menu is a folder in Other that is known again`() throws {
    let fixture = try Fixture("chromium-profile-new")
    let ids = ["11111111-2222-4333-8444-555555555555", "11111111-2222-4333-8444-666666666666"]
    for id in ids {
      _ = try edit(fixture) { editor in
        var edits = BookmarkEdits()
        edits.insertions = [.init(Held(id, bookmark(id, "https://\(id).test/")), into: .root(.menu))]
        #expect(try editor.apply(edits).refused.isEmpty)
        guard case .held(_, let losses) = editor.fit(menuBookmark, depth: 1) else { throw CancellationError() }
        #expect(losses.map(\.field) == ["parent"])
      }
    }
    let found = try bookmarks(fixture)
    #expect(found.map(\.parent) == [.menu, .menu])
    #expect(found.map(\.guid) == ids)
    let roots = try #require(try document(fixture)["roots"] as? [String: [String: Any]])
    let other = try #require(roots["other"]?["children"] as? [[String: Any]])
    #expect(other.map { $0["name"] as? String } == ["Bookmarks menu"])
    #expect(try ChromiumProfile(path: fixture.file("Default")).counts()[.bookmarks] == 2)
    for id in ids {
      #expect(try bookmarks(fixture).contains { $0.guid == id })
      _ = try edit(fixture) { editor in
        var edits = BookmarkEdits()
        edits.removals = [id]
        let refused = try editor.apply(edits).refused
        #expect(refused.isEmpty)
      }
    }
    let emptied = try #require(try document(fixture)["roots"] as? [String: [String: Any]])
    #expect((emptied["other"]?["children"] as? [Any])?.isEmpty == true)
  }

  private var menuBookmark: Bookmark {
    Bookmark(
      id: RecordID(high: 9, low: 9), kind: .bookmark, parent: .menu, position: 0, title: "m", url: "https://m.test/")
  }

  @Test func `items change, move, go and are ordered`() throws {
    let fixture = try Fixture("chromium-profile")
    let before = try bookmarks(fixture)
    let toolbar = before.filter { $0.parent == .toolbar }
    let folder = try #require(toolbar.first { $0.kind == .folder })
    let leaf = try #require(toolbar.first { $0.kind == .bookmark })
    _ = try edit(fixture) { editor in
      var edits = BookmarkEdits()
      var changed = leaf
      (changed.title, changed.url) = ("other title", "https://other.test/")
      edits.updates = [Held(try #require(leaf.guid), changed)]
      edits.removals = Set(toolbar.filter { $0.id != leaf.id && $0.id != folder.id }.compactMap(\.guid))
      edits.moves = [try #require(folder.guid): .root(.other)]
      edits.order[.root(.other)] = [try #require(folder.guid)]
      #expect(try editor.apply(edits).refused.isEmpty)
    }
    let after = try bookmarks(fixture)
    #expect(after.filter { $0.parent == .toolbar }.map(\.title) == ["other title"])
    #expect(after.filter { $0.parent == .toolbar }.map(\.url) == ["https://other.test/"])
    #expect(after.first { $0.parent == .other }?.guid == folder.guid)
    #expect(after.filter { $0.parent == folder.id }.count == before.filter { $0.parent == folder.id }.count)
  }

  @Test func `what cannot be is refused item by item`() throws {
    let fixture = try Fixture("chromium-profile")
    let folder = try #require(try bookmarks(fixture).first { $0.kind == .folder }?.guid)
    let (result, files) = try edit(fixture) { editor in
      var edits = BookmarkEdits()
      edits.insertions = [
        .init(Held("11111111-2222-4333-8444-555555555555", bookmark("a", "https://a.test/")), into: .item("nowhere")),
        .init(Held(folder, bookmark("b", "https://b.test/")), into: .root(.other)),
      ]
      edits.moves = [folder: .item(folder)]
      edits.updates = [Held("gone", bookmark("c", "https://c.test/"))]
      edits.removals = ["gone too"]
      return try editor.apply(edits)
    }
    #expect(Set(result.refused.keys) == ["11111111-2222-4333-8444-555555555555", folder, "gone"])
    #expect(files.isEmpty)
  }

  @Test func `folders nested deeper than Chromium keeps are said before and left out`() throws {
    let fixture = try Fixture("chromium-profile-new")
    _ = try edit(fixture) { editor in
      #expect(editor.fit(bookmark("f"), depth: 94) == .held(bookmark("f"), losses: []))
      guard case .lost(let loss) = editor.fit(bookmark("f"), depth: 95) else { throw CancellationError() }
      #expect(loss.field == "parent")
      var edits = BookmarkEdits()
      var parent = HeldFolder.root(.other)
      for depth in 1...96 {
        let id = String(format: "11111111-2222-4333-8444-%012d", depth)
        edits.insertions.append(.init(Held(id, bookmark("\(depth)")), into: parent))
        parent = .item(id)
      }
      #expect(try editor.apply(edits).refused.count == 2)
    }
    #expect(try bookmarks(fixture).count == 94)
  }

  @Test func `a file that Chromium would not read is refused by name`() throws {
    for text in [
      #"{"version": 2, "roots": {}}"#,
      #"{"version": 1, "roots": {"bookmark_bar": {"type": "folder", "children": []}}}"#,
    ] {
      let fixture = try Fixture("chromium-profile-new")
      try Data(text.utf8).write(to: URL(fileURLWithPath: fixture.file("Default/Bookmarks")))
      #expect {
        try edit(fixture) { try $0.heldBookmarks() }
      } throws: { error in
        guard case .unsupportedSchema("Bookmarks", _, _)? = error as? ProfileError else { return false }
        return true
      }
    }
  }

  @Test func `an account's bookmarks are there, and are edited in their own file`() throws {
    let fixture = try Fixture("chromium-profile")
    let folder = "11111111-2222-4333-8444-555555555555"
    let root = { (name: String, children: String) in
      #""\#(name)": {"type": "folder", "id": "1", "name": "r", "guid": "", "children": [\#(children)]}"#
    }
    let account = """
      {"version": 1, "roots": {\(root("bookmark_bar", #"{"type": "folder", "id": "9", "name": "mine", "guid": "\#(folder)", "children": []}"#)),
      \(root("other", "")), \(root("synced", ""))}}
      """
    try Data(account.utf8).write(to: URL(fileURLWithPath: fixture.file("Default/AccountBookmarks")))
    let (held, files) = try edit(fixture) { editor in
      let held = try editor.heldBookmarks()
      var edits = BookmarkEdits()
      edits.insertions = [
        .init(Held("11111111-2222-4333-8444-666666666666", bookmark("in it", "https://in.test/")), into: .item(folder))
      ]
      _ = try editor.apply(edits)
      return held
    }
    #expect(held.contains { $0.foreignID == folder && $0.item.parent == .toolbar && $0.item.position == 6 })
    #expect(Set(files.map(\.name)) == ["AccountBookmarks", "AccountBookmarks.bak"])
    #expect(try bookmarks(fixture).contains { $0.title == "in it" })
  }
}
