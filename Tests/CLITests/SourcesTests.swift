import Foundation
import TestSupport
import Testing

@Suite struct SourcesTests {
  private let folder = TemporaryDirectory()

  @Test func `a Chromium profile is shown with the name that its owner gave it, which names it, too`() throws {
    let user = folder.file("user")
    try FileManager.default.createDirectory(atPath: user + "/.config", withIntermediateDirectories: true)
    let chromium = user + "/.config/chromium"
    try unpackProfile("chromium-profile-new", to: chromium, through: folder.file("unpacked"))
    try FileManager.default.copyItem(atPath: chromium + "/Default", toPath: chromium + "/Profile 7")
    try #"{"profile":{"info_cache":{"Default":{"name":"Privat"},"Profile 7":{"name":"Arbeit ü"}}}}"#
      .write(toFile: chromium + "/Local State", atomically: true, encoding: .utf8)
    let wherry = Wherry(home: folder.file("home"), environment: ["HOME": user])
    let found = try wherry.run("sources", "--json").events("source")
    #expect(found.map { $0["source"] as? String } == ["chromium", "chromium:Profile 7"])
    #expect(found.map { $0["profile"] as? String } == ["Default", "Profile 7"])
    #expect(found.map { $0["title"] as? String } == ["Privat", "Arbeit ü"])
    #expect(try wherry.run("sources").output.contains("Chromium, Profile 7 ‘Arbeit ü’"))
    #expect(try wherry.run("list", "bookmarks", "--from", "chromium:Arbeit ü", "--json").exit == 0)
  }
}
