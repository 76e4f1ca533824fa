import BrowsingData
import Foundation

/// How far a capture is: shared by the thread that captures and the one that reads what was captured.
final class CaptureState: @unchecked Sendable {
  // Reason for @unchecked: every stored property is used under the lock of `condition` only.
  private enum Phase {
    case idle
    case running
    case complete
    case failed(TransferError)
  }

  private let condition = NSCondition()
  private var phase = Phase.idle
  private var commits = 0
  private var read = 0
  private var isAbandoned = false
  private var outcome: ApplyReport?

  /// The capture begins; false when it runs or is complete already.
  func begin() -> Bool {
    condition.withLock {
      switch phase {
      case .running, .complete: return false
      case .idle, .failed:
        phase = .running
        return true
      }
    }
  }

  /// Something more is committed.
  func advance() { change { commits += 1 } }
  /// Everything is captured, or nothing needs to be; what the capture skipped or warned of.
  func complete(_ report: ApplyReport? = nil) {
    change {
      outcome = report
      phase = .complete
    }
  }
  /// The source failed.
  func fail(_ error: TransferError) { change { phase = .failed(error) } }
  /// The session ends: the capture stops at its next batch, waiting readers come back.
  func abandon() { change { isAbandoned = true } }

  /// Everything that was committed at `mark` has been read to be sent.
  func caughtUp(with mark: Int) { change { read = max(read, mark) } }

  /// Waits while more than so many batches are captured that nobody has read, or until the session ends.
  func waitForReader(behind limit: Int) {
    condition.withLock {
      while commits - read > limit, !isAbandoned { condition.wait() }
    }
  }

  private func change(_ body: () -> Void) {
    condition.withLock {
      body()
      condition.broadcast()
    }
  }

  /// Whether the session has ended.
  var isOver: Bool { condition.withLock { isAbandoned } }
  /// What has been committed so far, to be given to `waitForMore`.
  var mark: Int { condition.withLock { commits } }

  /// Whether everything is captured.
  var isComplete: Bool {
    condition.withLock {
      if case .complete = phase { return true }
      return false
    }
  }

  /// What the capture skipped or warned of; nil when it is not complete, or was so before.
  var report: ApplyReport? { condition.withLock { outcome } }

  /// Why the capture failed.
  var failure: TransferError? {
    condition.withLock {
      if case .failed(let error) = phase { return error }
      return nil
    }
  }

  /// Waits until more is committed than at `mark`, or the capture is over, or the session ends. `alsoElsewhere`: something
  /// else than the capture advances it, too.
  func waitForMore(than mark: Int, alsoElsewhere: Bool) {
    condition.withLock {
      while commits == mark, !isAbandoned {
        if !alsoElsewhere { guard case .running = phase else { return } }
        condition.wait()
      }
    }
  }
}
