public import Foundation

/// A bookmark or a folder of bookmarks. The tree is in ``parentIdentifier``, the order in that of the stream.
public final class BrowserDataBookmark: BrowserData, @unchecked Sendable {
  // Reason for @unchecked: see BrowserData.

  /// Whether it is a folder.
  public let isFolder: Bool
  /// Its title.
  public let title: String
  /// What names it within its source. An imported folder named `toolbar`, `menu` or `mobile` stands for that root; an
  /// exported top-level folder of such a name becomes it.
  public let identifier: String
  /// Where it points; nil for a folder.
  public let url: URL?
  /// The exact text of the address, where ``url`` cannot hold it as the source wrote it; nil for a folder.
  public let address: String?
  /// The folder that holds it; nil at the top level. An import gives a folder before what it holds.
  public let parentIdentifier: String?

  /// With what BrowserKit knows of a bookmark.
  public init(
    isFolder: Bool, title: String, identifier: String, url: URL?, parentIdentifier: String?,
    sourceApplicationBundleIdentifier: String? = nil, sourceApplicationLocalizedName: String? = nil
  ) {
    self.isFolder = isFolder
    self.title = title
    self.identifier = identifier
    self.url = url
    self.parentIdentifier = parentIdentifier
    address = url?.absoluteString
    super.init(
      sourceApplicationBundleIdentifier: sourceApplicationBundleIdentifier,
      sourceApplicationLocalizedName: sourceApplicationLocalizedName)
  }

  /// The same, with `asFolder` for `isFolder`.
  public convenience init(asFolder: Bool, title: String, identifier: String, url: URL?, parentIdentifier: String?) {
    self.init(
      isFolder: asFolder, title: title, identifier: identifier, url: url, parentIdentifier: parentIdentifier)
  }

  init(
    isFolder: Bool, title: String, identifier: String, address: Address?, parentIdentifier: String?, source: Source
  ) {
    self.isFolder = isFolder
    self.title = title
    self.identifier = identifier
    self.parentIdentifier = parentIdentifier
    url = address?.url
    self.address = address?.text
    super.init(sourceApplicationBundleIdentifier: source.identifier, sourceApplicationLocalizedName: source.name)
  }

  override var fields: [AnyHashable] { super.fields + [isFolder, title, identifier, url, address, parentIdentifier] }
}
