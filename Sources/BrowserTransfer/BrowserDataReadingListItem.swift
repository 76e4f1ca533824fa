public import Foundation

/// A page kept to be read later.
public final class BrowserDataReadingListItem: BrowserData, @unchecked Sendable {
  // Reason for @unchecked: see BrowserData.

  /// Its title.
  public let title: String
  /// The page.
  public let url: URL
  /// The exact text of its address, where ``url`` cannot hold it as the source wrote it.
  public let address: String
  /// When it was visited last; nil when it was not, or that is unknown.
  public let dateOfLastVisit: Date?

  /// With what BrowserKit knows of an item.
  public init(
    title: String, url: URL, dateOfLastVisit: Date?, sourceApplicationBundleIdentifier: String? = nil,
    sourceApplicationLocalizedName: String? = nil
  ) {
    self.title = title
    self.url = url
    self.dateOfLastVisit = dateOfLastVisit
    address = url.absoluteString
    super.init(
      sourceApplicationBundleIdentifier: sourceApplicationBundleIdentifier,
      sourceApplicationLocalizedName: sourceApplicationLocalizedName)
  }

  init(title: String, address: Address, dateOfLastVisit: Date?, source: Source) {
    self.title = title
    url = address.url
    self.address = address.text
    self.dateOfLastVisit = dateOfLastVisit
    super.init(sourceApplicationBundleIdentifier: source.identifier, sourceApplicationLocalizedName: source.name)
  }

  override var fields: [AnyHashable] { super.fields + [title, url, address, dateOfLastVisit] }
}
