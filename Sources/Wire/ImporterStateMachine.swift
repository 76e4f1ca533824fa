package import BrowsingData

/// What an importer may say and hear from READY to DONE on one connection (protocol.md 6). Pure: no I/O, clock or randomness.
///
/// Its committed cursors are the only truth: RESUME carries them, and a batch must start where the last one ended.
package struct ImporterStateMachine: Equatable, Sendable {
  /// What is true now.
  package enum State: Equatable, Sendable {
    /// Nothing has been said on this connection.
    case ready(Before)
    /// OFFER is awaited.
    case awaitingOffer
    /// The person is asked what to take of these kinds.
    case choosing(DataTypes)
    /// CHOOSE is sent: ACCEPT is awaited. After a cut the exporter may not know of it yet, and offers once more.
    case chosen(DataTypes, mayHearOffer: Bool)
    /// The store is asked how far it has come.
    case preparing(DataTypes)
    /// Batches flow.
    case streaming(Streaming)
    /// END came: the store compares.
    case finishing(DataTypes)
    /// DONE is sent: the exporter's DONE is awaited.
    case confirming
    /// Over on this connection.
    case closed(Closing)
  }

  /// What was settled on earlier connections.
  package enum Before: Equatable, Sendable {
    /// Nothing: a new session.
    case nothing
    /// These kinds were chosen; whether they were granted was not heard.
    case chosen(DataTypes)
    /// These kinds were granted.
    case granted(DataTypes)
    /// Everything is here and committed; only the exporter does not know it.
    case done
  }

  /// What is true while batches flow.
  package struct Streaming: Equatable, Sendable {
    /// The kinds that both sides agreed on.
    package var granted: DataTypes
    /// How far each log has been received on this connection.
    package var received: [ChangeLog: Int64]
    /// Batches received and not yet committed, oldest first.
    package var pending: [ChangeLog]
    /// END, when it has come.
    package var ends: [ChangeLog: LogEnd]?
    /// With these.
    package init(granted: DataTypes, received: [ChangeLog: Int64], pending: [ChangeLog] = []) {
      self.granted = granted
      self.received = received
      self.pending = pending
    }
  }

  /// What can happen.
  package enum Event: Equatable, Sendable {
    /// The connection is open and authenticated.
    case started
    /// OFFER came with these kinds.
    case offerReceived(DataTypes)
    /// ACCEPT came with these kinds.
    case acceptReceived(DataTypes)
    /// BATCH came.
    case batchReceived(ChangeLog, first: Int64, last: Int64)
    /// END came.
    case endReceived([ChangeLog: LogEnd])
    /// DONE came.
    case doneReceived
    /// CANCEL came.
    case cancelReceived
    /// ERROR came.
    case errorReceived(ErrorCode, retry: Bool)
    /// A message came that an importer never hears after READY.
    case strayReceived
    /// The person chose these kinds; nil means no.
    case chose(DataTypes?)
    /// The store knows how far it has come.
    case prepared([ChangeLog: Int64])
    /// The oldest pending batch and its cursor are committed.
    case applied(last: Int64)
    /// The store has compared END with what is here; when it is equal the session is marked done.
    case compared(equal: Bool)
    /// Writing failed here; nothing of that batch is kept.
    case failed(ErrorCode)
    /// The person here stops it.
    case cancelled
    /// The connection is lost.
    case streamClosed
  }

  /// What is to be done, in order.
  package enum Action: Equatable, Sendable {
    /// Ask the person what to take.
    case ask(DataTypes)
    /// Send CHOOSE.
    case sendChoose(DataTypes)
    /// Remember what was granted and find out how far the store has come.
    case prepare(DataTypes)
    /// Send RESUME.
    case sendResume([ChangeLog: Int64])
    /// Apply the batch that came last.
    case apply
    /// Send ACK.
    case sendAck(ChangeLog, last: Int64)
    /// Compare and, when equal, mark the session done in the same transaction.
    case compare([ChangeLog: LogEnd])
    /// Send DONE.
    case sendDone
    /// Send CANCEL.
    case sendCancel
    /// Send ERROR.
    case sendError(ErrorCode)
    /// Close the connection.
    case close(Closing)
  }

  /// The one stored property.
  package private(set) var state: State

  /// For a new session, or one that was open before.
  package init(before: Before) { state = .ready(before) }

  /// Takes an event; the actions are to be carried out in order.
  package mutating func handle(_ event: Event) -> [Action] {
    let (next, actions) = ImporterStateMachine.transition(from: state, on: event)
    state = next
    return actions
  }

  /// The whole protocol of an importer: each state has one function that names every event.
  package static func transition(from state: State, on event: Event) -> (State, [Action]) {
    switch state {
    case .ready(let before): whenReady(before: before, on: event)
    case .awaitingOffer: whenAwaitingOffer(on: event)
    case .choosing(let offered): whenChoosing(offered: offered, on: event)
    case .chosen(let chosen, let mayHearOffer): whenChosen(chosen: chosen, mayHearOffer: mayHearOffer, on: event)
    case .preparing(let granted): whenPreparing(granted: granted, on: event)
    case .streaming(let streaming): whenStreaming(streaming: streaming, on: event)
    case .finishing(let granted): whenFinishing(granted: granted, on: event)
    case .confirming: whenConfirming(on: event)
    case .closed: (state, [])
    }
  }

  private static func whenReady(before: Before, on event: Event) -> (State, [Action]) {
    switch event {
    case .started:
      switch before {
      case .nothing: return (.awaitingOffer, [])
      case .chosen(let types): return (.chosen(types, mayHearOffer: true), [.sendChoose(types)])
      case .granted(let granted): return (.preparing(granted), [.prepare(granted)])
      case .done: return (.confirming, [.sendDone])
      }
    case .offerReceived, .acceptReceived, .batchReceived, .endReceived, .doneReceived:
      return refuse(.unexpected)
    case .chose, .prepared, .applied, .compared:
      return (.ready(before), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenAwaitingOffer(on event: Event) -> (State, [Action]) {
    switch event {
    case .offerReceived(let types):
      return (.choosing(types), [.ask(types)])
    case .acceptReceived, .batchReceived, .endReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .chose, .prepared, .applied, .compared:
      return (.awaitingOffer, [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenChoosing(offered: DataTypes, on event: Event) -> (State, [Action]) {
    switch event {
    case .chose(let types):
      return choose(types, offered: offered)
    case .offerReceived, .acceptReceived, .batchReceived, .endReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .prepared, .applied, .compared:
      return (.choosing(offered), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenChosen(chosen: DataTypes, mayHearOffer: Bool, on event: Event) -> (State, [Action]) {
    switch event {
    case .offerReceived:
      return mayHearOffer ? (.chosen(chosen, mayHearOffer: false), []) : refuse(.unexpected)
    case .acceptReceived(let granted):
      guard !granted.isEmpty, granted.isSubset(of: chosen) else { return refuse(.typeNotGranted) }
      return (.preparing(granted), [.prepare(granted)])
    case .batchReceived, .endReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .chose, .prepared, .applied, .compared:
      return (.chosen(chosen, mayHearOffer: mayHearOffer), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenPreparing(granted: DataTypes, on event: Event) -> (State, [Action]) {
    switch event {
    case .prepared(let cursors):
      return (.streaming(Streaming(granted: granted, received: cursors)), [.sendResume(cursors)])
    case .offerReceived, .acceptReceived, .batchReceived, .endReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .chose, .applied, .compared:
      return (.preparing(granted), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenStreaming(streaming: Streaming, on event: Event) -> (State, [Action]) {
    switch event {
    case .batchReceived(let log, let first, let last):
      return receive(log, first: first, last: last, in: streaming)
    case .applied(let last):
      return apply(last: last, in: streaming)
    case .endReceived(let ends):
      return end(ends, in: streaming)
    case .offerReceived, .acceptReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .chose, .prepared, .compared:
      return (.streaming(streaming), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenFinishing(granted: DataTypes, on event: Event) -> (State, [Action]) {
    switch event {
    case .compared(let equal):
      return equal ? (.confirming, [.sendDone]) : refuse(.digest)
    case .offerReceived, .acceptReceived, .batchReceived, .endReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .chose, .prepared, .applied:
      return (.finishing(granted), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenConfirming(on event: Event) -> (State, [Action]) {
    switch event {
    case .doneReceived:
      return close(.done)
    case .cancelled:
      // Everything is committed already: there is nothing left to stop.
      return (.confirming, [])
    case .offerReceived, .acceptReceived, .batchReceived, .endReceived:
      return refuse(.unexpected)
    case .started, .chose, .prepared, .applied, .compared:
      return (.confirming, [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .streamClosed:
      return anywhere(event)
    }
  }

  /// What is answered alike in every state; an answer of our own that came too late to matter changes nothing elsewhere.
  private static func anywhere(_ event: Event) -> (State, [Action]) {
    switch event {
    case .cancelReceived: close(.cancelledByPeer)
    case .errorReceived(let code, let retry): close(retry ? .suspended : .refusedByPeer(code))
    case .streamClosed: close(.suspended)
    case .cancelled: (.closed(.cancelled), [.sendCancel, .close(.cancelled)])
    case .failed(let code): refuse(code)
    case .strayReceived: refuse(.unexpected)
    case .offerReceived, .acceptReceived, .batchReceived, .endReceived, .doneReceived, .started, .chose, .prepared,
      .applied, .compared:
      refuse(.internalError)
    }
  }

  private static func close(_ closing: Closing) -> (State, [Action]) { (.closed(closing), [.close(closing)]) }

  private static func refuse(_ code: ErrorCode) -> (State, [Action]) {
    let closing: Closing = code.isRetryable ? .suspended : .refused(code)
    return (.closed(closing), [.sendError(code), .close(closing)])
  }

  private static func choose(_ types: DataTypes?, offered: DataTypes) -> (State, [Action]) {
    guard let chosen = types?.intersection(offered), !chosen.isEmpty else {
      return (.closed(.cancelled), [.sendChoose([]), .close(.cancelled)])
    }
    return (.chosen(chosen, mayHearOffer: false), [.sendChoose(chosen)])
  }

  /// The checks of a batch before any write (protocol.md 6): granted, starts at the cursor, goes forward, fits the window.
  private static func receive(
    _ log: ChangeLog, first: Int64, last: Int64, in streaming: Streaming
  ) -> (State, [Action]) {
    guard streaming.ends == nil else { return refuse(.unexpected) }
    guard let cursor = streaming.received[log] else { return refuse(.typeNotGranted) }
    guard first == cursor else { return refuse(.cursor) }
    guard last > first else { return refuse(.malformed) }
    guard streaming.pending.count < FlowControl.maximumBatches else { return refuse(.limit) }
    var next = streaming
    next.received[log] = last
    next.pending.append(log)
    return (.streaming(next), [.apply])
  }

  private static func apply(last: Int64, in streaming: Streaming) -> (State, [Action]) {
    guard let log = streaming.pending.first else { return (.streaming(streaming), []) }
    var next = streaming
    next.pending.removeFirst()
    if next.pending.isEmpty, let ends = next.ends {
      return (.finishing(next.granted), [.sendAck(log, last: last), .compare(ends)])
    }
    return (.streaming(next), [.sendAck(log, last: last)])
  }

  private static func end(_ ends: [ChangeLog: LogEnd], in streaming: Streaming) -> (State, [Action]) {
    guard streaming.ends == nil, Set(ends.keys) == Set(streaming.received.keys) else { return refuse(.unexpected) }
    if streaming.pending.isEmpty { return (.finishing(streaming.granted), [.compare(ends)]) }
    var next = streaming
    next.ends = ends
    return (.streaming(next), [])
  }
}
