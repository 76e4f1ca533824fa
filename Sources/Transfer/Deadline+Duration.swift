import Channel

extension Deadline {
  /// So long from now.
  static func after(_ duration: Duration) -> Deadline { now.advanced(by: duration) }

  /// So much later.
  func advanced(by duration: Duration) -> Deadline {
    advanced(
      milliseconds: Int(duration.components.seconds) * 1_000
        + Int(duration.components.attoseconds / 1_000_000_000_000_000))
  }
}
