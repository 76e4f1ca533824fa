package import BrowsingData

/// A profile of a browser as a source of records. It is only read, through snapshots: nothing in its folder changes.
package protocol BrowserProfile: RecordSource {
  /// Which browser's it is.
  var browser: Browser { get }
  /// Its folder.
  var path: String { get }
  /// Whether the browser has it open now.
  var isOpen: Bool { get }
  /// Gives the primary password that opens its logins and cards; throws `wrongPassword` when it does not.
  func unlock(password: String) throws(ProfileError)
}
