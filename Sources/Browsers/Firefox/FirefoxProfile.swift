package import BrowsingData

/// A profile of Firefox or of a browser made from it.
package final class FirefoxProfile: BrowserProfile, ResumableHistory, MarkedSource {
  /// Which browser's it is.
  package let browser: Browser
  /// Its folder.
  package let path: String
  /// What its records carry as their profile; nil for the default one.
  package let label: String?
  private let temporary: String?
  private var password: String?
  /// A copy of its database, made while the browser had it open.
  private var copy: ProfileDatabase?

  /// Opens a folder; throws `notFound` when it holds no profile of this kind. Copies are made in `temporary`, nil for
  /// the system's folder for that.
  package init(
    path: String, browser: Browser = .firefox, label: String? = nil, temporary: String? = nil
  ) throws(ProfileError) {
    guard FirefoxProfile.isProfile(path) else { throw .notFound(path) }
    self.path = path
    self.browser = browser
    self.label = label
    self.temporary = temporary
  }

  /// Whether a folder holds a profile of this kind: it has Firefox's database of pages.
  static func isProfile(_ path: String) -> Bool { ProfileFile.stamp(path + "/" + PlacesSchema.file) != nil }

  /// What it can hold. Firefox has no reading list.
  package var types: DataTypes { [.bookmarks, .extensions, .passwords, .cards, .history] }

  /// Whether the browser has it open now.
  package var isOpen: Bool { ProfileLock.isFirefoxOpen(path) }

  private var folder: ProfileFolder { ProfileFolder(path: path, isOpen: isOpen, temporary: temporary) }

  /// Gives the primary password that opens its logins and cards; throws `wrongPassword` when it does not.
  package func unlock(password: String) throws(ProfileError) {
    _ = try FirefoxKeys(profile: folder, password: password)
    self.password = password
  }

  /// How many records of each kind there are; nothing is decrypted.
  package func counts() throws -> RecordCounts { try counts(of: types) }

  /// How many records of these kinds there are.
  package func counts(of types: DataTypes) throws -> RecordCounts {
    let places = try openPlaces()
    var counts = RecordCounts()
    if types.contains(.bookmarks) { counts[.bookmarks] = try PlacesBookmarks.count(places) }
    if types.contains(.history) { counts[.history] = try PlacesHistory.count(places) }
    if types.contains(.extensions) { counts[.extensions] = try FirefoxExtensions.count(path) }
    if types.contains(.passwords) { counts[.passwords] = try FirefoxLogins.count(path) }
    if types.contains(.cards) { counts[.cards] = try FirefoxCards.count(path) }
    try places.verify()
    return counts
  }

  /// Hands over its records. Secrets are opened first of all, so that a missing password stops it before anything came.
  package func read(_ types: DataTypes, into consume: (RecordBatch) throws -> Void) throws {
    let keys = try secretKeys(for: types)
    let application = browser.application
    var places: ProfileDatabase?
    if types.contains(.bookmarks) || types.contains(.history) {
      places = try openPlaces()
    }
    if types.contains(.bookmarks), let places {
      var bookmarks = try PlacesBookmarks(places, profile: label, application: application)
      try bookmarks.read(into: consume)
    }
    if types.contains(.extensions) {
      try FirefoxExtensions(profile: label, application: application).read(path, into: consume)
    }
    if types.contains(.passwords), let keys {
      try FirefoxLogins(keys: keys, profile: label, application: application).read(path, into: consume)
    }
    if types.contains(.cards), let keys {
      try FirefoxCards(keys: keys, profile: label, application: application).read(path, into: consume)
    }
    if types.contains(.history), let places {
      try PlacesHistory.read(places, profile: label, into: consume)
    }
    try places?.verify()
  }

  /// Hands over the visits that were added since.
  package func readHistory(
    since position: VisitPosition?, into consume: (RecordBatch) throws -> Void
  ) throws -> VisitPosition? {
    let places = try openPlaces()
    let next = try PlacesHistory.read(places, profile: label, since: position, into: consume)
    try places.verify()
    return next
  }

  func openPlaces() throws(ProfileError) -> ProfileDatabase {
    if let copy, copy.isCurrentCopy { return copy }
    copy = nil
    let opened = try PlacesSchema.open(in: folder)
    if opened.isCurrentCopy { copy = opened }
    return opened
  }

  /// nil when no secrets are asked for, or there are none.
  private func secretKeys(for types: DataTypes) throws(ProfileError) -> FirefoxKeys? {
    let logins = types.contains(.passwords) ? try FirefoxLogins.count(path) : 0
    let cards = types.contains(.cards) ? try FirefoxCards.count(path) : 0
    guard logins + cards > 0 else { return nil }
    // A copy without its keys: each of them is then a remark.
    guard ProfileFile.stamp(path + "/" + FirefoxKeys.file) != nil else { return FirefoxKeys() }
    return try FirefoxKeys(profile: folder, password: password)
  }
}
