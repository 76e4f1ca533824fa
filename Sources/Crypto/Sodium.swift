internal import CSodium

/// libsodium, started once before its first use.
enum Sodium {
  private static let isStarted = sodium_init() >= 0

  /// To be called before anything of libsodium that needs its random source or its choice of CPU features.
  @inline(__always)
  static func start() {
    precondition(isStarted, "libsodium does not start")
  }
}
