/// What a profile's passwords and cards are locked with.
package enum SecretLock: Equatable, Sendable {
  /// Firefox's primary password, which was not given.
  case primaryPassword
  /// A secret of the desktop's keyring; why it does not open them, in words.
  case keyring(String)
}
