/// A profile that is kept from its browser until the last reference goes: whoever starts the browser meanwhile is told that
/// it is running already. For a short change of files that no editor knows.
package final class ProfileHold {
  private enum Lock {
    case firefox(HeldFirefoxLock)
    case chromium(ChromiumLock)
  }
  private let lock: Lock

  /// Takes it; throws `inUse` when the browser has it open.
  package init(of profile: ProfileReference) throws(ProfileError) {
    switch profile.browser.family {
    case .firefox: lock = .firefox(try HeldFirefoxLock(profile.path))
    case .chromium: lock = .chromium(try ChromiumLock(ChromiumProfile.userData(of: profile.path)))
    }
  }
}
