import Synchronization

/// Something that happens once. From any thread.
final class Latch: Sendable {
  private let hasHappened = Mutex(false)

  /// Whether it has happened.
  var isSet: Bool { hasHappened.withLock { $0 } }

  /// It happens.
  func set() { hasHappened.withLock { $0 = true } }
}
