/// One piece of browsing data and the browser it came from: what an export yields and an import gives.
///
/// Its subclasses are ``BrowserDataBookmark``, ``BrowserDataHistoryVisit``, ``BrowserDataReadingListItem`` and
/// ``BrowserDataExtension``. An object of another subclass is skipped and counted (``TransferSummary/skipped``), so that a
/// newer program may yield what an older one does not know.
open class BrowserData: Hashable, @unchecked Sendable {
  // Reasons for @unchecked: 1. every stored property here and in the four subclasses is a constant of a Sendable type;
  // 2. a subclass elsewhere must state its own conformance.

  /// The source browser's identifier, such as `org.mozilla.firefox`; nil when it is not known. An export fills it in.
  public let sourceApplicationBundleIdentifier: String?
  /// The source browser's name as a person knows it; nil when it is not known. An export fills it in.
  public let sourceApplicationLocalizedName: String?

  /// With the source browser's identifier and name.
  public init(sourceApplicationBundleIdentifier: String? = nil, sourceApplicationLocalizedName: String? = nil) {
    self.sourceApplicationBundleIdentifier = sourceApplicationBundleIdentifier
    self.sourceApplicationLocalizedName = sourceApplicationLocalizedName
  }

  /// What makes two objects equal; a subclass adds its own to its superclass's.
  var fields: [AnyHashable] { [sourceApplicationBundleIdentifier, sourceApplicationLocalizedName] }

  /// Equal when they are of one class and hold the same.
  public static func == (left: BrowserData, right: BrowserData) -> Bool {
    type(of: left) == type(of: right) && left.fields == right.fields
  }

  /// Hashes all that it holds.
  public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
}
