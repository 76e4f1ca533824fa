/// The keyring of the desktop, in which browsers made from Chromium keep the secret of their logins and cards.
package enum DesktopKeyring {
  /// Whether one answers now. Nothing is started for it.
  package static var isRunning: Bool { Keyring.isRunning }
}
