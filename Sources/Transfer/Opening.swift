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
      try pair(
        listening: door.offer, own: own, theirs: theirs, peer: peer,
        paired: Paired(mode: .session, token: door.token.bytes), pin: door.pin)
    }
    authenticated()
    return try introduce(peer: peer, token: door.token, isResumed: isKnown)
  }

  // MARK: Connector

  /// Gets in, or throws.
  func connect(_ key: Key) throws(OpeningFailure) -> Contact {
    try handshake()
    let (own, theirs, peer) = try exchangeHellos(token: key.token)
    if let secret = key.secret, key.token == nil {
      // The pin is of this session only and useless without the token: both are kept together, when PAIRED is here.
      let paired = try pair(connecting: secret, mode: .session, own: own, theirs: theirs, peer: peer) {}
      guard let token = paired.token.flatMap({ TransferToken(bytes: $0) }) else { throw say(.malformed) }
      do { try key.pin(peer, token) } catch { throw say(ErrorCode(error)) }
      return try introduce(peer: peer, token: token, isResumed: false)
    }
    guard let token = key.token else { throw say(.notPaired) }
    return try introduce(peer: peer, token: token, isResumed: true)
  }

  // MARK: Both

  func handshake() throws(OpeningFailure) {
    do throws(ChannelError) {
      try link.stream.handshake(until: .after(Limits.handshake), waker: waker)
    } catch {
      throw .channel(error)
    }
  }

  /// HELLO is the first message of each side; versions and roles must fit.
  func exchangeHellos(token: TransferToken?) throws(OpeningFailure) -> (Hello, Hello, PeerID) {
    let hello = Hello(role: introduction.role, nonce: Random.bytes(16), token: token?.bytes)
    link.send(.hello(hello))
    guard case .hello(let theirs) = try receive(until: .after(Limits.hello)) else { throw say(.unexpected) }
    do throws(WireError) { _ = try ProtocolVersion.supported.negotiate(with: theirs.versions) } catch {
      throw say(error.code)
    }
    guard theirs.role == introduction.role.counterpart else { throw say(.roleConflict) }
    guard let peer = link.stream.peerID else { throw .channel(.incompatible) }
    return (hello, theirs, peer)
  }

  private func introduce(peer: PeerID, token: TransferToken, isResumed: Bool) throws(OpeningFailure) -> Contact {
    let (info, clockSkew) = try introduce()
    return Contact(
      link: link, peer: peer, device: TransferDevice(id: peer.description, name: info.name, software: info.software),
      token: token,
      isResumed: isResumed, clockSkew: clockSkew)
  }

  /// INFO both ways; from here on both are authenticated. Gives what the peer said, and by how many seconds its clock is
  /// ahead.
  func introduce() throws(OpeningFailure) -> (Info, clockSkew: Int64) {
    link.markAuthenticated()
    let clock = WallClock.now.microseconds / 1_000
    link.send(
      .info(Info(name: introduction.name, software: introduction.software, clock: clock, port: introduction.port)))
    switch try receive(until: .after(Limits.handshake)) {
    case .info(let info): return (info, (info.clock &- clock) / 1_000)
    case .error(let report): throw .peer(report.code)
    case .close, .cancel: throw .lost
    // Who wants to pair meets a device that shows no code.
    case .pairShare: throw say(.notPaired)
    case .hello, .pairConfirm, .paired, .offer, .choose, .accept, .resume, .batch, .syncBatch, .acknowledge, .end,
      .done, .syncOpen, .caughtUp, .unpair, .ping, .pong, .unknown:
      throw say(.unexpected)
    }
  }

  func receive(until deadline: Deadline) throws(OpeningFailure) -> Message {
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
  func say(_ code: ErrorCode) -> OpeningFailure {
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
