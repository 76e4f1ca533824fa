import BrowsingData
import Channel
import Crypto
import Store
import Wire

/// Opens one connection: TLS, HELLO, then recognition by key or pairing by code, then INFO. Blocks, with a deadline at each step.
struct Opening {
  /// What the listener knows and offers.
  struct Door {
    /// The peer that this session has pinned; nil before pairing.
    var pinned: PeerID?
    /// The code that is shown; nil when none is.
    var offer: CodeOffer?
    /// The session's token.
    var token: TransferToken
    /// Keeps the peer's key durably; called before the listener's proof leaves.
    var pin: (PeerID) throws -> Void
  }

  /// What the connector knows.
  struct Key {
    /// The listener's key, when it is known: from the QR code or from an earlier connection.
    var pinned: PeerID?
    /// The secret that was typed or scanned; nil when the session is known.
    var secret: (bytes: SecureBytes, means: PairingMeans)?
    /// The session's token, when it is known.
    var token: TransferToken?
    /// Keeps the peer's key durably, once the token is known, too.
    var pin: (PeerID, TransferToken) throws -> Void
  }

  let introduction: Introduction
  let link: MessageLink
  let waker: Waker?

  // MARK: Listener

  /// Lets a visitor in, or throws; what the peer must hear of it has been sent.
  func accept(_ door: Door, authenticated: () -> Void) throws(OpeningFailure) -> Contact {
    try handshake()
    let (own, theirs, peer) = try exchangeHellos(token: nil)
    let isKnown = door.pinned == peer && theirs.token == door.token.bytes
    if !isKnown {
      guard theirs.token == nil else { throw say(.gone) }
      try pair(listening: door, own: own, theirs: theirs, peer: peer)
    }
    authenticated()
    return try introduce(peer: peer, token: door.token, isResumed: isKnown)
  }

  private func pair(listening door: Door, own: Hello, theirs: Hello, peer: PeerID) throws(OpeningFailure) {
    guard let offer = door.offer else { throw say(.notPaired) }
    let setup = try setup(connector: peer, listener: introduction.identity.peerID, connecting: theirs, listening: own)
    var machine = PairingStateMachine(listener: setup)
    var action = machine.handle(.started)
    while !machine.isPaired {
      let event: PairingStateMachine.Event
      switch action {
      case .takeAttempt(let means):
        event = CodeOffer.event(offer.takeAttempt(means, by: peer))
      case .commit:
        event = commit { offer.use(by: peer) ? try door.pin(peer) : try refuseUse() }
      case .sendPaired:
        link.send(.paired(Paired(mode: .session, token: door.token.bytes)))
        return
      case .none, .sendShare, .sendConfirm, .finish, .fail:
        event = try next(after: action)
      }
      action = machine.handle(event)
    }
    link.send(.paired(Paired(mode: .session, token: door.token.bytes)))
  }

  private func refuseUse() throws { throw ErrorCode.tooManyAttempts }

  // MARK: Connector

  /// Gets in, or throws.
  func connect(_ key: Key) throws(OpeningFailure) -> Contact {
    try handshake()
    let (own, theirs, peer) = try exchangeHellos(token: key.token)
    if let secret = key.secret, key.token == nil {
      let setup = try setup(
        connector: introduction.identity.peerID, listener: peer, connecting: own, listening: theirs)
      let token = try pair(connecting: key, secret: secret, setup: setup, peer: peer)
      return try introduce(peer: peer, token: token, isResumed: false)
    }
    guard let token = key.token else { throw say(.notPaired) }
    return try introduce(peer: peer, token: token, isResumed: true)
  }

  private func pair(
    connecting key: Key, secret: (bytes: SecureBytes, means: PairingMeans), setup: PairingSetup, peer: PeerID
  ) throws(OpeningFailure) -> TransferToken {
    var machine = PairingStateMachine(connector: setup, secret: secret.bytes, means: secret.means)
    var action = machine.handle(.started)
    var token: TransferToken?
    while true {
      let event: PairingStateMachine.Event
      switch action {
      case .commit:
        // The pin is of this session only and useless without the token: both are kept together, when PAIRED is here.
        event = .committed
      case .finish:
        guard let token else { throw say(.malformed) }
        do { try key.pin(peer, token) } catch { throw say(ErrorCode(error)) }
        return token
      case .none, .takeAttempt, .sendShare, .sendConfirm, .sendPaired, .fail:
        event = try next(after: action) { paired in token = paired.token.flatMap { TransferToken(bytes: $0) } }
      }
      action = machine.handle(event)
    }
  }

  // MARK: Both

  private func handshake() throws(OpeningFailure) {
    do throws(ChannelError) {
      try link.stream.handshake(until: .after(Limits.handshake), waker: waker)
    } catch {
      throw .channel(error)
    }
  }

  /// HELLO is the first message of each side; versions and roles must fit.
  private func exchangeHellos(token: TransferToken?) throws(OpeningFailure) -> (Hello, Hello, PeerID) {
    let hello = Hello(
      role: introduction.isExporter ? .export : .import, nonce: Random.bytes(16), token: token?.bytes)
    link.send(.hello(hello))
    guard case .hello(let theirs) = try receive(until: .after(Limits.hello)) else { throw say(.unexpected) }
    do throws(WireError) { _ = try ProtocolVersion.supported.negotiate(with: theirs.versions) } catch {
      throw say(error.code)
    }
    guard theirs.role == (introduction.isExporter ? .import : .export) else { throw say(.roleConflict) }
    guard let peer = link.stream.peerID else { throw .channel(.incompatible) }
    return (hello, theirs, peer)
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
    after action: PairingStateMachine.Action, paired: (Paired) -> Void = { _ in }
  ) throws(OpeningFailure) -> PairingStateMachine.Event {
    switch action {
    case .sendShare(let share):
      link.send(
        .pairShare(
          PairShare(
            share: share.share, associatedData: share.associated,
            means: share.means == .digits ? .digits : .qrCode)))
    case .sendConfirm(let tag): link.send(.pairConfirm(tag))
    case .sendPaired: link.send(.paired(Paired(mode: .session)))
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
    case .hello, .info, .offer, .choose, .accept, .resume, .batch, .acknowledge, .end, .done, .syncOpen, .caughtUp,
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

  /// INFO both ways; from here on both are authenticated.
  private func introduce(peer: PeerID, token: TransferToken, isResumed: Bool) throws(OpeningFailure) -> Contact {
    link.markAuthenticated()
    let clock = WallClock.now.microseconds / 1_000
    link.send(.info(Info(name: introduction.name, software: introduction.software, clock: clock)))
    switch try receive(until: .after(Limits.handshake)) {
    case .info(let info):
      return Contact(
        link: link, peer: peer,
        device: TransferDevice(id: peer.description, name: info.name, software: info.software), token: token,
        isResumed: isResumed, clockSkew: (info.clock - clock) / 1_000)
    case .error(let report): throw .peer(report.code)
    case .close, .cancel: throw .lost
    case .hello, .pairShare, .pairConfirm, .paired, .offer, .choose, .accept, .resume, .batch, .acknowledge, .end,
      .done, .syncOpen, .caughtUp, .unpair, .ping, .pong, .unknown:
      throw say(.unexpected)
    }
  }

  private func receive(until deadline: Deadline) throws(OpeningFailure) -> Message {
    while true {
      let event: MessageLink.Event
      do throws(WireError) { event = try link.wait(until: deadline, waker: waker) } catch { throw say(error.code) }
      switch event {
      case .message(.unknown): continue
      case .message(let message): return message
      case .woken: throw .channel(.cancelled)
      case .timedOut: throw say(.timeout)
      case .closed(.failed(let error)): throw .channel(error)
      case .closed: throw .lost
      }
    }
  }

  /// Tells the peer why, and gives what to throw.
  private func say(_ code: ErrorCode) -> OpeningFailure {
    link.send(.error(ErrorReport(code)))
    link.close()
    return .here(code)
  }
}

/// Why a connection could not be opened.
enum OpeningFailure: Error, Equatable {
  /// Below the messages.
  case channel(ChannelError)
  /// The connection ended without a word.
  case lost
  /// This side ended it.
  case here(ErrorCode)
  /// The peer ended it.
  case peer(ErrorCode)
  /// It is not known where to connect.
  case nowhere(TransferError)
}
