internal import BrowsingData

/// Chromium's times: microseconds since 1601, 0 for "never".
enum ChromiumTime {
  /// A time that a record may hold; nil for any other.
  static func time(_ webKit: Int64) -> Timestamp? {
    guard webKit != 0, let time = Timestamp(webKit: webKit), time.isPlausible else { return nil }
    return time
  }

  /// The same, written as a decimal string in JSON.
  static func time(_ value: JSONValue?) -> Timestamp? {
    guard let value else { return nil }
    return (value.string.flatMap { Int64($0) } ?? value.integer).flatMap { time($0) }
  }
}
