/// Tells what a person deletes from what happens to a profile (sync.md 4.6).
enum MassDeletionGuard {
  /// So few may always go.
  private static let few = 20

  /// Throws when so many of the items that were known are gone that it must be asked about, or when nothing is left.
  static func check(missing: Int, of known: Int, left: Int) throws(BindingError) {
    guard missing > max(few, known / 4) || left == 0 && known > 0 else { return }
    throw .tooManyMissing(missing: missing, of: known)
  }
}
