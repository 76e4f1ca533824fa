/// The platform at one end of a migration.
public struct MigrationPlatform: Hashable, Codable, Sendable {
  /// Its name, in lower case.
  public let name: String
  /// With a name.
  public init(_ name: String) { self.name = name.lowercased() }
  /// Android.
  public static let android = MigrationPlatform("android")
  /// Linux: the one that this library runs on.
  public static let linux = MigrationPlatform("linux")
}

/// An app on some platform.
public struct MigrationAppIdentifier: Hashable, Codable, Sendable {
  /// A store that offers apps.
  public struct StoreIdentifier: Hashable, Codable, Sendable {
    /// Its name.
    public let name: String
    /// With a name.
    public init(_ name: String) { self.name = name }
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
