import Dispatch

/// Where blocking work of a session runs, one piece after another.
protocol WorkQueue: Sendable {
  /// Runs `work` after everything that was given before.
  func run(_ work: @escaping @Sendable () -> Void)
  /// Waits until everything given so far is done.
  func finish()
}

/// A thread of its own.
struct ThreadQueue: WorkQueue {
  private let queue: DispatchQueue

  init(_ name: String) { queue = DispatchQueue(label: name, qos: .userInitiated) }

  func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
  func finish() { queue.sync {} }
}

/// At once, on the caller's thread: whole sessions in one thread, for tests that cut at every byte.
struct ImmediateQueue: WorkQueue {
  func run(_ work: @escaping @Sendable () -> Void) { work() }
  func finish() {}
}
