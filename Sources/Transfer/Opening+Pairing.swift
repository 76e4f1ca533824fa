import Channel
import Crypto
import Wire

// Two devices that do not know each other prove that they have the same code.
extension Opening {
  /// The listener's side. `paired` is what it says at the end; `pin` keeps the peer's key durably, before the proof leaves.
  func pair(
    listening offer: CodeOffer?, own: Hello, theirs: Hello, peer: PeerID, paired: Paired, pin: (PeerID) throws -> Void
  ) throws(OpeningFailure) {
    guard let offer else { throw say(.notPaired) }
    let setup = try setup(connector: peer, listener: introduction.identity.peerID, connecting: theirs, listening: own)
    var machine = PairingStateMachine(listener: setup)
    var action = machine.handle(.started)
    var isAttempt = false
    defer { if isAttempt { offer.endAttempt() } }
    while !machine.isPaired {
      let event: PairingStateMachine.Event
      switch action {
      case .takeAttempt(let means):
        let attempt = offer.takeAttempt(means, by: peer)
        if case .granted = attempt { isAttempt = true }
        event = CodeOffer.event(attempt)
      case .commit:
        event = commit { offer.use(by: peer) ? try pin(peer) : try refuseUse() }
      case .none, .sendShare, .sendConfirm, .sendPaired, .finish, .fail:
        event = try next(after: action, mode: paired.mode)
      }
      action = machine.handle(event)
    }
    link.send(.paired(paired))
  }

  private func refuseUse() throws { throw ErrorCode.tooManyAttempts }

  /// The connector's side; `pin` keeps the peer's key durably, before PAIRED leaves. Gives what the listener said.
  func pair(
    connecting secret: (bytes: SecureBytes, means: PairingMeans), mode: Paired.Mode, own: Hello, theirs: Hello,
    peer: PeerID, pin: () throws -> Void
  ) throws(OpeningFailure) -> Paired {
    let setup = try setup(connector: introduction.identity.peerID, listener: peer, connecting: own, listening: theirs)
    var machine = PairingStateMachine(connector: setup, secret: secret.bytes, means: secret.means)
    var action = machine.handle(.started)
    var answer: Paired?
    while true {
      let event: PairingStateMachine.Event
      switch action {
      case .commit: event = commit(pin)
      case .finish:
        guard let answer, answer.mode == mode else { throw say(.malformed) }
        return answer
      case .none, .takeAttempt, .sendShare, .sendConfirm, .sendPaired, .fail:
        event = try next(after: action, mode: mode) { answer = $0 }
      }
      action = machine.handle(event)
    }
  }

  private func setup(
    connector: PeerID, listener: PeerID, connecting: Hello, listening: Hello
  ) throws(OpeningFailure) -> PairingSetup {
    let secret: SecureBytes
    do throws(ChannelError) {
      secret = try link.stream.exportKeyingMaterial(
        label: PairingSetup.exporterLabel, length: PairingSetup.exporterLength)
    } catch {
      throw .channel(error)
    }
    let isConnector = connector == introduction.identity.peerID
    let own = encoded(isConnector ? connecting : listening)
    let theirs = link.helloPayload
    return PairingSetup(
      exporterSecret: secret, connectorKey: connector, listenerKey: listener, connectorNonce: connecting.nonce,
      listenerNonce: listening.nonce, connectorHello: isConnector ? own : theirs,
      listenerHello: isConnector ? theirs : own)
  }

  /// The payload of our own HELLO, as it went out.
  private func encoded(_ hello: Hello) -> [UInt8] { (try? MessageCodec.encode(.hello(hello))) ?? [] }

  private func commit(_ body: () throws -> Void) -> PairingStateMachine.Event {
    do {
      try body()
      return .committed
    } catch {
      return .commitFailed
    }
  }

  /// Carries out what is sent, then waits for the next message of the pairing.
  private func next(
    after action: PairingStateMachine.Action, mode: Paired.Mode, paired: (Paired) -> Void = { _ in }
  ) throws(OpeningFailure) -> PairingStateMachine.Event {
    switch action {
    case .sendShare(let share):
      link.send(
        .pairShare(
          PairShare(
            share: share.share, associatedData: share.associated,
            means: share.means == .digits ? .digits : .qrCode)))
    case .sendConfirm(let tag): link.send(.pairConfirm(tag))
    case .sendPaired: link.send(.paired(Paired(mode: mode)))
    case .fail(let failure): throw fail(failure)
    case .none, .takeAttempt, .commit, .finish: break
    }
    switch try receive(until: .after(Limits.handshake)) {
    case .pairShare(let share):
      return .shareReceived(
        PairingShare(
          share: share.share, associated: share.associatedData, means: share.means == .digits ? .digits : .qrCode))
    case .pairConfirm(let tag): return .confirmReceived(tag)
    case .paired(let message):
      paired(message)
      return .pairedReceived
    case .error(let report):
      if report.code == .authentication { return .peerFailed }
      throw .peer(report.code)
    case .cancel, .close: return .peerFailed
    // A known device that came to sync, not to pair.
    case .info: throw say(.busy)
    case .hello, .offer, .choose, .accept, .resume, .batch, .syncBatch, .acknowledge, .end, .done, .syncOpen, .caughtUp,
      .unpair, .ping, .pong, .unknown:
      throw say(.unexpected)
    }
  }

  private func fail(_ failure: PairingFailure) -> OpeningFailure {
    switch failure {
    case .wrongCode: say(.authentication)
    case .malformedShare: say(.malformed)
    case .codeExpired: say(.codeExpired)
    case .tooManyAttempts: say(.tooManyAttempts)
    case .noCode: say(.notPaired)
    case .unexpected: say(.unexpected)
    case .notStored: say(.internalError)
    case .peerFailed: .peer(.authentication)
    case .timedOut: say(.timeout)
    case .closed: .lost
    }
  }
}
