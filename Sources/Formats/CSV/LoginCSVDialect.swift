/// The dialects of password tables that are written.
package enum LoginCSVDialect: Hashable, Sendable, CaseIterable {
  /// Safari and Apple Passwords: title, notes and one-time passwords.
  case safari
  /// Firefox: realm, form and times, everything quoted.
  case firefox
  /// Chrome and its relatives.
  case chromium

  /// The first row, with its line end.
  var header: StaticString {
    switch self {
    case .safari: "Title,URL,Username,Password,Notes,OTPAuth\r\n"
    case .firefox:
      """
      "url","username","password","httpRealm","formActionOrigin","guid","timeCreated","timeLastUsed","timePasswordChanged"
      """
    case .chromium: "name,url,username,password,note\n"
    }
  }

  /// Fields that have no column.
  var missing: Set<String> {
    switch self {
    case .safari:
      [
        "urls", "http_realm", "form_action", "date_created", "date_last_used", "date_password_changed", "times_used",
        "profile",
      ]
    case .firefox: ["title", "notes", "otpauth", "urls", "times_used", "profile"]
    case .chromium:
      [
        "otpauth", "urls", "http_realm", "form_action", "date_created", "date_last_used", "date_password_changed",
        "times_used", "profile",
      ]
    }
  }

  /// Why they are lost.
  var reason: String {
    switch self {
    case .safari: "Safari's password file has no column for it"
    case .firefox: "Firefox's password file has no column for it"
    case .chromium: "Chromium's password file has no column for it"
    }
  }
}
