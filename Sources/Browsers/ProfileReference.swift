/// A profile that was found: where it is and what it is called.
package struct ProfileReference: Hashable, Sendable {
  /// Which browser's it is.
  package var browser: Browser
  /// Its name on the command line. Chromium's is the folder's, which never changes; records carry it.
  package var name: String
  /// What its owner calls it.
  package var title: String
  /// Its folder.
  package var path: String
  /// Whether it is the one that the browser opens unasked. Its records carry no profile.
  package var isDefault: Bool

  /// With what cannot be absent.
  package init(browser: Browser, name: String, title: String? = nil, path: String, isDefault: Bool) {
    self.browser = browser
    self.name = name
    self.title = title ?? name
    self.path = path
    self.isDefault = isDefault
  }

  /// What the command line calls it: `firefox`, or `firefox:NAME` for one that is not the default.
  package var source: String { isDefault ? browser.word : "\(browser.word):\(name)" }

  /// Opens it for reading.
  package func open() throws(ProfileError) -> any BrowserProfile {
    let label = isDefault ? nil : name
    switch browser.family {
    case .firefox: return try FirefoxProfile(path: path, browser: browser, label: label)
    case .chromium: return try ChromiumProfile(path: path, browser: browser, label: label)
    }
  }
}
