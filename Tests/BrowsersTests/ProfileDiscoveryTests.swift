import Browsers
import Foundation
import TestSupport
import Testing

@Suite struct ProfileDiscoveryTests {
  private let home = TemporaryDirectory()
  private var discovery: ProfileDiscovery { ProfileDiscovery(home: home.path) }

  private func write(_ text: String, _ name: String) throws {
    let path = home.file(name)
    let folder = (path as NSString).deletingLastPathComponent
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private let list = """
    [Install4F96D1932A9F858E]
    Default=used.default-esr
    Locked=1

    [Profile1]
    Name=default
    IsRelative=1
    Path=empty.default
    Default=1

    [Profile0]
    Name=default-esr
    IsRelative=1
    Path=used.default-esr

    [Profile2]
    Name=Wörk
    IsRelative=0
    Path=HOME/elsewhere

    [Profile3]
    Name=never started
    IsRelative=1
    Path=nothing
    """

  private func makeFirefox(_ root: String) throws {
    try write(list.replacingOccurrences(of: "HOME", with: home.path), root + "/profiles.ini")
    for folder in ["empty.default", "used.default-esr"] { try write("", "\(root)/\(folder)/places.sqlite") }
    try write("", "elsewhere/places.sqlite")
  }

  @Test func `a user without browsers has no profiles`() throws {
    #expect(discovery.profiles().isEmpty)
    #expect(throws: ProfileError.notFound("firefox")) { try discovery.profile("firefox") }
  }

  @Test(arguments: [
    ".config/mozilla/firefox", ".mozilla/firefox", "snap/firefox/common/.mozilla/firefox",
    ".var/app/org.mozilla.firefox/.mozilla/firefox",
  ])
  func `Firefox's default profile is the one its installation names`(root: String) throws {
    try makeFirefox(root)
    let profiles = discovery.profiles(of: .firefox)
    #expect(profiles.map(\.name) == ["default-esr", "default", "Wörk"])
    #expect(profiles.map(\.source) == ["firefox", "firefox:default", "firefox:Wörk"])
    #expect(profiles.map(\.isDefault) == [true, false, false])
    #expect(try discovery.profile("firefox").path == home.file(root + "/used.default-esr"))
    #expect(try discovery.profile("firefox:Wörk").path == home.file("elsewhere"))
    #expect(try discovery.profile("firefox:default-esr").isDefault)
    #expect(try discovery.profile("firefox:empty.default").name == "default")
    #expect(throws: ProfileError.notFound("firefox:never started")) { try discovery.profile("firefox:never started") }
  }

  @Test func `without an installation's word the marked profile is the default`() throws {
    let without = list.split(separator: "\n", omittingEmptySubsequences: false).dropFirst(4).joined(separator: "\n")
    try write(without, ".mozilla/firefox/profiles.ini")
    for folder in ["empty.default", "used.default-esr"] { try write("", ".mozilla/firefox/\(folder)/places.sqlite") }
    #expect(try discovery.profile("firefox").name == "default")
  }

  @Test func `of two installations the one used last has the default, and no name is there twice`() throws {
    try makeFirefox(".config/mozilla/firefox")
    try makeFirefox(".mozilla/firefox")
    let old = home.file(".config/mozilla/firefox/used.default-esr/places.sqlite")
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1_000)], ofItemAtPath: old)
    let profiles = discovery.profiles(of: .firefox)
    #expect(profiles.count { $0.isDefault } == 1)
    #expect(profiles[0].path == home.file(".mozilla/firefox/used.default-esr"))
  }

  @Test func `XDG_CONFIG_HOME moves the folder, and relatives of Firefox are found`() throws {
    try makeFirefox("elsewhere-configuration/mozilla/firefox")
    try makeFirefox(".librewolf")
    let discovery = ProfileDiscovery(home: home.path, configuration: home.file("elsewhere-configuration"))
    #expect(discovery.profiles(of: .firefox).count == 3)
    #expect(discovery.profiles().filter(\.isDefault).map(\.source) == ["firefox", "librewolf"])
  }

  @Test func `Chromium's profiles are those of its list`() throws {
    let fixture = try Fixture("chromium-profile")
    try FileManager.default.createDirectory(atPath: home.file(".config"), withIntermediateDirectories: true)
    try FileManager.default.moveItem(atPath: fixture.path, toPath: home.file(".config/chromium"))
    let profiles = discovery.profiles()
    #expect(profiles.map(\.source) == ["chromium", "chromium:Profile 1"])
    #expect(profiles.map(\.title) == ["Your Chromium", "Person 1"])
    #expect(try discovery.profile("chromium:Person 1").name == "Profile 1")
    #expect(try discovery.profile("chromium:Profile 1").open() is ChromiumProfile)
    #expect(throws: ProfileError.notFound("brave")) { try discovery.profile("brave") }
  }

  @Test func `profiles of one name in several packages of a browser each have a word of their own`() throws {
    let folders = [
      ".config/chromium", "snap/chromium/common/chromium", ".var/app/org.chromium.Chromium/config/chromium",
      ".config/google-chrome", ".config/google-chrome-beta",
    ]
    for (age, folder) in folders.enumerated() {
      try write("", "\(folder)/Default/History")
      try write("{}", "\(folder)/Default/Preferences")
      for file in ["History", "Preferences"] {
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_000_000 - Double(age))],
          ofItemAtPath: home.file("\(folder)/Default/\(file)"))
      }
    }
    let profiles = discovery.profiles()
    #expect(
      profiles.map(\.source) == [
        "chromium", "chromium:Default@snap", "chromium:Default@flatpak", "chrome", "chrome:Default@google-chrome-beta",
      ])
    for profile in profiles { #expect(try discovery.profile(profile.source).path == profile.path) }
  }

  @Test func `a folder is recognised by what it holds`() throws {
    let firefox = try Fixture("firefox-profile-new")
    let chromium = try Fixture("chromium-profile-new")
    #expect(try discovery.profile(firefox.path + "/").open() is FirefoxProfile)
    #expect(ProfileDiscovery.recognise(path: firefox.path)?.browser == .firefox)
    #expect(ProfileDiscovery.recognise(path: chromium.file("Default"))?.browser == .chromium)
    #expect(ProfileDiscovery.recognise(path: chromium.path)?.path == chromium.file("Default"))
    #expect(ProfileDiscovery.recognise(path: home.path) == nil)
    try FileManager.default.removeItem(atPath: chromium.file("Local State"))
    #expect(ProfileDiscovery.recognise(path: chromium.path)?.path == chromium.file("Default"))
    #expect(ProfileDiscovery.recognise(path: home.file("nothing")) == nil)
  }

  @Test(arguments: [
    ("google-chrome", Browser.chrome), ("BraveSoftware/Brave-Browser", .brave), ("vivaldi", .vivaldi),
    ("copied", .chromium), ("my-google-chrome", .chromium),
  ])
  func `a profile that is named by its path belongs to the browser whose folder it lies in`(
    folder: String, browser: Browser
  ) throws {
    try write("{}", "\(folder)/Local State")
    try write("", "\(folder)/Profile 2/History")
    #expect(try discovery.profile(home.file("\(folder)/Profile 2")).browser == browser)
  }

  @Test func `a profile that LibreWolf used last is LibreWolf's`() throws {
    let fixture = try Fixture("firefox-profile-new")
    try Data("[Compatibility]\nLastPlatformDir=/usr/share/librewolf\n".utf8)
      .write(to: URL(fileURLWithPath: fixture.file("compatibility.ini")))
    #expect(ProfileDiscovery.recognise(path: fixture.path)?.browser == .librewolf)
  }
}
