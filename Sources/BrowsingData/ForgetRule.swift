/// A deletion of history: visits that match one are removed and never taken again. Rules are only added, never changed
/// or removed, so that all devices end equal whatever the order.
public struct ForgetRule: Hashable, Sendable {
  /// Which pages it is about. The raw value is the wire's and the file's number.
  public enum Scope: UInt8, Sendable, Hashable, CaseIterable {
    /// All pages.
    case all = 0
    /// The pages of a host, in lower case, without port.
    case host = 1
    /// One address, exactly.
    case url = 2
  }

  /// Which pages.
  public var scope: Scope
  /// The host or address; empty for all.
  public var text: String
  /// From this time on, in microseconds.
  public var from: Int64
  /// Before this time, in microseconds.
  public var to: Int64

  /// From its parts.
  public init(_ scope: Scope, _ text: String = "", from: Int64, to: Int64) {
    self.scope = scope
    self.text = text
    self.from = from
    self.to = to
  }
}

/// A rule as it stands in a change log.
public struct LoggedForgetRule: Hashable, Sendable {
  /// Its place in the sender's change log.
  public var sequence: Int64
  /// The rule.
  public var rule: ForgetRule

  /// From its two parts.
  public init(sequence: Int64, rule: ForgetRule) {
    self.sequence = sequence
    self.rule = rule
  }
}
