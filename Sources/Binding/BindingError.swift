/// Why an attached profile is left alone.
package enum BindingError: Error, Equatable {
  /// More of its items are gone than a person would delete: the profile may have been wiped, or is a fresh one.
  case tooManyMissing(missing: Int, of: Int)
  /// Items of it have no id of their own.
  case noForeignIDs
}
