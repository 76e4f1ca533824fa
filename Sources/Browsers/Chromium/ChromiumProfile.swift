package import BrowsingData

/// A profile of Chromium or of a browser made from it.
package final class ChromiumProfile: BrowserProfile, ResumableHistory, MarkedSource {
  /// Which browser's it is.
  package let browser: Browser
  /// Its folder.
  package let path: String
  /// What its records carry as their profile; nil for the default one.
  package let label: String?
  private let temporary: String?
  private let keyringBus: String?
  private var keyringSecret: String?
  /// A copy of its history, made while the browser had it open.
  private var copy: ProfileDatabase?

  /// Opens a folder; throws `notFound` when it holds no profile of this kind. Copies are made in `temporary`, nil for
  /// the system's folder for that. The keyring is asked at the bus of this address, nil for the user's session.
  package init(
    path: String, browser: Browser = .chromium, label: String? = nil, temporary: String? = nil,
    keyringBus: String? = nil
  ) throws(ProfileError) {
    self.keyringBus = keyringBus
    guard ChromiumProfile.isProfile(path) else { throw .notFound(path) }
    self.path = path
    self.browser = browser
    self.label = label
    self.temporary = temporary
  }

  /// Whether a folder holds a profile of this kind: it has the preferences, and the visits or bookmarks.
  static func isProfile(_ path: String) -> Bool {
    let isThere = { ProfileFile.stamp(path + "/" + $0) != nil }
    return isThere("History") || isThere("Preferences") && (isThere("Bookmarks") || isThere("Login Data"))
  }

  /// What it can hold: everything.
  package var types: DataTypes { .all }

  /// Whether the browser has it open now.
  package var isOpen: Bool {
    ProfileLock.isChromiumOpen(ChromiumProfile.userData(of: path))
  }

  /// The user data folder that a profile belongs to, which the browser locks: the one it lies in, or, for Opera and for a
  /// profile that lies alone, itself.
  static func userData(of path: String) -> String {
    let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    let isLocked = { ChromiumLock.readLink($0 + "/SingletonLock") != nil }
    if ProfileFile.stamp(parent + "/Local State") != nil { return parent }
    return isLocked(parent) && !isLocked(path) ? parent : path
  }

  /// Gives the secret that the desktop's keyring keeps for the browser; throws `wrongPassword` when it opens nothing.
  package func unlock(password: String) throws(ProfileError) {
    if let sample = try ChromiumLogins.sample(folder),
      (try? ChromiumSecrets(keyringSecret: password).open(sample)) == nil
    {
      throw .wrongPassword
    }
    keyringSecret = password
  }

  private var folder: ProfileFolder { ProfileFolder(path: path, isOpen: isOpen, temporary: temporary) }

  private func secrets(_ folder: ProfileFolder) throws(ProfileError) -> ChromiumSecrets {
    try ChromiumKeyring.secrets(of: folder, browser, given: keyringSecret, bus: keyringBus)
  }

  /// How many records of each kind there are.
  package func counts() throws -> RecordCounts { try counts(of: types) }

  /// How many records of these kinds there are.
  package func counts(of types: DataTypes) throws -> RecordCounts {
    let folder = folder
    var counts = RecordCounts()
    if types.contains(.bookmarks) {
      counts[.bookmarks] = try ChromiumBookmarks.count(folder, secrets: secrets(folder))
    }
    if types.contains(.readingList) { counts[.readingList] = try ChromiumReadingList.items(folder).count }
    if types.contains(.extensions) { counts[.extensions] = try ChromiumExtensions.count(folder) }
    if types.contains(.passwords) { counts[.passwords] = try ChromiumLogins.count(folder) }
    if types.contains(.cards) { counts[.cards] = try ChromiumCards.count(folder) }
    if types.contains(.history), let history = try openHistory() {
      counts[.history] = try ChromiumHistory.count(history)
      try history.verify()
    }
    return counts
  }

  /// Hands over the visits that were added since.
  package func readHistory(
    since position: VisitPosition?, into consume: (RecordBatch) throws -> Void
  ) throws -> VisitPosition? {
    guard let history = try openHistory() else { return nil }
    let next = try ChromiumHistory.read(history, profile: label, since: position, into: consume)
    try history.verify()
    return next
  }

  private func openHistory() throws(ProfileError) -> ProfileDatabase? {
    if let copy, copy.isCurrentCopy { return copy }
    copy = nil
    let opened = try ChromiumSchema.open(ChromiumSchema.history, in: folder)
    if let opened, opened.isCurrentCopy { copy = opened }
    return opened
  }

  /// Hands over its records. Logins and cards that the keyring locks are remarks; the others come.
  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    let folder = folder
    let application = browser.application
    let isSecret = !types.isDisjoint(with: [.bookmarks, .passwords, .cards])
    let secrets = isSecret ? try secrets(folder) : ChromiumSecrets(keyringSecret: nil)
    if types.contains(.bookmarks) {
      var bookmarks = ChromiumBookmarks(secrets: secrets, profile: label, application: application)
      try bookmarks.read(folder, into: consume)
    }
    if types.contains(.readingList) {
      try ChromiumReadingList(profile: label, application: application).read(folder, into: consume)
    }
    if types.contains(.extensions) {
      try ChromiumExtensions(profile: label, application: application).read(folder, into: consume)
    }
    if types.contains(.passwords) {
      try ChromiumLogins(secrets: secrets, profile: label, application: application).read(folder, into: consume)
    }
    if types.contains(.cards) {
      try ChromiumCards(secrets: secrets, profile: label, application: application).read(folder, into: consume)
    }
    if types.contains(.history), let history = try openHistory() {
      try ChromiumHistory.read(history, profile: label, into: consume)
      try history.verify()
    }
  }
}
