import BrowsingData

// MARK: - Once the peer has opened

extension SyncStateMachine {
  /// The peer may be ready before us: what comes while our store still looks at its SYNC_OPEN is kept by the caller until
  /// `isJudging` ends.
  static func whenJudging(stays: Bool, on event: Event) -> (State, [Action]) {
    switch event {
    case .judged(let judgement):
      switch judgement {
      case .ready(let takes): (.running(Running(stays: stays, takes: takes)), [.load])
      case .reopen(let open, let takes): (.running(Running(stays: stays, takes: takes)), [.sendOpen(open), .load])
      case .wait: (.opening(stays: stays), [])
      }
    case .openReceived, .batchReceived, .ackReceived, .caughtUpReceived:
      refuse(.unexpected)
    case .started, .prepared, .loaded, .exhausted, .storeChanged, .applied, .heard:
      (.judging(stays: stays), [])
    case .unpairReceived, .cancelReceived, .closeReceived, .errorReceived, .strayReceived, .failed, .forgotten, .left,
      .streamClosed:
      anywhere(event)
    }
  }

  static func whenRunning(_ running: Running, on event: Event) -> (State, [Action]) {
    switch event {
    case .loaded(let flight): send(flight, in: running)
    case .exhausted(let end): exhaust(end, in: running)
    case .storeChanged: look(again: running)
    case .ackReceived(let log, let last): acknowledge(log, last: last, in: running)
    case .batchReceived(let log): receive(log, in: running)
    case .applied(let last): apply(last: last, in: running)
    case .caughtUpReceived(let end): hear(end, in: running)
    case .heard(let verdict): weigh(verdict, in: running)
    case .openReceived(let open): reopen(open, in: running)
    case .judged(let judgement): go(on: judgement, in: running)
    case .closeReceived: leave(running)
    case .started, .prepared: (.running(running), [])
    case .unpairReceived, .cancelReceived, .errorReceived, .strayReceived, .failed, .forgotten, .left, .streamClosed:
      anywhere(event)
    }
  }

  /// What is answered alike in every state.
  static func anywhere(_ event: Event) -> (State, [Action]) {
    switch event {
    case .unpairReceived: close(.refusedByPeer(.revoked))
    case .cancelReceived: close(.cancelledByPeer)
    case .closeReceived, .streamClosed: close(.suspended)
    case .errorReceived(let code, let retry): close(retry ? .suspended : .refusedByPeer(code))
    case .strayReceived: refuse(.unexpected)
    case .failed(let code): refuse(code)
    case .forgotten: (.closed(.cancelled), [.sendUnpair, .close(.cancelled)])
    case .left: (.closed(.suspended), [.sendClose, .close(.suspended)])
    case .started, .prepared, .openReceived, .judged, .loaded, .exhausted, .storeChanged, .batchReceived, .applied,
      .ackReceived, .caughtUpReceived, .heard:
      refuse(.internalError)
    }
  }

  private static func close(_ closing: Closing) -> (State, [Action]) { (.closed(closing), [.close(closing)]) }

  static func refuse(_ code: ErrorCode) -> (State, [Action]) {
    let closing: Closing = code.isRetryable ? .suspended : .refused(code)
    return (.closed(closing), [.sendError(code), .close(closing)])
  }

  /// A round that does not stay is over when both are in step.
  private static func settle(_ running: Running, _ actions: [Action] = []) -> (State, [Action]) {
    guard !running.stays, running.isAtRest, running.isInStep else { return (.running(running), actions) }
    return (.closed(.done), actions + [.sendClose, .close(.done)])
  }

  // MARK: To the peer

  private static func send(_ flight: FlowControl.Flight, in running: Running) -> (State, [Action]) {
    var next = running
    next.isInStep = false
    if next.isJudging {
      // It starts where the peer no longer stands; the judgement is followed by a load from the right place.
      next.isLoading = false
      return (.running(next), [])
    }
    next.window.sent(flight)
    next.isLoading = next.window.hasRoom
    return (.running(next), next.isLoading ? [.sendLoaded, .load] : [.sendLoaded])
  }

  private static func acknowledge(_ log: ChangeLog, last: Int64, in running: Running) -> (State, [Action]) {
    var next = running
    guard next.window.acknowledged(log: log, last: last) else { return refuse(.unexpected) }
    guard !next.isLoading, !next.isJudging, next.window.hasRoom else { return settle(next) }
    next.isLoading = true
    return (.running(next), [.load])
  }

  private static func exhaust(_ end: SyncEnd?, in running: Running) -> (State, [Action]) {
    var next = running
    next.isLoading = false
    var actions: [Action] = []
    if let end, !next.isJudging {
      next.hasSpoken = true
      actions.append(.sendCaughtUp(end))
    }
    if next.isStale {
      let (state, more) = look(again: next)
      return (state, actions + more)
    }
    return settle(next, actions)
  }

  private static func look(again running: Running) -> (State, [Action]) {
    var next = running
    // A full window looks again at the next acknowledgement, a judgement at its end.
    guard !next.isLoading, next.window.hasRoom, !next.isJudging else {
      next.isStale = next.isLoading
      return (.running(next), [])
    }
    next.isStale = false
    next.isLoading = true
    return (.running(next), [.load])
  }

  // MARK: From the peer

  /// The checks of a batch before any write (protocol.md 6): its kind flows and it fits the window. Where it starts is
  /// checked by the store, against the cursor itself.
  private static func receive(_ log: ChangeLog, in running: Running) -> (State, [Action]) {
    guard running.takes.contains(log) else { return refuse(.typeNotGranted) }
    guard running.pending.count < FlowControl.maximumBatches else { return refuse(.limit) }
    var next = running
    next.pending.append(log)
    next.isCaughtUp = false
    next.isInStep = false
    return (.running(next), [.apply])
  }

  private static func apply(last: Int64, in running: Running) -> (State, [Action]) {
    guard let log = running.pending.first else { return (.running(running), []) }
    var next = running
    next.pending.removeFirst()
    let (state, more) = next.pending.isEmpty ? look(again: next) : (.running(next), [])
    return (state, [.sendAck(log, last: last)] + more)
  }

  private static func hear(_ end: SyncEnd, in running: Running) -> (State, [Action]) {
    guard running.words < FlowControl.maximumBatches else { return refuse(.limit) }
    var next = running
    next.words += 1
    next.isCaughtUp = true
    return (.running(next), [.hear(end)])
  }

  private static func weigh(_ verdict: Verdict, in running: Running) -> (State, [Action]) {
    guard running.words > 0 else { return (.running(running), []) }
    var next = running
    next.words -= 1
    switch verdict {
    case .settled:
      next.isInStep = next.pending.isEmpty && next.window.isEmpty
      // The peer may still wait for our word.
      return look(again: next)
    case .notYet:
      return look(again: next)
    case .repair(let open):
      next.isInStep = false
      let (state, more) = look(again: next)
      return (state, [.sendOpen(open)] + more)
    }
  }

  private static func reopen(_ open: SyncOpening, in running: Running) -> (State, [Action]) {
    guard !running.isJudging else { return refuse(.unexpected) }
    var next = running
    next.isJudging = true
    next.isInStep = false
    return (.running(next), [.judge(open)])
  }

  private static func go(on judgement: Judgement, in running: Running) -> (State, [Action]) {
    guard running.isJudging else { return (.running(running), []) }
    var next = running
    next.isJudging = false
    switch judgement {
    case .ready(let takes):
      next.takes = takes
      return look(again: next)
    case .reopen(let open, let takes):
      next.takes = takes
      let (state, more) = look(again: next)
      return (state, [.sendOpen(open)] + more)
    case .wait:
      // What is under way belongs to what the peer was before: both begin anew.
      return refuse(.cursor)
    }
  }

  /// Who leaves in good order has everything; so have we when both have said so.
  private static func leave(_ running: Running) -> (State, [Action]) {
    let isDone =
      running.hasSpoken && running.isCaughtUp && running.window.isEmpty && running.pending.isEmpty
    return close(isDone ? .done : .suspended)
  }
}

extension SyncStateMachine.Running {
  /// Nothing is under way in either direction.
  var isAtRest: Bool {
    !isLoading && !isStale && !isJudging && window.isEmpty && pending.isEmpty && words == 0 && hasSpoken && isCaughtUp
  }
}
