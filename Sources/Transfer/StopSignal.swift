import Foundation

/// The person's wish to end the program here and now; what is open stays open and can be resumed. From any thread.
package final class StopSignal: @unchecked Sendable {
  // Reason for @unchecked: every stored property is used under the lock of `condition` only.
  private let condition = NSCondition()
  private var isSet = false
  private var isForGood = false
  private var listeners: [@Sendable () -> Void] = []

  /// Not wished yet.
  package init() {}

  /// Whether it is wished.
  package var isStopped: Bool { condition.withLock { isSet } }

  /// Whether the transfer itself is to end: the other side is told, and nothing can be resumed.
  package var isCancelled: Bool { condition.withLock { isForGood } }

  /// Wishes it. May be called again.
  package func stop() { wish(forGood: false) }

  /// Wishes that the transfer ends on both sides. May be called again.
  package func cancel() { wish(forGood: true) }

  private func wish(forGood: Bool) {
    let toCall: [@Sendable () -> Void] = condition.withLock {
      isSet = true
      if forGood { isForGood = true }
      condition.broadcast()
      return listeners
    }
    for listener in toCall { listener() }
  }

  /// Calls `listener` when it is wished, or at once.
  func listen(_ listener: @escaping @Sendable () -> Void) {
    let isLate = condition.withLock {
      listeners.append(listener)
      return isSet
    }
    if isLate { listener() }
  }

  /// Waits so long, or until it is wished; whether it is.
  package func wait(milliseconds: Int) -> Bool {
    let end = Date(timeIntervalSinceNow: Double(milliseconds) / 1_000)
    return condition.withLock {
      while !isSet, condition.wait(until: end) {}
      return isSet
    }
  }
}
