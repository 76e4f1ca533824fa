import Crypto
import Testing

@testable import Channel

@Suite struct PairingStateMachineTests {
  private typealias Machine = PairingStateMachine

  @Test func `every state answers every event as the table says`() {
    var cells = 0
    for (stateName, state) in states {
      for (eventName, event) in events {
        // The connector takes the listener's share, everyone else is shown the connector's.
        let isAnswer = stateName == "connectorShared" && eventName == "goodShare"
        let (next, action) = Machine.transition(from: state, on: isAnswer ? .shareReceived(scene.answer) : event)
        let expected = table[stateName]?[eventName] ?? usual(stateName, eventName)
        #expect(name(of: action) == expected.action, "\(stateName) on \(eventName)")
        #expect(name(of: next) == expected.state, "\(stateName) on \(eventName)")
        cells += 1
      }
    }
    #expect(cells == 132)
  }

  /// The cells that are not `usual`.
  private let table: [String: [String: (action: String, state: String)]] = [
    "connectorReady": ["started": ("sendShare", "connectorShared")],
    "connectorShared": [
      "goodShare": ("sendConfirm", "connectorConfirmed"), "peerFailed": ("fail wrongCode", "failed"),
    ],
    "connectorConfirmed": [
      "goodTag": ("commit", "connectorPinning"), "peerFailed": ("fail wrongCode", "failed"),
    ],
    "connectorPinning": ["committed": ("sendPaired", "connectorPinned"), "commitFailed": ("fail notStored", "failed")],
    "connectorPinned": ["paired": ("finish", "paired")],
    "listenerReady": ["started": ("none", "listenerReady"), "goodShare": ("takeAttempt", "listenerAsking")],
    "listenerAsking": ["granted": ("sendShare", "listenerShared"), "refused": ("fail codeExpired", "failed")],
    "listenerShared": ["goodTag": ("commit", "listenerPinning")],
    "listenerPinning": ["committed": ("sendConfirm", "listenerPinned"), "commitFailed": ("fail notStored", "failed")],
    "listenerPinned": ["paired": ("sendPaired", "paired")],
  ]

  private func usual(_ state: String, _ event: String) -> (action: String, state: String) {
    if state == "paired" || state == "failed" { return ("none", state) }
    switch event {
    case "timedOut": return ("fail timedOut", "failed")
    case "closed": return ("fail closed", "failed")
    case "peerFailed" where state != "listenerShared": return ("fail peerFailed", "failed")
    default: return (state == "listenerShared" ? "fail wrongCode" : "fail unexpected", "failed")
    }
  }

  private let scene = Scene()

  private var states: [(String, Machine.State)] {
    let tag = SecureBytes([1, 2, 3])
    let own = PairingShare(
      share: scene.connectorShare, associated: scene.connector.connectorAssociated(.digits), means: .digits)
    return [
      ("connectorReady", .connectorReady(scene.connector, scene.secret, .digits)),
      ("connectorShared", .connectorShared(scene.connector, scene.secret, own)),
      ("connectorConfirmed", .connectorConfirmed(expected: tag)), ("connectorPinning", .connectorPinning),
      ("connectorPinned", .connectorPinned), ("listenerReady", .listenerReady(scene.listener)),
      ("listenerAsking", .listenerAsking(scene.listener, own)),
      ("listenerShared", .listenerShared(own: tag, expected: tag)), ("listenerPinning", .listenerPinning(own: tag)),
      ("listenerPinned", .listenerPinned), ("paired", .paired), ("failed", .failed(.closed)),
    ]
  }

  private var events: [(String, Machine.Event)] {
    [
      ("started", .started), ("goodShare", .shareReceived(scene.goodShare)), ("granted", .attemptGranted(scene.secret)),
      ("refused", .attemptRefused(.codeExpired)), ("goodTag", .confirmReceived([1, 2, 3])), ("committed", .committed),
      ("commitFailed", .commitFailed), ("paired", .pairedReceived), ("peerFailed", .peerFailed),
      ("timedOut", .timedOut), ("closed", .streamClosed),
    ]
  }

  @Test func `two sides with one secret pair, in the order of the protocol`() {
    let result = run(Scene())
    #expect(result.connector == .paired)
    #expect(result.listener == .paired)
    #expect(
      result.log == [
        "C sendShare", "L takeAttempt", "L sendShare", "C sendConfirm", "L commit", "L sendConfirm", "C commit",
        "C sendPaired", "L sendPaired", "C finish",
      ])
  }

  @Test func `with another code the listener stops before it pins, and tells nothing`() {
    let result = run(Scene(), connectorSecret: SecureBytes(Array("4821936574".utf8)))
    #expect(result.listener == .failed(.wrongCode))
    #expect(result.connector == .failed(.wrongCode))
    #expect(
      result.log == [
        "C sendShare", "L takeAttempt", "L sendShare", "C sendConfirm", "L fail wrongCode", "C fail wrongCode",
      ])
  }

  @Test func `a share that is no point, or of other HELLOs, uses up no attempt`() {
    let scene = Scene()
    var bad: [PairingShare] = []
    for point in [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xff, count: 32), [], [1]] {
      bad.append(PairingShare(share: point, associated: scene.goodShare.associated, means: .digits))
    }
    bad.append(PairingShare(share: scene.goodShare.share, associated: [], means: .digits))
    bad.append(PairingShare(share: scene.goodShare.share, associated: scene.goodShare.associated, means: .qrCode))
    for share in bad {
      var machine = Machine(listener: scene.listener)
      #expect(machine.handle(.shareReceived(share)) == .fail(.malformedShare))
      #expect(machine.handle(.attemptGranted(scene.secret)) == .none)
    }
  }

  @Test func `a changed HELLO, nonce, key or channel on either side ends in a wrong code`() {
    var other = Scene()
    other.listener = Scene.setup(scalar: other.listener.scalar, exporter: 9)
    #expect(run(other).listener == .failed(.wrongCode))
    other.listener = Scene.setup(scalar: other.listener.scalar, connectorKey: 9)
    #expect(run(other).listener == .failed(.wrongCode))
    other.listener = Scene.setup(scalar: other.listener.scalar, listenerKey: 9)
    #expect(run(other).listener == .failed(.wrongCode))
    other.listener = Scene.setup(scalar: other.listener.scalar, nonce: 9)
    #expect(run(other).listener == .failed(.wrongCode))
    other.listener = Scene.setup(scalar: other.listener.scalar, listenerHello: [9])
    #expect(run(other).connector == .failed(.wrongCode))
    other.listener = Scene.setup(scalar: other.listener.scalar, connectorHello: [9])
    #expect(run(other).listener == .failed(.malformedShare))
  }

  @Test func `the connector's own share and tag sent back to it are refused`() {
    let scene = Scene()
    var machine = Machine(connector: scene.connector, secret: scene.secret, means: .digits)
    guard case .sendShare(let own) = machine.handle(.started) else {
      Issue.record("no share")
      return
    }
    var mirrored = machine
    #expect(mirrored.handle(.shareReceived(own)) == .fail(.wrongCode))
    let dressed = PairingShare(
      share: own.share, associated: scene.connector.listenerAssociated(.digits), means: .digits)
    guard case .sendConfirm(let tag) = machine.handle(.shareReceived(dressed)) else {
      Issue.record("no tag")
      return
    }
    #expect(machine.handle(.confirmReceived(tag)) == .fail(.wrongCode))
  }

  @Test func `a listener's share that is the neutral element spends the connector's guess`() {
    let scene = Scene()
    var machine = Machine(connector: scene.connector, secret: scene.secret, means: .digits)
    _ = machine.handle(.started)
    let neutral = PairingShare(
      share: [UInt8](repeating: 0, count: 32), associated: scene.connector.listenerAssociated(.digits), means: .digits)
    #expect(machine.handle(.shareReceived(neutral)) == .fail(.wrongCode))
  }

  @Test func `a tag of another length or with one bit turned is a wrong code`() {
    let scene = Scene()
    for change in 0..<3 {
      var (connector, listener) = (
        Machine(connector: scene.connector, secret: scene.secret, means: .digits), Machine(listener: scene.listener)
      )
      guard case .sendShare(let first) = connector.handle(.started),
        case .takeAttempt = listener.handle(.shareReceived(first)),
        case .sendShare(let second) = listener.handle(.attemptGranted(scene.secret)),
        case .sendConfirm(var tag) = connector.handle(.shareReceived(second))
      else {
        Issue.record("no tag")
        return
      }
      if change == 0 { tag[63] ^= 1 } else if change == 1 { tag.removeLast() } else { tag = [] }
      #expect(listener.handle(.confirmReceived(tag)) == .fail(.wrongCode))
      #expect(listener.handle(.committed) == .none)
    }
  }

  @Test func `a message after the listener's answer that has no place is told like a wrong code`() {
    let state = Machine.State.listenerShared(own: SecureBytes([1]), expected: SecureBytes([2]))
    for event in [Machine.Event.shareReceived(scene.goodShare), .pairedReceived, .peerFailed] {
      #expect(Machine.transition(from: state, on: event).1 == .fail(.wrongCode))
    }
  }

  @Test func `a pin that cannot be kept pairs nobody`() {
    for event in [Machine.State.listenerPinning(own: SecureBytes([1])), .connectorPinning] {
      #expect(Machine.transition(from: event, on: .commitFailed).1 == .fail(.notStored))
    }
  }

  @Test func `a secret does not show in a description of the machine`() {
    let scene = Scene()
    var dumped = ""
    dump(Machine(connector: scene.connector, secret: scene.secret, means: .digits), to: &dumped)
    #expect(!dumped.contains("1234567890"))
    #expect(!dumped.contains(scene.secret.unprotectedCopy.description))
  }

  // MARK: Helpers

  private func name(of action: Machine.Action) -> String {
    if case .fail(let failure) = action { return "fail \(failure)" }
    return String("\(action)".prefix { $0 != "(" })
  }

  private func name(of state: Machine.State) -> String { String("\(state)".prefix { $0 != "(" }) }

  /// Runs both machines against each other with an offer that always grants.
  private func run(_ scene: Scene, connectorSecret: SecureBytes? = nil) -> (
    connector: Machine.State, listener: Machine.State, log: [String]
  ) {
    var connector = Machine(connector: scene.connector, secret: connectorSecret ?? scene.secret, means: .digits)
    var listener = Machine(listener: scene.listener)
    var log: [String] = []
    var queue: [(toConnector: Bool, event: Machine.Event)] = [(true, .started)]
    while !queue.isEmpty {
      let (toConnector, event) = queue.removeFirst()
      let action = toConnector ? connector.handle(event) : listener.handle(event)
      if action != .none { log.append((toConnector ? "C " : "L ") + name(of: action)) }
      switch action {
      case .none, .finish: break
      case .takeAttempt: queue.append((toConnector, .attemptGranted(scene.secret)))
      case .sendShare(let share): queue.append((!toConnector, .shareReceived(share)))
      case .sendConfirm(let tag): queue.append((!toConnector, .confirmReceived(tag)))
      case .commit: queue.append((toConnector, .committed))
      case .sendPaired: queue.append((!toConnector, .pairedReceived))
      case .fail: queue.append((!toConnector, .peerFailed))
      }
    }
    return (connector.state, listener.state, log)
  }
}

/// Two sides that could pair.
private struct Scene {
  let secret = SecureBytes(Array("1234567890".utf8))
  let connector = Scene.setup(scalar: Ristretto255.randomScalar())
  var listener = Scene.setup(scalar: Ristretto255.randomScalar())

  /// A share that the listener takes.
  var goodShare: PairingShare {
    PairingShare(share: connectorShare, associated: connector.connectorAssociated(.digits), means: .digits)
  }

  /// A share that the connector takes.
  var answer: PairingShare {
    let generator = CPace.generator(
      secret: secret.unprotectedCopy, channel: listener.channel, session: listener.session)
    return PairingShare(
      share: CPace.share(listener.scalar, generator: generator) ?? [],
      associated: listener.listenerAssociated(.digits), means: .digits)
  }

  var connectorShare: [UInt8] {
    let generator = CPace.generator(
      secret: secret.unprotectedCopy, channel: connector.channel, session: connector.session)
    return CPace.share(connector.scalar, generator: generator) ?? []
  }

  static func setup(
    scalar: SecureBytes, exporter: UInt8 = 1, connectorKey: UInt8 = 2, listenerKey: UInt8 = 3, nonce: UInt8 = 4,
    connectorHello: [UInt8] = [5, 5], listenerHello: [UInt8] = [6, 6]
  ) -> PairingSetup {
    func id(_ byte: UInt8) -> PeerID { PeerID(bytes: [UInt8](repeating: byte, count: 32))! }
    return PairingSetup(
      exporterSecret: SecureBytes([UInt8](repeating: exporter, count: 32)), connectorKey: id(connectorKey),
      listenerKey: id(listenerKey), connectorNonce: [UInt8](repeating: nonce, count: 16),
      listenerNonce: [UInt8](repeating: 7, count: 16), connectorHello: connectorHello, listenerHello: listenerHello,
      scalar: scalar)
  }
}
