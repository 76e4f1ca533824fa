/// One visit of a page; from a source that knows only the last visit and a count, `visitCount` is above 1.
public struct HistoryVisit: Hashable, Sendable {
  /// How the page was reached. The raw value is the store's and the wire's number; 0 is kept for "unknown".
  public enum Transition: UInt8, Sendable, Hashable, CaseIterable {
    /// By following a link.
    case link = 1
    /// By typing its address.
    case typed = 2
    /// By a bookmark.
    case bookmark = 3
    /// As a part of another page, loaded with it.
    case embed = 4
    /// By a redirect that is to be remembered.
    case redirectPermanent = 5
    /// By a redirect for this once.
    case redirectTemporary = 6
    /// As a file that was downloaded.
    case download = 7
    /// By following a link inside a frame.
    case framedLink = 8
    /// By loading it again, or when a session was restored.
    case reload = 9
    /// By sending a form.
    case formSubmit = 10
    /// By choosing a suggestion that is no address.
    case generated = 11
    /// By a keyword of a search.
    case keyword = 12
    /// As a browser's first page.
    case startPage = 13
    /// In a way that none of these names.
    case other = 14

    /// The word of `--json`.
    public var name: String {
      switch self {
      case .link: "link"
      case .typed: "typed"
      case .bookmark: "bookmark"
      case .embed: "embed"
      case .redirectPermanent: "redirect_permanent"
      case .redirectTemporary: "redirect_temporary"
      case .download: "download"
      case .framedLink: "framed_link"
      case .reload: "reload"
      case .formSubmit: "form_submit"
      case .generated: "generated"
      case .keyword: "keyword"
      case .startPage: "start_page"
      case .other: "other"
      }
    }
  }

  /// A neighbour of a visit: a page and the time it was visited.
  public struct Link: Hashable, Sendable {
    /// The exact string of the source.
    public var url: String
    /// When it was visited.
    public var visitedAt: Timestamp
    /// With what cannot be absent; the rest is set afterwards.
    @inlinable public init(url: String, visitedAt: Timestamp) {
      self.url = url
      self.visitedAt = visitedAt
    }
  }

  /// The exact string of the source.
  public var url: String
  /// The page's title; nil when unknown.
  public var title: String?
  /// When it was visited.
  public var visitedAt: Timestamp
  /// How many visits this record stands for, at least 1.
  public var visitCount: Int
  /// How the page was reached; nil when unknown.
  public var transition: Transition?
  /// Whether the page loaded.
  public var loaded: Bool
  /// Whether it was fetched by GET.
  public var httpGet: Bool
  /// The visit that redirected to this one.
  public var redirectSource: Link?
  /// The visit this one redirected to.
  public var redirectDestination: Link?
  /// The page whose link was followed.
  public var referrer: Link?
  /// Whether browsers leave it out of their lists.
  public var hidden: Bool
  /// Counts, in the source's order, visits with the same address, time and profile.
  public var occurrence: Int
  /// The source's profile; nil for its default one.
  public var profile: String?
  /// Fields of a newer version, kept and given back.
  public var unknown = UnknownFields()

  /// With what cannot be absent; the rest is set afterwards. Readers of long histories call it for each visit.
  @inlinable public init(
    url: String, title: String? = nil, visitedAt: Timestamp, visitCount: Int = 1, transition: Transition? = nil,
    loaded: Bool = true, httpGet: Bool = true, redirectSource: Link? = nil, redirectDestination: Link? = nil,
    referrer: Link? = nil, hidden: Bool = false, occurrence: Int = 0, profile: String? = nil
  ) {
    self.url = url
    self.title = title
    self.visitedAt = visitedAt
    self.visitCount = visitCount
    self.transition = transition
    self.loaded = loaded
    self.httpGet = httpGet
    self.redirectSource = redirectSource
    self.redirectDestination = redirectDestination
    self.referrer = referrer
    self.hidden = hidden
    self.occurrence = occurrence
    self.profile = profile
  }
}
