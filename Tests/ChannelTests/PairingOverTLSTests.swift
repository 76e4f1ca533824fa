import Crypto
import Testing

@testable import Channel

/// Whole pairings over real TLS in memory, with and without somebody between.
@Suite struct PairingOverTLSTests {
  private let (connector, listener, middle): (DeviceIdentity, DeviceIdentity, DeviceIdentity)

  init() throws {
    (connector, listener, middle) = (try .temporary(), try .temporary(), try .temporary())
  }

  @Test func `2000 honest pairings succeed, a relay never does, and always would without the binding`() throws {
    let (connectorContext, listenerContext) = (
      try connector.context(.connector, peers: .anyone), try listener.context(.listener, peers: .anyone)
    )
    let (toListener, toConnector) = (
      try middle.context(.connector, peers: .anyone), try middle.context(.listener, peers: .anyone)
    )
    var (honest, relayed, relayedUnbound, wrong) = (0, 0, 0, 0)
    // Fifty of each connection, forty codes on each: every pairing has a code and scalars of its own.
    for round in 0..<50 {
      let straight = try Link(connectorContext, listenerContext)
      let ends = (try Link(connectorContext, toConnector), try Link(toListener, listenerContext))
      for door in 0..<40 {
        let (offer, other) = (CodeOffer(door: UInt8(door)), CodeOffer(door: UInt8(round)))
        honest += try pair(ends: (straight, straight), offer, offer.code.secret) ? 1 : 0
        wrong += try pair(ends: (straight, straight), other, offer.code.secret) ? 1 : 0
        relayed += try pair(ends: ends, other, other.code.secret) ? 1 : 0
        relayedUnbound += try pair(ends: ends, other, other.code.secret, isBound: false) ? 1 : 0
      }
    }
    #expect(honest == 2_000)
    #expect(relayed == 0)
    #expect(relayedUnbound == 2_000)
    #expect(wrong == 0)
  }

  @Test func `the exporter is equal at both ends and another through somebody between`() throws {
    let contexts = (
      try connector.context(.connector, peers: .anyone), try middle.context(.listener, peers: .anyone),
      try middle.context(.connector, peers: .anyone), try listener.context(.listener, peers: .anyone)
    )
    let (first, second) = (try Link(contexts.0, contexts.1), try Link(contexts.2, contexts.3))
    #expect(try first.exporter(.connector) == first.exporter(.listener))
    #expect(try second.exporter(.connector) == second.exporter(.listener))
    #expect(try first.exporter(.connector) != second.exporter(.connector))
  }

  @Test func `a recorded pairing cannot be played again`() throws {
    let link = try Link(
      connector.context(.connector, peers: .anyone), listener.context(.listener, peers: .anyone))
    let offer = CodeOffer(door: 1)
    var recorded: [PairingStateMachine.Event] = []
    #expect(try pair(ends: (link, link), offer, offer.code.secret) { recorded.append($0) })
    let again = CodeOffer(door: 1)
    var machine = PairingStateMachine(listener: try setup(link, .listener))
    for event in recorded {
      var action = machine.handle(event)
      if case .takeAttempt(let means) = action {
        action = machine.handle(CodeOffer.event(again.takeAttempt(means, by: connector.peerID)))
      }
      #expect(action != .commit)
    }
    #expect(machine.state == .failed(.wrongCode))
  }

  @Test func `three wrong guesses end a code, the right one comes too late`() throws {
    let link = try Link(
      connector.context(.connector, peers: .anyone), listener.context(.listener, peers: .anyone))
    let offer = CodeOffer(door: 1)
    for _ in 0..<3 {
      #expect(try !pair(ends: (link, link), offer, SecureBytes(Array("0000000000".utf8))))
    }
    #expect(try !pair(ends: (link, link), offer, offer.code.secret))
    #expect(offer.attemptsLeft == 0)
  }

  @Test func `the QR code's secret pairs by its own means and not as digits`() throws {
    let link = try Link(
      connector.context(.connector, peers: .anyone), listener.context(.listener, peers: .anyone))
    let offer = CodeOffer(door: 1)
    #expect(try !pair(ends: (link, link), offer, offer.qrSecret, means: .digits))
    #expect(try pair(ends: (link, link), offer, offer.qrSecret, means: .qrCode))
    // The same device may come again, within the attempts that are left.
    #expect(try pair(ends: (link, link), offer, offer.qrSecret, means: .qrCode))
    #expect(try !pair(ends: (link, link), offer, offer.qrSecret, means: .qrCode))
  }

  // MARK: Helpers

  /// Runs a pairing: the connector sits at one end of the first link, the listener at one end of the second; what they say is
  /// handed over unchanged. Whether both, and either only with the other, come to the end.
  private func pair(
    ends: (Link, Link), _ offer: CodeOffer, _ secret: SecureBytes, means: PairingMeans = .digits, isBound: Bool = true,
    record: (PairingStateMachine.Event) -> Void = { _ in }
  ) throws -> Bool {
    var left = PairingStateMachine(
      connector: try setup(ends.0, .connector, isBound: isBound), secret: secret, means: means)
    var right = PairingStateMachine(listener: try setup(ends.1, .listener, isBound: isBound))
    var queue: [(toLeft: Bool, event: PairingStateMachine.Event)] = [(true, .started)]
    while !queue.isEmpty {
      let (toLeft, event) = queue.removeFirst()
      switch toLeft ? left.handle(event) : right.handle(event) {
      case .none, .finish: break
      case .takeAttempt(let means):
        queue.append((toLeft, CodeOffer.event(offer.takeAttempt(means, by: connector.peerID))))
      case .sendShare(let share): queue.append((!toLeft, .shareReceived(share)))
      case .sendConfirm(let tag): queue.append((!toLeft, .confirmReceived(tag)))
      case .commit: queue.append((toLeft, toLeft || offer.use(by: connector.peerID) ? .committed : .commitFailed))
      case .sendPaired: queue.append((!toLeft, .pairedReceived))
      case .fail: queue.append((!toLeft, .peerFailed))
      }
      if toLeft, let last = queue.last, !last.toLeft { record(last.event) }
    }
    #expect(left.isPaired == right.isPaired)
    return left.isPaired
  }

  private func setup(_ link: Link, _ role: TLSContext.Role, isBound: Bool = true) throws -> PairingSetup {
    let scalar = Ristretto255.randomScalar()
    let (connectorHello, listenerHello) = (Array("hello C".utf8), Array("hello L".utf8))
    let session = [UInt8](repeating: 1, count: 32)
    guard isBound else {
      return PairingSetup(
        channel: Array("wherry-pair-1".utf8), session: session, connectorHello: connectorHello,
        listenerHello: listenerHello, scalar: scalar)
    }
    return PairingSetup(
      exporterSecret: try link.exporter(role), connectorKey: link.connectorKey, listenerKey: link.listenerKey,
      connectorNonce: Array(session.prefix(16)), listenerNonce: Array(session.suffix(16)),
      connectorHello: connectorHello, listenerHello: listenerHello, scalar: scalar)
  }
}

/// A TLS connection in memory, both ends.
private final class Link {
  let (connector, listener): (TLSSession, TLSSession)
  let (connectorKey, listenerKey): (PeerID, PeerID)

  init(_ left: TLSContext, _ right: TLSContext) throws {
    (connector, listener) = (try TLSSession(left), try TLSSession(right))
    var states = (connector.handshake(), listener.handshake())
    for _ in 0..<4 {
      Link.move(connector, listener)
      states.1 = listener.handshake()
      Link.move(listener, connector)
      states.0 = connector.handshake()
    }
    try #require(states == (.complete, .complete))
    connectorKey = try #require(PeerID(bytes: listener.peerPublicKeyHash ?? []))
    listenerKey = try #require(PeerID(bytes: connector.peerPublicKeyHash ?? []))
  }

  func exporter(_ role: TLSContext.Role) throws -> SecureBytes {
    let session = role == .connector ? connector : listener
    return try session.exportKeyingMaterial(label: PairingSetup.exporterLabel, length: PairingSetup.exporterLength)
  }

  private static func move(_ from: TLSSession, _ to: TLSSession) {
    var buffer = [UInt8](repeating: 0, count: from.outputCount)
    buffer.withUnsafeMutableBytes {
      _ = from.takeOutput(into: $0)
      to.feed(UnsafeRawBufferPointer($0))
    }
  }
}
