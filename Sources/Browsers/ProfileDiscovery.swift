internal import Glibc

/// Finds the profiles of the browsers of one user. Looks only at names and at each browser's own list of profiles.
package struct ProfileDiscovery: Sendable {
  private let home: String
  private let configuration: String

  /// Below a home folder; `configuration` is XDG_CONFIG_HOME, nil for `.config` in the home folder.
  package init(home: String, configuration: String? = nil) {
    self.home = home
    self.configuration = configuration ?? home + "/.config"
  }

  /// Of the user who runs this program: HOME and XDG_CONFIG_HOME.
  package static func current() -> ProfileDiscovery {
    let home = getenv("HOME").map { String(cString: $0) } ?? ""
    let configuration = getenv("XDG_CONFIG_HOME").map { String(cString: $0) } ?? ""
    return ProfileDiscovery(home: home, configuration: configuration.isEmpty ? nil : configuration)
  }

  /// Every profile, browser by browser, each browser's default one first.
  package func profiles() -> [ProfileReference] { Browser.allCases.flatMap { profiles(of: $0) } }

  /// The profiles of one browser, the default one first.
  package func profiles(of browser: Browser) -> [ProfileReference] {
    var found: [ProfileReference] = []
    for folder in folders(of: browser) {
      switch browser.family {
      case .firefox: found += FirefoxProfileList(folder: folder, browser: browser).profiles()
      case .chromium: found += ChromiumProfileList(folder: folder, browser: browser).profiles()
      }
    }
    return ProfileDiscovery.settled(found)
  }

  /// What a word of the command line names: `firefox`, `firefox:NAME` (a profile's name or its folder's), or a path.
  /// Throws `notFound` when nothing is there.
  package func profile(_ source: String) throws(ProfileError) -> ProfileReference {
    let parts = source.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let browser = Browser(rawValue: parts[0]) else {
      guard let found = ProfileDiscovery.recognise(path: source) else { throw .notFound(source) }
      return found
    }
    let profiles = profiles(of: browser)
    let found =
      parts.count == 1
      ? profiles.first { $0.isDefault } ?? profiles.first
      : profiles.first { $0.name == parts[1] }
        ?? profiles.first { $0.title == parts[1] || ProfileDiscovery.lastName($0.path) == parts[1] }
    guard let found else { throw .notFound(source) }
    return found
  }

  /// The profile in a folder, recognised by what it holds; its name tells at most which
  /// browser of a family it is. nil when it is none. Records of a profile
  /// that is given by its path carry no profile.
  package static func recognise(path: String) -> ProfileReference? {
    var path = path
    while path.count > 1, path.hasSuffix("/") { path.removeLast() }
    if FirefoxProfile.isProfile(path) {
      let browser = FirefoxProfileList.browser(ofProfile: path)
      return ProfileReference(browser: browser, name: lastName(path), path: path, isDefault: true)
    }
    if ChromiumProfile.isProfile(path) {
      let browser = Browser.chromiumFamily(userData: ChromiumProfile.userData(of: path))
      return ProfileReference(browser: browser, name: lastName(path), path: path, isDefault: true)
    }
    // A user data folder holds profiles: the one that is opened unasked.
    let browser = Browser.chromiumFamily(userData: path)
    return ChromiumProfileList(folder: path, browser: browser).profiles().first { $0.isDefault }
  }

  private func folders(of browser: Browser) -> [String] {
    browser.folders.configuration.map { configuration + "/" + $0 } + browser.folders.home.map { home + "/" + $0 }
  }

  /// One default profile, the one that was used last when several installations have one; no name twice.
  private static func settled(_ found: [ProfileReference]) -> [ProfileReference] {
    var profiles = found
    let defaults = profiles.indices.filter { profiles[$0].isDefault }
    let newest = defaults.max { lastUse(profiles[$0]) < lastUse(profiles[$1]) }
    for index in defaults where index != newest { profiles[index].isDefault = false }
    for index in profiles.indices where found.count(where: { $0.name == found[index].name }) > 1 {
      profiles[index].name = lastName(profiles[index].path)
    }
    // Every Chromium calls its first profile the same, in whatever package it comes.
    let names = profiles.map(\.name)
    for index in profiles.indices where !profiles[index].isDefault && names.count(where: { $0 == names[index] }) > 1 {
      profiles[index].name += "@" + package(of: profiles[index].path)
    }
    return profiles.filter { $0.isDefault } + profiles.filter { !$0.isDefault }
  }

  /// In what kind of package the browser of a profile is, else the name of the folder that its profiles are in.
  private static func package(of path: String) -> String {
    if path.contains("/snap/") { return "snap" }
    if path.contains("/.var/app/") { return "flatpak" }
    return lastName(path.split(separator: "/").dropLast().joined(separator: "/"))
  }

  private static func lastUse(_ profile: ProfileReference) -> Int {
    let names =
      switch profile.browser.family {
      case .firefox: [PlacesSchema.file, PlacesSchema.file + "-wal"]
      case .chromium: ["History", "Preferences"]
      }
    return names.compactMap { ProfileFile.stamp(profile.path + "/" + $0)?.modified }.max() ?? 0
  }

  static func lastName(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
