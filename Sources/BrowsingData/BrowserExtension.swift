/// An extension of a browser: proposed to the destination, never installed.
public struct BrowserExtension: Hashable, Sendable {
  public var id: RecordID
  public var name: String
  public var developer: String?
  /// Safari: `bundle.id (TEAMID)` as it stands; Firefox and Chromium: the extension's id.
  public var identifier: String
  public var storeIdentifier: String?
  /// `app-store`, `mac-app-store`, `amo` or `chrome-web-store`.
  public var store: String?
  public var version: String?
  public var enabled: Bool?
  public var homepage: String?
  public var iosExtensionBundleIdentifier: String?
  public var iosAppBundleIdentifier: String?
  public var macosExtensionBundleIdentifier: String?
  public var macosAppBundleIdentifier: String?
  public var profile: String?
  public var application: Application?
  public var unknown = UnknownFields()

  public init(id: RecordID, name: String, identifier: String) {
    self.id = id
    self.name = name
    self.identifier = identifier
  }
}
