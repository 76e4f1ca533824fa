/// An extension of a browser. An importer suggests it to the person; it never installs it.
public final class BrowserDataExtension: BrowserData, @unchecked Sendable {
  // Reason for @unchecked: see BrowserData.

  /// Its name as a person knows it.
  public let displayName: String
  /// Who made it; empty when that is unknown.
  public let developerName: String
  /// What names it in its browser.
  public let identifier: String
  /// Its number or name in the store that offers it; nil when it is in none.
  public let storeIdentifier: String?

  /// With what BrowserKit knows of an extension.
  public init(
    displayName: String, developerName: String, identifier: String, storeIdentifier: String?,
    sourceApplicationBundleIdentifier: String? = nil, sourceApplicationLocalizedName: String? = nil
  ) {
    self.displayName = displayName
    self.developerName = developerName
    self.identifier = identifier
    self.storeIdentifier = storeIdentifier
    super.init(
      sourceApplicationBundleIdentifier: sourceApplicationBundleIdentifier,
      sourceApplicationLocalizedName: sourceApplicationLocalizedName)
  }

  override var fields: [AnyHashable] { super.fields + [displayName, developerName, identifier, storeIdentifier] }
}
