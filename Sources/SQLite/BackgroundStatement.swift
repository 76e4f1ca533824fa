internal import Dispatch

/// Runs statements on a thread of its own, one at a time, while the caller makes ready what the next one reads. The
/// connection is the caller's again after `wait` or `finish`: nothing else of it may be used before.
package final class BackgroundStatement {
  private let queue = DispatchQueue(label: "wherry.statement")
  private var running: Run?
  private var failure: DatabaseError?

  /// Has nothing to do yet.
  package init() {}

  /// Runs it, rows unseen, once the one before has ended; throws the error of that one.
  package func start(_ statement: Statement) throws(DatabaseError) {
    try finish()
    let run = Run(statement)
    running = run
    queue.async { run.perform() }
  }

  /// Waits until the last one has ended; `finish` tells how.
  package func wait() {
    guard let run = running.take() else { return }
    queue.sync {}
    failure = run.failure
  }

  /// Waits until the last one has ended, and throws its error, once.
  package func finish() throws(DatabaseError) {
    wait()
    if let failure = failure.take() { throw failure }
  }

  // Reason for @unchecked: the caller touches it again only when the queue has done its work.
  private final class Run: @unchecked Sendable {
    private let statement: Statement
    private(set) var failure: DatabaseError?

    init(_ statement: Statement) { self.statement = statement }

    func perform() {
      do {
        try statement.run()
      } catch {
        failure = error
      }
    }
  }
}
