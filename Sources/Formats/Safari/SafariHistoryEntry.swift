import BrowsingData

/// One entry of `history` as it stands in the file; its texts are usable until the scanner's `endEntry`.
struct SafariHistoryEntry {
  private var isObject: Bool
  var url: JSONScanner.Text?
  var title: JSONScanner.Text?
  var time: Int64 = 0
  var count: Int64?
  var otherCount: Int64?
  var source: Hop?
  var destination: Hop?
  var loadFailed = false
  var httpGet = true
  /// How many optional fields were of the wrong type, or stood without their other half.
  var oddFields = 0

  /// A neighbour in a redirect chain.
  struct Hop {
    var url: JSONScanner.Text
    var time: Int64
  }

  /// `visit_count` is what Safari writes, `visits_count` what Apple documents. At least 1.
  var visitCount: Int {
    let number = count ?? otherCount ?? 1
    return Int(max(1, number))
  }

  /// Reads one value of the array, whatever it is; `problem` says whether it is a visit.
  @inline(__always)
  init(_ scanner: inout JSONScanner, _ shape: inout JSONShape) throws(FormatError) {
    isObject = try scanner.kind() == .object
    guard isObject else {
      try scanner.skipValue()
      return
    }
    var sourceURL: JSONScanner.Text?
    var sourceTime: Int64 = 0
    var destinationURL: JSONScanner.Text?
    var destinationTime: Int64 = 0
    try scanner.enterObject()
    var previous = 0
    while let number = try scanner.nextMember(after: previous, &shape, number: Field.number) {
      previous = number
      switch Field(rawValue: number) {
      case .url: url = try text(&scanner)
      case .title: title = try text(&scanner)
      case .time: time = try number64(&scanner) ?? 0
      case .visitCount: count = try number64(&scanner)
      case .visitsCount: otherCount = try number64(&scanner)
      case .sourceURL: sourceURL = try text(&scanner)
      case .sourceTime: sourceTime = try number64(&scanner) ?? 0
      case .destinationURL: destinationURL = try text(&scanner)
      case .destinationTime: destinationTime = try number64(&scanner) ?? 0
      case .loadFailure: loadFailed = try flag(&scanner) ?? false
      case .httpGet: httpGet = try flag(&scanner) ?? true
      case .unknown, nil: try scanner.skipValue()
      }
    }
    source = hop(sourceURL, sourceTime)
    destination = hop(destinationURL, destinationTime)
  }

  /// Why it is no visit; nil when it is one.
  var problem: String? {
    if !isObject { return "is no object" }
    if url == nil { return "has no address" }
    if time == 0 { return "has no time" }
    return Timestamp(microseconds: time).isPlausible ? nil : "has a time before 1970 or after 2199"
  }

  /// A text; "" counts as absent.
  @inline(__always)
  private mutating func text(_ scanner: inout JSONScanner) throws(FormatError) -> JSONScanner.Text? {
    guard try scanner.isAtText() else { return try odd(&scanner) }
    let text = try scanner.text()
    return text.isEmpty ? nil : text
  }

  @inline(__always)
  private mutating func number64(_ scanner: inout JSONScanner) throws(FormatError) -> Int64? {
    guard try scanner.isAtNumber() else { return try odd(&scanner) }
    return try scanner.integer()
  }

  private mutating func flag(_ scanner: inout JSONScanner) throws(FormatError) -> Bool? {
    guard try scanner.kind() == .bool else { return try odd(&scanner) }
    return try scanner.bool()
  }

  /// Passes over a value of the wrong type; `null` is simply absent.
  private mutating func odd<T>(_ scanner: inout JSONScanner) throws(FormatError) -> T? {
    if try scanner.kind() != .null { oddFields &+= 1 }
    try scanner.skipValue()
    return nil
  }

  private mutating func hop(_ url: JSONScanner.Text?, _ time: Int64) -> Hop? {
    guard let url, time != 0 else {
      if url != nil || time != 0 { oddFields &+= 1 }
      return nil
    }
    return Hop(url: url, time: time)
  }
}

extension SafariHistoryEntry {
  /// A memory of what stands between the values of entries.
  static func shape() -> JSONShape { JSONShape(count: Field.allCases.count + 1) }
}

/// The keys of an entry.
private enum Field: Int, CaseIterable {
  case unknown = 1
  case url
  case title
  case time
  case sourceURL
  case visitCount
  case visitsCount
  case destinationURL
  case sourceTime
  case destinationTime
  case httpGet
  case loadFailure

  private var name: StaticString {
    switch self {
    case .unknown: ""
    case .url: "url"
    case .title: "title"
    case .time: "time_usec"
    case .sourceURL: "source_url"
    case .visitCount: "visit_count"
    case .visitsCount: "visits_count"
    case .destinationURL: "destination_url"
    case .sourceTime: "source_time_usec"
    case .destinationTime: "destination_time_usec"
    case .httpGet: "latest_visit_was_http_get"
    case .loadFailure: "latest_visit_was_load_failure"
    }
  }

  /// The number of a key; that of `unknown` for any other key.
  static func number(_ scanner: inout JSONScanner, _ key: JSONScanner.Text) -> Int {
    let field = allCases.first { $0 != .unknown && scanner.isEqual(key, $0.name) } ?? .unknown
    return field.rawValue
  }
}
