import BrowsingData
import Browsers
import Foundation
import SQLite
import TestSupport
import Testing

@Suite struct ChromiumCrashTests {
  private struct Crash: Error {}

  @Test func `an end at any step leaves whole files, and the next delivery ends what was begun`() throws {
    let backups = TemporaryDirectory()
    let source = try Fixture("chromium-profile")
    var steps = 0
    var isComplete = false
    var step = 0
    while !isComplete {
      let target = try Fixture("chromium-profile-new")
      // The other plan: into a profile that has bookmarks with their encrypted copy.
      if step % 2 == 1 {
        try FileManager.default.copyItem(
          atPath: source.file("Profile 1/Bookmarks"), toPath: target.file("Default/Bookmarks"))
      }
      let editor = try ChromiumEditor(
        path: target.file("Default"),
        EditorOptions(
          backups: backups.file("kept"), name: "\(step)", now: Timestamp(microseconds: 1_800_000_000_000_000)))
      var count = 0
      editor.interrupt { _ in
        count += 1
        steps = max(steps, count)
        if count == step / 2 + 1 { throw Crash() }
      }
      _ = try PlainDelivery(ChromiumProfile(path: source.file("Default")), into: editor)
      do {
        _ = try editor.commit()
        isComplete = step % 2 == 1
      } catch is Crash {}
      try expectSound(target)
      let records = try CollectedRecords(ChromiumProfile(path: target.file("Default")))
      #expect(Set([0, 9]).contains(records.logins.count))
      #expect(Set([0, 54]).contains(records.visits.count))
      #expect(Set([0, 3]).contains(records.cards.count))
      #expect(Set([0, 1, 39, 40]).contains(records.bookmarks.count))
      step += 1
    }
    #expect(steps >= 5)
  }

  private func expectSound(_ target: Fixture) throws {
    for name in ["History", "Login Data", "Web Data"] {
      let database = try Database(path: target.file("Default/\(name)"), mode: .readOnly)
      #expect(try database.text("PRAGMA integrity_check") == "ok")
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: target.file("Default"))
    #expect(!names.contains { $0.contains("wherry") })
    guard let data = FileManager.default.contents(atPath: target.file("Default/Bookmarks")) else { return }
    #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: data) }
  }
}
