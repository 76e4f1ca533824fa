internal import BrowsingData

extension JSONValue {
  /// Milliseconds since 1970 as a time; nil for 0, Firefox's "never", and for what no record may hold.
  var time: Timestamp? {
    guard let milliseconds = integer, milliseconds != 0, let time = Timestamp(milliseconds: milliseconds),
      time.isPlausible
    else { return nil }
    return time
  }
}
