import Channel
import Foundation
import Store
import Wire

/// What a running sync has with one device: at most one session, and connections that wait to become it. From any thread.
final class DeviceLine: @unchecked Sendable {
  // Reason for @unchecked: every mutable property is used under the lock of `condition` only.

  /// The device.
  let id: PeerID
  private let ownID: PeerID
  private let condition = NSCondition()
  private var arrivals: [DeviceContact] = []
  private var current: Session?
  /// A connection was handed out and its session has not ended.
  private var isTaken = false
  private var isOver = false
  /// Before then nothing is dialed.
  private var rest = Deadline.now
  private var failure: TransferError?

  /// The session under way.
  struct Session {
    /// Whether this end dialed.
    var isDialed: Bool
    var answers: Mailbox<SyncWorker.Answer>
    var waker: Waker
  }

  init(_ id: PeerID, ownID: PeerID) {
    self.id = id
    self.ownID = ownID
  }

  /// Whether nothing more will happen.
  var hasEnded: Bool { condition.withLock { isOver } }
  /// Whether there is no connection.
  var isIdle: Bool { condition.withLock { !isTaken && arrivals.isEmpty } }
  /// Whether a connection waits behind the session.
  var hasArrival: Bool { condition.withLock { current != nil && !arrivals.isEmpty } }

  /// A connection is authenticated. When two devices dial each other at once, the connection of the one with the smaller
  /// key lives (protocol.md 3); otherwise the older one must prove that it lives.
  func arrive(_ contact: DeviceContact) {
    condition.lock()
    guard !isOver else {
      condition.unlock()
      return contact.link.close()
    }
    arrivals.append(contact)
    let session = current
    condition.broadcast()
    condition.unlock()
    guard let session else { return }
    if session.isDialed != contact.isDialed, isStronger(contact) { session.answers.post(.yield) }
    session.waker.wake()
  }

  /// Whether the connection was opened by the device with the smaller key.
  private func isStronger(_ contact: DeviceContact) -> Bool {
    let isSmaller = ownID.bytes.lexicographicallyPrecedes(id.bytes)
    return contact.isDialed == isSmaller
  }

  /// The connection for the next session; nil when the deadline has passed or nothing more will happen.
  func next(until deadline: Deadline) -> DeviceContact? {
    condition.withLock {
      while true {
        if isOver { return nil }
        if let strongest = arrivals.firstIndex(where: isStronger) ?? arrivals.indices.last {
          isTaken = true
          return arrivals.remove(at: strongest)
        }
        if deadline.hasPassed { return nil }
        _ = condition.wait(until: date(of: deadline))
      }
    }
  }

  /// Those that wait behind a session that lives are sent away.
  func refuseArrivals() {
    let refused: [DeviceContact] = condition.withLock {
      defer { arrivals = [] }
      return arrivals
    }
    for contact in refused {
      contact.link.send(.error(ErrorReport(.busy)))
      contact.link.close()
    }
  }

  /// The session on the connection that was handed out begins.
  func begin(_ session: Session) {
    let hasNews = condition.withLock {
      current = session
      return isOver || !arrivals.isEmpty
    }
    // What came between the handing out and this had nobody to wake.
    if hasNews { session.waker.wake() }
  }

  /// It has ended; the device is not dialed before so many milliseconds have passed.
  func finish(restingFor milliseconds: Int) {
    condition.withLock {
      current = nil
      isTaken = false
      rest = .after(milliseconds: milliseconds)
      condition.broadcast()
    }
  }

  /// The device cannot be reached, and nothing more is tried.
  func giveUp(_ error: TransferError) {
    condition.withLock { failure = error }
    end()
  }

  /// Why it was given up.
  var reason: TransferError? { condition.withLock { failure } }

  /// Tells the session, if there is one.
  func post(_ answer: SyncWorker.Answer) { condition.withLock { current }?.answers.post(answer) }

  /// Nothing more is to happen.
  func end() {
    let session = condition.withLock {
      isOver = true
      condition.broadcast()
      return current
    }
    session?.waker.wake()
    refuseArrivals()
  }

  /// There is news that may help: the device may be dialed at once.
  func nudge() {
    condition.withLock {
      rest = .now
      condition.broadcast()
    }
  }

  /// The device is not dialed before so many milliseconds have passed.
  func rest(milliseconds: Int) { condition.withLock { rest = .after(milliseconds: milliseconds) } }

  /// Waits until the device may be dialed: there is no session, and the rest is over. False when nothing more is to happen.
  func waitToDial() -> Bool {
    condition.withLock {
      while !isOver {
        if isTaken || !arrivals.isEmpty {
          condition.wait()
        } else if !rest.hasPassed {
          _ = condition.wait(until: date(of: rest))
        } else {
          return true
        }
      }
      return false
    }
  }

  /// In steps of at most a minute: the clock of a condition stands still while the machine sleeps.
  private func date(of deadline: Deadline) -> Date {
    Date(timeIntervalSinceNow: Double(min(deadline.millisecondsLeft, 60_000)) / 1_000 + 0.001)
  }
}
