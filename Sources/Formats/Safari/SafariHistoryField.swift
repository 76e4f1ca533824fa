/// The keys of an entry of a history.
enum SafariHistoryField: Int, CaseIterable {
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

  /// The field of a key; `unknown` for any other key.
  static func of(_ scanner: inout JSONScanner, _ key: JSONScanner.Text) -> SafariHistoryField {
    allCases.first { $0 != .unknown && scanner.isEqual(key, $0.name) } ?? .unknown
  }
}
