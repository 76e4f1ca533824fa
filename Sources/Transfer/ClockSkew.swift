import Wire

/// Two clocks that differ: nothing is lost by it, but it is worth a word.
enum ClockSkew {
  /// What to say when the peer's clock is so many seconds ahead; nil when it is near enough.
  static func warning(_ seconds: Int64) -> String? {
    let skew = seconds.magnitude
    guard skew > UInt64(Limits.clockSkew.warning.components.seconds) else { return nil }
    let isLoud = skew > UInt64(Limits.clockSkew.loud.components.seconds)
    return "\(isLoud ? "The clocks differ by days" : "The clocks differ") (\(skew) seconds). "
      + "Nothing is lost by it, but set them right."
  }
}
