internal import Synchronization

/// A value that one side gives once and others await.
final class Promise<Value: Sendable>: Sendable {
  private enum State {
    case open([CheckedContinuation<Value, any Error>])
    case kept(Result<Value, any Error>)
  }
  private let state = Mutex(State.open([]))

  /// Gives it; a second time changes nothing.
  func keep(_ result: Result<Value, any Error>) {
    let waiting: [CheckedContinuation<Value, any Error>] = state.withLock { state in
      guard case .open(let waiting) = state else { return [] }
      state = .kept(result)
      return waiting
    }
    for continuation in waiting { continuation.resume(with: result) }
  }

  /// Waits for it. Whoever may be cancelled sees to it that it is kept then.
  func value() async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      let result: Result<Value, any Error>? = state.withLock { state in
        switch state {
        case .open(let waiting):
          state = .open(waiting + [continuation])
          return nil
        case .kept(let result): return result
        }
      }
      if let result { continuation.resume(with: result) }
    }
  }
}
