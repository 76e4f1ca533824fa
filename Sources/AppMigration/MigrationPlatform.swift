/// The platform at one end of a migration.
public struct MigrationPlatform: RawRepresentable, Hashable, Codable, Sendable {
  /// Its name.
  public let rawValue: String
  /// With a name.
  public init(rawValue: String) { self.rawValue = rawValue }
  /// With a name.
  public init(_ rawValue: String) { self.init(rawValue: rawValue) }
  /// Android.
  public static let android = MigrationPlatform("android")
  /// Linux: the one that this library runs on.
  public static let linux = MigrationPlatform("linux")
}

/// An app on some platform.
public struct MigrationAppIdentifier: Hashable, Codable, Sendable {
  /// A store that offers apps.
  public struct StoreIdentifier: RawRepresentable, Hashable, Codable, Sendable {
    /// Its name.
    public let rawValue: String
    /// With a name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// With a name.
    public init(_ rawValue: String) { self.init(rawValue: rawValue) }
    /// Google Play.
    public static let googlePlay = StoreIdentifier("googlePlay")
    /// None: the app is named by itself.
    public static let none = StoreIdentifier("")
  }

  /// The store that the app comes from.
  public let storeIdentifier: StoreIdentifier
  /// The app's identifier within that store.
  public let bundleIdentifier: String
  /// Where it runs.
  public let platform: MigrationPlatform

  /// With everything.
  public init(storeIdentifier: StoreIdentifier, bundleIdentifier: String, platform: MigrationPlatform) {
    self.storeIdentifier = storeIdentifier
    self.bundleIdentifier = bundleIdentifier
    self.platform = platform
  }
}
