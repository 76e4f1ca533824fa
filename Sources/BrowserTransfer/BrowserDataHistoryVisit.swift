public import Foundation

/// A visit of a page, or several of which only the last one's date and their number are known.
public final class BrowserDataHistoryVisit: BrowserData, @unchecked Sendable {
  // Reason for @unchecked: see BrowserData.

  /// The page.
  public let url: URL
  /// The exact text of its address, where ``url`` cannot hold it as the source wrote it.
  public let address: String
  /// When it was visited last. Wherry keeps microseconds.
  public let dateOfLastVisit: Date
  /// Its title; nil when there is none.
  public let title: String?
  /// Whether it loaded without errors.
  public let loadedSuccessfully: Bool
  /// Whether it was asked for by GET.
  public let httpGet: Bool
  /// The page that redirected here; nil when none did.
  public let redirectSourceURL: URL?
  /// When that page was visited.
  public let redirectSourceDateOfVisit: Date?
  /// The page that this one redirected to; nil when it did not.
  public let redirectDestinationURL: URL?
  /// When that page was visited.
  public let redirectDestinationDateOfVisit: Date?
  /// How many visits it stands for, at least 1.
  public let visitCount: Int

  /// With what BrowserKit knows of a visit. A redirect needs both its address and its date.
  public init(
    url: URL, dateOfLastVisit: Date, title: String?, loadedSuccessfully: Bool, httpGet: Bool, redirectSourceURL: URL?,
    redirectSourceDateOfVisit: Date?, redirectDestinationURL: URL?, redirectDestinationDateOfVisit: Date?,
    visitCount: Int, sourceApplicationBundleIdentifier: String? = nil, sourceApplicationLocalizedName: String? = nil
  ) {
    self.url = url
    self.dateOfLastVisit = dateOfLastVisit
    self.title = title
    self.loadedSuccessfully = loadedSuccessfully
    self.httpGet = httpGet
    self.redirectSourceURL = redirectSourceURL
    self.redirectSourceDateOfVisit = redirectSourceDateOfVisit
    self.redirectDestinationURL = redirectDestinationURL
    self.redirectDestinationDateOfVisit = redirectDestinationDateOfVisit
    self.visitCount = visitCount
    address = url.absoluteString
    super.init(
      sourceApplicationBundleIdentifier: sourceApplicationBundleIdentifier,
      sourceApplicationLocalizedName: sourceApplicationLocalizedName)
  }

  /// The same, with `URL` for `url`.
  public convenience init(
    URL url: URL, dateOfLastVisit: Date, title: String?, loadedSuccessfully: Bool, httpGet: Bool,
    redirectSourceURL: URL?, redirectSourceDateOfVisit: Date?, redirectDestinationURL: URL?,
    redirectDestinationDateOfVisit: Date?, visitCount: Int
  ) {
    self.init(
      url: url, dateOfLastVisit: dateOfLastVisit, title: title, loadedSuccessfully: loadedSuccessfully,
      httpGet: httpGet, redirectSourceURL: redirectSourceURL, redirectSourceDateOfVisit: redirectSourceDateOfVisit,
      redirectDestinationURL: redirectDestinationURL, redirectDestinationDateOfVisit: redirectDestinationDateOfVisit,
      visitCount: visitCount)
  }

  /// A neighbour in a chain of redirects.
  struct Hop {
    var url: URL
    var date: Date
  }

  init(
    address: Address, date: Date, title: String?, loaded: Bool, httpGet: Bool, from: Hop?, to: Hop?, count: Int,
    source: Source
  ) {
    url = address.url
    self.address = address.text
    dateOfLastVisit = date
    self.title = title
    loadedSuccessfully = loaded
    self.httpGet = httpGet
    redirectSourceURL = from?.url
    redirectSourceDateOfVisit = from?.date
    redirectDestinationURL = to?.url
    redirectDestinationDateOfVisit = to?.date
    visitCount = count
    super.init(sourceApplicationBundleIdentifier: source.identifier, sourceApplicationLocalizedName: source.name)
  }

  override var fields: [AnyHashable] {
    super.fields + [
      url, address, dateOfLastVisit, title, loadedSuccessfully, httpGet, redirectSourceURL, redirectSourceDateOfVisit,
      redirectDestinationURL, redirectDestinationDateOfVisit, visitCount,
    ]
  }
}
