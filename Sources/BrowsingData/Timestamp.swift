/// A time as records hold it: microseconds since 1970-01-01 UTC. Never passes through a floating-point number.
public struct Timestamp: Hashable, Comparable, Sendable {
  /// Microseconds since 1970-01-01 UTC.
  public var microseconds: Int64
  /// From microseconds since 1970.
  public init(microseconds: Int64) { self.microseconds = microseconds }

  /// From seconds since 1970; nil when it does not fit.
  public init?(seconds: Int64) { self.init(seconds, times: 1_000_000) }
  /// From milliseconds since 1970; nil when it does not fit.
  public init?(milliseconds: Int64) { self.init(milliseconds, times: 1_000) }
  /// From microseconds since 1601-01-01 (Chromium); nil when it does not fit.
  public init?(webKit: Int64) {
    let (value, overflow) = webKit.subtractingReportingOverflow(Timestamp.webKitOffset)
    if overflow { return nil }
    self.init(microseconds: value)
  }
  private init?(_ value: Int64, times factor: Int64) {
    let (product, overflow) = value.multipliedReportingOverflow(by: factor)
    if overflow { return nil }
    self.init(microseconds: product)
  }

  /// Microseconds between 1601-01-01 and 1970-01-01.
  public static let webKitOffset: Int64 = 11_644_473_600_000_000
  /// 2200-01-01: the first time that no record may have.
  public static let end = Timestamp(microseconds: 7_258_118_400_000_000)

  /// Microseconds since 1601-01-01, as Chromium's stores hold it.
  public var webKit: Int64 { microseconds &+ Timestamp.webKitOffset }
  /// Whether a record may hold it: from 1970-01-01 up to, not including, 2200-01-01.
  public var isPlausible: Bool { microseconds >= 0 && microseconds < Timestamp.end.microseconds }

  /// Whether it comes before the other.
  public static func < (left: Timestamp, right: Timestamp) -> Bool { left.microseconds < right.microseconds }
}
