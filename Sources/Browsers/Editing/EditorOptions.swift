package import BrowsingData

/// How a profile is opened to be edited.
package struct EditorOptions: Sendable {
  /// The folder that former contents of changed files are kept below; made when it is needed.
  package var backups: String
  /// A name for this edit: that of its folder below `backups`.
  package var name: String
  /// The wall clock.
  package var now: Timestamp
  /// Works on copies and changes nothing; the browser may have the profile open.
  package var isDryRun = false
  /// The primary password; nil when none is set or known.
  package var password: String?
  /// Called after each step, so that a test can end everything there.
  package var step: (@Sendable (EditorStep) throws -> Void)?

  /// With what cannot be absent.
  package init(backups: String, name: String, now: Timestamp) {
    self.backups = backups
    self.name = name
    self.now = now
  }
}

/// What an editor has done so far; a crash after any of them leaves a profile that the browser opens.
package enum EditorStep: String, CaseIterable, Sendable {
  /// The profile is taken.
  case locked
  /// The former databases are kept.
  case keptDatabase
  /// Bookmarks are written, not committed.
  case insertedBookmarks
  /// Visits are written, not committed.
  case insertedVisits
  /// The former files are kept.
  case keptFiles
  /// The key database is written.
  case wroteKeys
  /// The databases are committed.
  case wroteDatabase
  /// The logins are written.
  case wroteLogins
  /// The cards are written.
  case wroteCards
}
