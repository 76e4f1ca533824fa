package import BrowsingData

extension ProfileReference {
  /// Opens it to be changed. Throws `inUse` when the browser runs, `unsupportedSchema` when its files are of a version
  /// that is not known, `neverStarted` when the browser has not made them yet.
  package func openEditor(_ options: EditorOptions) throws(ProfileError) -> any ProfileEditor {
    switch browser.family {
    case .firefox: return try FirefoxEditor(path: path, browser: browser, options)
    case .chromium: return try ChromiumEditor(path: path, browser: browser, label: isDefault ? nil : name, options)
    }
  }
}
