internal import BrowsingData

/// The dates of bookmark HTML: nominally seconds since 1970, in fact four units that only the size of the number tells apart.
enum NetscapeDate {
  /// What an attribute says.
  enum Reading: Hashable {
    case time(Timestamp)
    /// 0, negative or no number: the file does not say.
    case unknown
    /// A number that is no time in any unit.
    case implausible
  }

  /// 2100-01-01: what is later is a mistake of the program that wrote it.
  private static let end: Int64 = 4_102_444_800_000_000

  /// Reads the digits at the front of a range.
  static func read(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Reading {
    var value: Int64 = 0
    for index in bytes.trimmed(range) {
      let byte = bytes[index]
      guard isDigit(byte) else { break }
      if value >= 300_000_000_000_000_000 { return .implausible }
      value = value * 10 + Int64(byte - 48)
    }
    let time: Timestamp? =
      switch value {
      case ...0: nil
      case ..<100_000_000_000: Timestamp(seconds: value)
      case ..<100_000_000_000_000: Timestamp(milliseconds: value)
      case ..<10_000_000_000_000_000: Timestamp(microseconds: value)
      case ..<300_000_000_000_000_000: Timestamp(webKit: value)
      default: nil
      }
    guard let time, time.microseconds > 0, time.microseconds < end else { return value > 0 ? .implausible : .unknown }
    return .time(time)
  }
}
