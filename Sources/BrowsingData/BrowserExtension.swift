/// An extension of a browser: proposed to the destination, never installed.
public struct BrowserExtension: Hashable, Sendable {
  /// Its id, given once.
  public var id: RecordID
  /// Its name.
  public var name: String
  /// Who made it.
  public var developer: String?
  /// Safari: `bundle.id (TEAMID)` as it stands; Firefox and Chromium: the extension's id.
  public var identifier: String
  /// Its number or id in the store.
  public var storeIdentifier: String?
  /// `app-store`, `mac-app-store`, `amo` or `chrome-web-store`.
  public var store: String?
  /// Its version, as the source writes it.
  public var version: String?
  /// Whether it is switched on; nil when unknown.
  public var enabled: Bool?
  /// Its web page.
  public var homepage: String?
  /// Safari's identifier of the extension on iOS.
  public var iosExtensionBundleIdentifier: String?
  /// Safari's identifier of its app on iOS.
  public var iosAppBundleIdentifier: String?
  /// Safari's identifier of the extension on macOS.
  public var macosExtensionBundleIdentifier: String?
  /// Safari's identifier of its app on macOS.
  public var macosAppBundleIdentifier: String?
  /// The source's profile; nil for its default one.
  public var profile: String?
  /// The program it came from.
  public var application: Application?
  /// Fields of a newer version, kept and given back.
  public var unknown = UnknownFields()

  /// With what cannot be absent; the rest is set afterwards.
  public init(id: RecordID, name: String, identifier: String) {
    self.id = id
    self.name = name
    self.identifier = identifier
  }
}
