package import BrowsingData

/// What the two ends of a sync may say and hear on one connection, both directions at once (protocol.md 6). Pure: no I/O,
/// clock or randomness.
///
/// The store keeps both cursors of each log; the machine keeps the order of what is said and asked: one load at a time,
/// batches and words of the peer in the order in which they came, and the window.
package struct SyncStateMachine: Equatable, Sendable {
  /// What is true now.
  package enum State: Equatable, Sendable {
    /// Nothing has been said on this connection. `stays`: it lives on when both are in step.
    case ready(stays: Bool)
    /// The store is asked what it has and knows; SYNC_OPEN of the peer may have come before that.
    case preparing(stays: Bool, heard: SyncOpening?)
    /// Our SYNC_OPEN is sent: the peer's is awaited, or its next one after it was rolled back.
    case opening(stays: Bool)
    /// The store looks at the peer's SYNC_OPEN.
    case judging(stays: Bool)
    /// Rows flow, in both directions.
    case running(Running)
    /// Over on this connection.
    case closed(Closing)
  }

  /// What is true while rows flow.
  package struct Running: Equatable, Sendable {
    /// Whether the connection lives on when both are in step.
    package var stays: Bool
    /// The logs that this side takes.
    package var takes: Set<ChangeLog>
    /// What is sent and unacknowledged.
    package var window = FlowControl()
    /// Whether a load is under way.
    package var isLoading = true
    /// Something has happened since that load began: look again.
    package var isStale = false
    /// Whether this side has said CAUGHT_UP.
    package var hasSpoken = false
    /// Batches received and not yet committed, oldest first.
    package var pending: [ChangeLog] = []
    /// How many CAUGHT_UPs the store has not looked at yet.
    package var words = 0
    /// Whether the peer's last word was CAUGHT_UP, with no batch after it.
    package var isCaughtUp = false
    /// Whether a further SYNC_OPEN of the peer is being looked at: what is loaded meanwhile starts in the wrong place.
    package var isJudging = false
    /// Whether the store has found both ends in step, and nothing has moved since.
    package var isInStep = false
    /// With these.
    package init(stays: Bool, takes: Set<ChangeLog>) {
      self.stays = stays
      self.takes = takes
    }
  }

  /// What the store makes of the peer's SYNC_OPEN.
  package enum Judgement: Equatable, Sendable {
    /// Rows may flow; the logs that this side takes.
    case ready(takes: Set<ChangeLog>)
    /// This store had been rolled back and has a new incarnation: it opens anew, then rows may flow.
    case reopen(SyncOpening, takes: Set<ChangeLog>)
    /// The peer has been rolled back and finds out by our SYNC_OPEN: its next one is awaited.
    case wait
  }

  /// What the store makes of the peer's CAUGHT_UP.
  package enum Verdict: Equatable, Sendable {
    /// Both ends stand equal, or differ and are left so for today.
    case settled
    /// Rows or words are still under way.
    case notYet
    /// They differ: the logs are asked for once more, from the start.
    case repair(SyncOpening)
  }

  /// What can happen.
  package enum Event: Equatable, Sendable {
    /// The connection is open and authenticated.
    case started
    /// Our SYNC_OPEN is ready.
    case prepared(SyncOpening)
    /// SYNC_OPEN came.
    case openReceived(SyncOpening)
    /// The store has looked at the peer's SYNC_OPEN.
    case judged(Judgement)
    /// The next run of a log is read and encoded.
    case loaded(FlowControl.Flight)
    /// Nothing is left to send now; where the store stands, when the peer should hear it.
    case exhausted(SyncEnd?)
    /// The store has changed.
    case storeChanged
    /// BATCH came.
    case batchReceived(ChangeLog)
    /// The oldest pending batch and its cursor are committed.
    case applied(last: Int64)
    /// ACK came.
    case ackReceived(ChangeLog, last: Int64)
    /// CAUGHT_UP came.
    case caughtUpReceived(SyncEnd)
    /// The store has looked at the oldest CAUGHT_UP.
    case heard(Verdict)
    /// UNPAIR came.
    case unpairReceived
    /// CANCEL came.
    case cancelReceived
    /// CLOSE came.
    case closeReceived
    /// ERROR came.
    case errorReceived(ErrorCode, retry: Bool)
    /// A message came that has no place in a sync.
    case strayReceived
    /// Reading or writing failed here.
    case failed(ErrorCode)
    /// The person here has forgotten the device.
    case forgotten
    /// The program here ends, or another connection to the device lives on.
    case left
    /// The connection is lost.
    case streamClosed
  }

  /// What is to be done, in order.
  package enum Action: Equatable, Sendable {
    /// Ask the store what it has and knows.
    case prepare
    /// Send SYNC_OPEN.
    case sendOpen(SyncOpening)
    /// Let the store look at the peer's SYNC_OPEN: rolled back, cloned, which logs flow.
    case judge(SyncOpening)
    /// Read the next run.
    case load
    /// Send the run that was loaded last.
    case sendLoaded
    /// Apply the batch that came last, after everything that was given to the store before.
    case apply
    /// Send ACK.
    case sendAck(ChangeLog, last: Int64)
    /// Send CAUGHT_UP.
    case sendCaughtUp(SyncEnd)
    /// Let the store look at the peer's CAUGHT_UP, after everything that was given to it before.
    case hear(SyncEnd)
    /// Send UNPAIR.
    case sendUnpair
    /// Send CLOSE: nothing is wrong.
    case sendClose
    /// Send ERROR.
    case sendError(ErrorCode)
    /// Close the connection.
    case close(Closing)
  }

  /// The one stored property.
  package private(set) var state: State

  /// For a new connection; `stays`: it lives on when both are in step.
  package init(stays: Bool) { state = .ready(stays: stays) }

  /// A machine in any state.
  init(state: State) { self.state = state }

  /// Takes an event; the actions are to be carried out in order.
  package mutating func handle(_ event: Event) -> [Action] {
    let (next, actions) = SyncStateMachine.transition(from: state, on: event)
    state = next
    return actions
  }

  /// Whether both are in step and nothing is under way.
  package var isInStep: Bool {
    if case .running(let running) = state { return running.isAtRest && running.isInStep }
    return false
  }

  /// The whole protocol of a sync: each state has one function that names every event.
  package static func transition(from state: State, on event: Event) -> (State, [Action]) {
    switch state {
    case .ready(let stays): whenReady(stays: stays, on: event)
    case .preparing(let stays, let heard): whenPreparing(stays: stays, heard: heard, on: event)
    case .opening(let stays): whenOpening(stays: stays, on: event)
    case .judging(let stays): whenJudging(stays: stays, on: event)
    case .running(let running): whenRunning(running, on: event)
    case .closed: (state, [])
    }
  }

  private static func whenReady(stays: Bool, on event: Event) -> (State, [Action]) {
    switch event {
    case .started:
      (.preparing(stays: stays, heard: nil), [.prepare])
    case .openReceived, .batchReceived, .ackReceived, .caughtUpReceived:
      refuse(.unexpected)
    case .prepared, .judged, .loaded, .exhausted, .storeChanged, .applied, .heard:
      (.ready(stays: stays), [])
    case .unpairReceived, .cancelReceived, .closeReceived, .errorReceived, .strayReceived, .failed, .forgotten, .left,
      .streamClosed:
      anywhere(event)
    }
  }

  private static func whenPreparing(stays: Bool, heard: SyncOpening?, on event: Event) -> (State, [Action]) {
    switch event {
    case .prepared(let open):
      guard let heard else { return (.opening(stays: stays), [.sendOpen(open)]) }
      return (.judging(stays: stays), [.sendOpen(open), .judge(heard)])
    case .openReceived(let open):
      // The peer's store was faster than ours.
      return heard == nil ? (.preparing(stays: stays, heard: open), []) : refuse(.unexpected)
    case .batchReceived, .ackReceived, .caughtUpReceived:
      return refuse(.unexpected)
    case .started, .judged, .loaded, .exhausted, .storeChanged, .applied, .heard:
      return (.preparing(stays: stays, heard: heard), [])
    case .unpairReceived, .cancelReceived, .closeReceived, .errorReceived, .strayReceived, .failed, .forgotten, .left,
      .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenOpening(stays: Bool, on event: Event) -> (State, [Action]) {
    switch event {
    case .openReceived(let open):
      (.judging(stays: stays), [.judge(open)])
    case .batchReceived, .ackReceived, .caughtUpReceived:
      refuse(.unexpected)
    case .started, .prepared, .judged, .loaded, .exhausted, .storeChanged, .applied, .heard:
      (.opening(stays: stays), [])
    case .unpairReceived, .cancelReceived, .closeReceived, .errorReceived, .strayReceived, .failed, .forgotten, .left,
      .streamClosed:
      anywhere(event)
    }
  }
}
