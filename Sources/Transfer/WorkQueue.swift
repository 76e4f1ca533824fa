import Dispatch
import Foundation

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

  init(_ name: String) { queue = DispatchQueue(label: name) }

  func run(_ work: @escaping @Sendable () -> Void) { queue.async(execute: work) }
  func finish() { queue.sync {} }
}

/// A thread of its own that gives way to the program's others: what need not be done first.
struct BackgroundThreadQueue: WorkQueue {
  private let name: String
  private let group = DispatchGroup()
  private let order = DispatchQueue(label: "wherry.background")

  init(_ name: String) { self.name = name }

  func run(_ work: @escaping @Sendable () -> Void) {
    group.enter()
    let thread = Thread { [group, order] in
      // On Linux these speak of the calling thread alone. A little is enough, and were it refused, nothing is lost.
      let thread = __priority_which_t(UInt32(PRIO_PROCESS.rawValue))
      setpriority(thread, 0, getpriority(thread, 0) + 6)
      order.sync(execute: work)
      group.leave()
    }
    thread.name = name
    thread.start()
  }

  func finish() { group.wait() }
}

/// At once, on the caller's thread: whole sessions in one thread, for tests that cut at every byte.
struct ImmediateQueue: WorkQueue {
  func run(_ work: @escaping @Sendable () -> Void) { work() }
  func finish() {}
}
