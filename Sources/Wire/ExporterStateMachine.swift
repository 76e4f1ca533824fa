package import BrowsingData

/// What an exporter may say and hear from READY to DONE on one connection (protocol.md 6). Pure: no I/O, clock or randomness.
///
/// The importer's RESUME is the only truth about what has arrived; acknowledgements only open the window.
package struct ExporterStateMachine: Equatable, Sendable {
  /// What is true now.
  package enum State: Equatable, Sendable {
    /// Nothing has been said on this connection. `granted` is known when the session was open before.
    case ready(granted: DataTypes?)
    /// OFFER is sent: CHOOSE is awaited.
    case offered
    /// The importer chose these; the person here is asked.
    case asking(DataTypes)
    /// ACCEPT is sent, or was on an earlier connection: RESUME is awaited. After a cut the importer may not have heard it,
    /// and chooses once more.
    case granted(DataTypes, mayHearChoose: Bool)
    /// Batches flow.
    case streaming(Streaming)
    /// END is sent: DONE is awaited.
    case ending(DataTypes)
    /// Over on this connection.
    case closed(Closing)
  }

  /// What is true while batches flow.
  package struct Streaming: Equatable, Sendable {
    /// The kinds that both sides agreed on.
    package var granted: DataTypes
    /// How far each log has been sent on this connection.
    package var sent: [ChangeLog: Int64]
    /// What is unacknowledged.
    package var window: FlowControl
    /// Whether a load is under way.
    package var isLoading: Bool
    /// With these.
    package init(granted: DataTypes, sent: [ChangeLog: Int64], window: FlowControl, isLoading: Bool) {
      self.granted = granted
      self.sent = sent
      self.window = window
      self.isLoading = isLoading
    }
  }

  /// What can happen.
  package enum Event: Equatable, Sendable {
    /// The connection is open and authenticated.
    case started
    /// CHOOSE came; empty means no.
    case chooseReceived(DataTypes)
    /// RESUME came.
    case resumeReceived([ChangeLog: Int64])
    /// ACK came.
    case ackReceived(ChangeLog, last: Int64)
    /// DONE came.
    case doneReceived
    /// CANCEL came.
    case cancelReceived
    /// ERROR came.
    case errorReceived(ErrorCode, retry: Bool)
    /// A message came that an exporter never hears after READY.
    case strayReceived
    /// The person agreed to these kinds; nil means no.
    case decided(DataTypes?)
    /// The next run of a log is read and encoded.
    case loaded(FlowControl.Flight)
    /// Every granted log is captured whole and nothing lies above the sent cursors, in one read transaction.
    case exhausted([ChangeLog: LogEnd])
    /// Reading failed here.
    case failed(ErrorCode)
    /// The person here stops it.
    case cancelled
    /// The connection is lost.
    case streamClosed
  }

  /// What is to be done, in order.
  package enum Action: Equatable, Sendable {
    /// Send OFFER.
    case sendOffer
    /// Ask the person whether these kinds may go.
    case ask(DataTypes)
    /// Remember what was granted, let the capture begin, then send ACCEPT.
    case sendAccept(DataTypes)
    /// Read the next run above these cursors.
    case load([ChangeLog: Int64])
    /// Send the run that was loaded last.
    case sendLoaded
    /// Send END.
    case sendEnd([ChangeLog: LogEnd])
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

  /// For a new session (`granted` nil) or one that was open before.
  package init(granted: DataTypes?) { state = .ready(granted: granted) }

  /// Takes an event; the actions are to be carried out in order.
  package mutating func handle(_ event: Event) -> [Action] {
    let (next, actions) = ExporterStateMachine.transition(from: state, on: event)
    state = next
    return actions
  }

  /// The whole protocol of an exporter: each state has one function that names every event.
  package static func transition(from state: State, on event: Event) -> (State, [Action]) {
    switch state {
    case .ready(let granted): whenReady(granted: granted, on: event)
    case .offered: whenOffered(on: event)
    case .asking(let chosen): whenAsking(chosen: chosen, on: event)
    case .granted(let granted, let mayHearChoose):
      whenGranted(granted: granted, mayHearChoose: mayHearChoose, on: event)
    case .streaming(let streaming): whenStreaming(streaming: streaming, on: event)
    case .ending(let granted): whenEnding(granted: granted, on: event)
    case .closed: (state, [])
    }
  }

  private static func whenReady(granted: DataTypes?, on event: Event) -> (State, [Action]) {
    switch event {
    case .started:
      guard let granted else { return (.offered, [.sendOffer]) }
      return (.granted(granted, mayHearChoose: true), [])
    case .chooseReceived, .resumeReceived, .ackReceived, .doneReceived:
      return refuse(.unexpected)
    case .decided, .loaded, .exhausted:
      return (.ready(granted: granted), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenOffered(on event: Event) -> (State, [Action]) {
    switch event {
    case .chooseReceived(let types):
      return types.isEmpty ? close(.cancelledByPeer) : (.asking(types), [.ask(types)])
    case .resumeReceived, .ackReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .decided, .loaded, .exhausted:
      return (.offered, [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenAsking(chosen: DataTypes, on event: Event) -> (State, [Action]) {
    switch event {
    case .decided(let types):
      return decide(types, chosen: chosen)
    case .chooseReceived, .resumeReceived, .ackReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .loaded, .exhausted:
      return (.asking(chosen), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenGranted(granted: DataTypes, mayHearChoose: Bool, on event: Event) -> (State, [Action]) {
    switch event {
    case .chooseReceived(let types):
      // What was granted stands; it can only become less.
      guard mayHearChoose else { return refuse(.unexpected) }
      return decide(granted, chosen: types)
    case .resumeReceived(let cursors):
      return resume(granted, from: cursors)
    case .doneReceived:
      // The importer had finished before the connection was lost: it says so instead of RESUME.
      guard mayHearChoose else { return refuse(.unexpected) }
      return (.closed(.done), [.sendDone, .close(.done)])
    case .ackReceived:
      return refuse(.unexpected)
    case .started, .decided, .loaded, .exhausted:
      return (.granted(granted, mayHearChoose: mayHearChoose), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenStreaming(streaming: Streaming, on event: Event) -> (State, [Action]) {
    switch event {
    case .loaded(let flight):
      return send(flight, in: streaming)
    case .ackReceived(let log, let last):
      return acknowledge(log, last: last, in: streaming)
    case .exhausted(let ends):
      return exhaust(ends, in: streaming)
    case .chooseReceived, .resumeReceived, .doneReceived:
      return refuse(.unexpected)
    case .started, .decided:
      return (.streaming(streaming), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
      return anywhere(event)
    }
  }

  private static func whenEnding(granted: DataTypes, on event: Event) -> (State, [Action]) {
    switch event {
    case .doneReceived:
      return (.closed(.done), [.sendDone, .close(.done)])
    case .chooseReceived, .resumeReceived, .ackReceived:
      return refuse(.unexpected)
    case .started, .decided, .loaded, .exhausted:
      return (.ending(granted), [])
    case .cancelReceived, .errorReceived, .strayReceived, .failed, .cancelled, .streamClosed:
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
    case .chooseReceived, .resumeReceived, .ackReceived, .doneReceived, .started, .decided, .loaded, .exhausted:
      refuse(.internalError)
    }
  }

  private static func close(_ closing: Closing) -> (State, [Action]) { (.closed(closing), [.close(closing)]) }

  private static func refuse(_ code: ErrorCode) -> (State, [Action]) {
    let closing: Closing = code.isRetryable ? .suspended : .refused(code)
    return (.closed(closing), [.sendError(code), .close(closing)])
  }

  private static func decide(_ types: DataTypes?, chosen: DataTypes) -> (State, [Action]) {
    guard let granted = types?.intersection(chosen), !granted.isEmpty else {
      return (.closed(.cancelled), [.sendError(.refused), .close(.cancelled)])
    }
    return (.granted(granted, mayHearChoose: false), [.sendAccept(granted)])
  }

  private static func resume(_ granted: DataTypes, from cursors: [ChangeLog: Int64]) -> (State, [Action]) {
    let logs = ChangeLog.logs(of: granted)
    guard cursors.keys.allSatisfy(logs.contains), cursors.values.allSatisfy({ $0 >= 0 }) else {
      return refuse(.typeNotGranted)
    }
    let start = Dictionary(uniqueKeysWithValues: logs.map { ($0, cursors[$0] ?? 0) })
    let streaming = Streaming(granted: granted, sent: start, window: FlowControl(), isLoading: true)
    return (.streaming(streaming), [.load(start)])
  }

  private static func send(_ flight: FlowControl.Flight, in streaming: Streaming) -> (State, [Action]) {
    var next = streaming
    next.window.sent(flight)
    next.sent[flight.log] = flight.last
    next.isLoading = next.window.hasRoom
    return (.streaming(next), next.isLoading ? [.sendLoaded, .load(next.sent)] : [.sendLoaded])
  }

  private static func acknowledge(_ log: ChangeLog, last: Int64, in streaming: Streaming) -> (State, [Action]) {
    var next = streaming
    guard next.window.acknowledged(log: log, last: last) else { return refuse(.unexpected) }
    guard !next.isLoading, next.window.hasRoom else { return (.streaming(next), []) }
    next.isLoading = true
    return (.streaming(next), [.load(next.sent)])
  }

  /// END only when nothing is unacknowledged; else the last acknowledgement asks once more.
  private static func exhaust(_ ends: [ChangeLog: LogEnd], in streaming: Streaming) -> (State, [Action]) {
    guard streaming.window.isEmpty else {
      var next = streaming
      next.isLoading = false
      return (.streaming(next), [])
    }
    return (.ending(streaming.granted), [.sendEnd(ends)])
  }
}
