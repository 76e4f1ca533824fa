/// Visits that name their pages by number (`PageBatch`). A source sends every page before a visit that names it.
public struct VisitBatch: Hashable, Sendable {
  /// Facts of a visit that are true or false.
  public struct Flags: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt8
    /// From its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The page did not load.
    public static let loadFailed = Flags(rawValue: 1)
    /// It was not fetched by GET.
    public static let notGet = Flags(rawValue: 2)
    /// Whether browsers leave it out of their lists.
    public static let hidden = Flags(rawValue: 4)
    /// `link` is the source of a redirect, not a referrer.
    public static let linkIsRedirect = Flags(rawValue: 8)
  }

  /// One visit.
  public struct Visit: Hashable, Sendable {
    /// The page's number.
    public var page: Int64
    /// Microseconds since 1970.
    public var time: Int64
    /// The page of the redirect source or referrer, 0 when there is none.
    public var linkPage: Int64 = 0
    /// `time` minus the time of that visit.
    public var linkDelta: Int64 = 0
    /// Its place in the sender's change log; 0 where there is none.
    public var sequence: Int64 = 0
    /// Its former place in the change log when it is sent again, else 0.
    public var was: Int64 = 0
    /// Index into `profiles`, 0 = the default profile.
    public var profile: Int32 = 0
    /// Counts visits with the same page, time and profile.
    public var occurrence: Int32 = 0
    /// Index into `attributes`, -1 = none.
    public var attributes: Int32 = -1
    /// `HistoryVisit.Transition`, 0 = unknown.
    public var transition: UInt8 = 0
    /// What is true or false of it.
    public var flags: Flags = []

    /// With what cannot be absent; the rest is set afterwards.
    public init(page: Int64, time: Int64) {
      self.page = page
      self.time = time
    }
  }

  /// What few visits have.
  public struct Attributes: Hashable, Sendable {
    /// How many visits it stands for.
    public var visitCount: Int64 = 1
    /// A redirect destination that no visit's source names.
    public var destination: HistoryVisit.Link?
    /// A referrer beside a redirect source.
    public var referrer: HistoryVisit.Link?
    /// Fields of a newer version, kept and given back.
    public var unknown = UnknownFields()
    /// An empty one.
    public init() {}
    /// Whether it says nothing.
    public var isEmpty: Bool { visitCount == 1 && destination == nil && referrer == nil && unknown.isEmpty }

    /// With what number the server answered when the page did not load, 400 to 999; nil when that is not known. It is
    /// kept among the fields that a version without it keeps and gives back.
    public var answer: Int? {
      get {
        guard let field = unknown.fields.first(where: { $0.number == Attributes.answerNumber }) else { return nil }
        guard field.value.count == 2, field.value[0] >= 128, field.value[1] < 128 else { return nil }
        let answer = Int(field.value[0] & 127) | Int(field.value[1]) << 7
        return (400...999).contains(answer) ? answer : nil
      }
      set {
        var fields = unknown.fields.filter { $0.number != Attributes.answerNumber }
        if let newValue, (400...999).contains(newValue) {
          let value = [UInt8(newValue & 127 | 128), UInt8(newValue >> 7)]
          fields.append(UnknownFields.Field(number: Attributes.answerNumber, value: value))
        }
        unknown = UnknownFields(fields)
      }
    }

    private static let answerNumber: UInt64 = 9
  }

  /// The visits, in the order of the source.
  public var visits: [Visit] = []
  /// What few visits have; named by index.
  public var attributes: [Attributes] = []
  /// Names of profiles; index 0 is always the default one, "".
  public var profiles: [String] = [""]
  /// An empty one.
  public init() {}
}
