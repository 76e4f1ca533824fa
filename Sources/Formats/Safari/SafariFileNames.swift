import BrowsingData
@_spi(_Unicode) import Swift

/// The names of the members of a Safari export. They are localized: only the profile's name and the ending tell something.
enum SafariFileNames {
  private static let separator = " - "

  /// The profile that a member belongs to: what stands between the first " - " and the extension, in composed letters
  /// (macOS writes decomposed ones); nil for the default profile.
  static func profile(ofMember name: String) -> String? {
    let last = name.split { $0 == "/" || $0 == "\\" }.last ?? ""
    let stem = last.lastIndex(of: ".").map { last[..<$0] } ?? last
    guard let start = index(after: separator, in: stem) else { return nil }
    let profile = composed(String(stem[start...]))
    return profile.isEmpty ? nil : profile
  }

  /// What a member that cannot be looked into would hold, by its ending; nil where that does not say it (JSON).
  static func type(ofMember name: String) -> DataType? {
    let name = name.lowercased()
    if name.hasSuffix(".html") || name.hasSuffix(".htm") { return .bookmarks }
    return name.hasSuffix(".csv") ? .passwords : nil
  }

  /// The name of a member for one profile; nil is the default one. Characters that a file name cannot hold become "_".
  static func member(_ stem: String, profile: String?, suffix: String) -> String {
    guard let profile, !profile.isEmpty else { return "\(stem).\(suffix)" }
    return "\(stem)\(separator)\(fileName(of: profile)).\(suffix)"
  }

  /// Whether a profile comes back with its name from the member written for it.
  static func keeps(profile: String) -> Bool {
    SafariFileNames.profile(ofMember: member("History", profile: profile, suffix: "json")) == profile
  }

  private static func fileName(of profile: String) -> String {
    String(
      String.UnicodeScalarView(
        profile.unicodeScalars.map { scalar in
          scalar == "/" || scalar == "\\" || scalar.properties.generalCategory == .control ? "_" : scalar
        }))
  }

  private static func index(after separator: String, in text: Substring) -> Substring.Index? {
    var rest = text
    while !rest.isEmpty {
      if rest.hasPrefix(separator) { return rest.index(rest.startIndex, offsetBy: separator.count) }
      rest = rest.dropFirst()
    }
    return nil
  }

  /// Text in normalization form C.
  static func composed(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text._nfc { scalars.append(scalar) }
    return String(scalars)
  }
}
