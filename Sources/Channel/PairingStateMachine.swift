package import Crypto

/// Pairing as both sides run it over one TLS connection: CPace, confirmed by both, the listener checking first, each side
/// keeping the other's key before it lets its success be seen. Pure: no I/O, no clock, no randomness.
package struct PairingStateMachine: Sendable {
  /// What can happen.
  package enum Event: Equatable, Sendable {
    /// Both HELLOs are exchanged.
    case started
    /// PAIR_SHARE came.
    case shareReceived(PairingShare)
    /// Listener: the offer counted an attempt and gave the secret for the connector's means.
    case attemptGranted(SecureBytes)
    /// Listener: the offer refused (`codeExpired`, `tooManyAttempts` or `noCode`).
    case attemptRefused(PairingFailure)
    /// PAIR_CONFIRM came: its tag.
    case confirmReceived([UInt8])
    /// The pin is on disk (and the code marked as used).
    case committed
    /// It is not.
    case commitFailed
    /// PAIRED came.
    case pairedReceived
    /// ERROR, CANCEL or CLOSE came.
    case peerFailed
    /// The time for the next message is over.
    case timedOut
    /// The connection ended.
    case streamClosed
  }

  /// What is to be done.
  package enum Action: Equatable, Sendable {
    /// Nothing: wait for the next message.
    case none
    /// Listener: ask the offer for an attempt; answer with `attemptGranted` or `attemptRefused`.
    case takeAttempt(PairingMeans)
    /// Send PAIR_SHARE.
    case sendShare(PairingShare)
    /// Send PAIR_CONFIRM with this tag.
    case sendConfirm([UInt8])
    /// Keep the peer's key (listener: and mark the code as used) durably; answer with `committed` or `commitFailed`.
    case commit
    /// Send PAIRED. When the machine is `isPaired` after it, pairing is complete.
    case sendPaired
    /// Complete: nothing more to send.
    case finish
    /// Say the error (unless the peer or the connection is gone) and close.
    case fail(PairingFailure)
  }

  /// Where it stands. Each case carries only what is true in it.
  package enum State: Equatable, Sendable {
    /// Connector, before its share. Knows the secret.
    case connectorReady(PairingSetup, SecureBytes, PairingMeans)
    /// Connector, its share is sent.
    case connectorShared(PairingSetup, SecureBytes, PairingShare)
    /// Connector, its tag is sent; the tag that the listener must answer with.
    case connectorConfirmed(expected: SecureBytes)
    /// Connector, keeping the listener's key.
    case connectorPinning
    /// Connector, PAIRED is sent.
    case connectorPinned
    /// Listener, waiting for a share.
    case listenerReady(PairingSetup)
    /// Listener, asking its offer.
    case listenerAsking(PairingSetup, PairingShare)
    /// Listener, its share is sent: its own tag, and the one that the connector must show first.
    case listenerShared(own: SecureBytes, expected: SecureBytes)
    /// Listener, keeping the connector's key; its tag waits for that.
    case listenerPinning(own: SecureBytes)
    /// Listener, its tag is sent.
    case listenerPinned
    /// Both know each other.
    case paired
    /// Over.
    case failed(PairingFailure)
  }

  /// Where it stands.
  package private(set) var state: State

  /// The connector's machine: `secret` is `PairingCode.secret` or `PairingURI.secret`.
  package init(connector setup: PairingSetup, secret: SecureBytes, means: PairingMeans) {
    state = .connectorReady(setup, secret, means)
  }

  /// The listener's machine: it gets the secret with each attempt.
  package init(listener setup: PairingSetup) { state = .listenerReady(setup) }

  /// A machine in any state.
  init(state: State) { self.state = state }

  /// Whether both know each other.
  package var isPaired: Bool { state == .paired }

  /// Takes an event; the only place where the state changes.
  package mutating func handle(_ event: Event) -> Action {
    let (next, action) = PairingStateMachine.transition(from: state, on: event)
    state = next
    return action
  }

  /// All rules. Each state names the events that lead on and lists those that do not: the compiler keeps the table complete.
  static func transition(from state: State, on event: Event) -> (State, Action) {
    switch state {
    case .connectorReady(let setup, let secret, let means):
      switch event {
      case .started: offer(setup, secret, means)
      case .shareReceived, .attemptGranted, .attemptRefused, .confirmReceived, .committed, .commitFailed,
        .pairedReceived, .peerFailed, .timedOut, .streamClosed:
        end(on: event)
      }
    case .connectorShared(let setup, let secret, let own):
      switch event {
      case .shareReceived(let share): confirm(setup, secret, own: own, peer: share)
      // A peer that gives up after the shares has most likely seen a wrong tag.
      case .peerFailed: fail(.wrongCode)
      case .started, .attemptGranted, .attemptRefused, .confirmReceived, .committed, .commitFailed, .pairedReceived,
        .timedOut, .streamClosed:
        end(on: event)
      }
    case .connectorConfirmed(let expected):
      switch event {
      case .confirmReceived(let tag): SecureBytes(tag) == expected ? (.connectorPinning, .commit) : fail(.wrongCode)
      case .peerFailed: fail(.wrongCode)
      case .started, .shareReceived, .attemptGranted, .attemptRefused, .committed, .commitFailed, .pairedReceived,
        .timedOut, .streamClosed:
        end(on: event)
      }
    case .connectorPinning:
      switch event {
      case .committed: (.connectorPinned, .sendPaired)
      case .commitFailed: fail(.notStored)
      case .started, .shareReceived, .attemptGranted, .attemptRefused, .confirmReceived, .pairedReceived, .peerFailed,
        .timedOut, .streamClosed:
        end(on: event)
      }
    case .connectorPinned:
      switch event {
      case .pairedReceived: (.paired, .finish)
      case .started, .shareReceived, .attemptGranted, .attemptRefused, .confirmReceived, .committed, .commitFailed,
        .peerFailed, .timedOut, .streamClosed:
        end(on: event)
      }
    case .listenerReady, .listenerAsking, .listenerShared, .listenerPinning, .listenerPinned:
      listenerTransition(from: state, on: event)
    case .paired, .failed: (state, .none)
    }
  }

  private static func listenerTransition(from state: State, on event: Event) -> (State, Action) {
    switch state {
    case .listenerReady(let setup):
      switch event {
      case .started: (state, .none)
      case .shareReceived(let share): examine(setup, share)
      case .attemptGranted, .attemptRefused, .confirmReceived, .committed, .commitFailed, .pairedReceived, .peerFailed,
        .timedOut, .streamClosed:
        end(on: event)
      }
    case .listenerAsking(let setup, let share):
      switch event {
      case .attemptGranted(let secret): answer(setup, share, secret)
      case .attemptRefused(let failure): fail(failure)
      case .started, .shareReceived, .confirmReceived, .committed, .commitFailed, .pairedReceived, .peerFailed,
        .timedOut, .streamClosed:
        end(on: event)
      }
    case .listenerShared(let own, let expected):
      switch event {
      case .confirmReceived(let tag):
        SecureBytes(tag) == expected ? (.listenerPinning(own: own), .commit) : fail(.wrongCode)
      case .timedOut, .streamClosed: end(on: event)
      // Once the listener has answered, whatever goes wrong looks like a wrong code.
      case .started, .shareReceived, .attemptGranted, .attemptRefused, .committed, .commitFailed, .pairedReceived,
        .peerFailed:
        fail(.wrongCode)
      }
    case .listenerPinning(let own):
      switch event {
      case .committed: (.listenerPinned, .sendConfirm(own.unprotectedCopy))
      case .commitFailed: fail(.notStored)
      case .started, .shareReceived, .attemptGranted, .attemptRefused, .confirmReceived, .pairedReceived, .peerFailed,
        .timedOut, .streamClosed:
        end(on: event)
      }
    case .listenerPinned:
      switch event {
      case .pairedReceived: (.paired, .sendPaired)
      case .started, .shareReceived, .attemptGranted, .attemptRefused, .confirmReceived, .committed, .commitFailed,
        .peerFailed, .timedOut, .streamClosed:
        end(on: event)
      }
    case .connectorReady, .connectorShared, .connectorConfirmed, .connectorPinning, .connectorPinned, .paired, .failed:
      (state, .none)
    }
  }

  /// An event that leads nowhere.
  private static func end(on event: Event) -> (State, Action) {
    switch event {
    case .streamClosed: fail(.closed)
    case .timedOut: fail(.timedOut)
    case .peerFailed: fail(.peerFailed)
    case .started, .shareReceived, .attemptGranted, .attemptRefused, .confirmReceived, .committed, .commitFailed,
      .pairedReceived:
      fail(.unexpected)
    }
  }

  private static func fail(_ failure: PairingFailure) -> (State, Action) { (.failed(failure), .fail(failure)) }
}

// MARK: Steps

extension PairingStateMachine {
  /// Connector: its share goes first, so that it shows its guess before it learns anything.
  private static func offer(
    _ setup: PairingSetup, _ secret: SecureBytes, _ means: PairingMeans
  ) -> (State, Action) {
    let generator = CPace.generator(secret: secret.unprotectedCopy, channel: setup.channel, session: setup.session)
    guard let point = CPace.share(setup.scalar, generator: generator) else { return fail(.malformedShare) }
    let share = PairingShare(share: point, associated: setup.connectorAssociated(means), means: means)
    return (.connectorShared(setup, secret, share), .sendShare(share))
  }

  /// Listener: garbage must not use up an attempt.
  private static func examine(_ setup: PairingSetup, _ share: PairingShare) -> (State, Action) {
    guard Ristretto255.isValid(share.share), share.associated == setup.connectorAssociated(share.means) else {
      return fail(.malformedShare)
    }
    return (.listenerAsking(setup, share), .takeAttempt(share.means))
  }

  /// Listener: the attempt is counted; all that a verdict needs is computed now, whatever the verdict will be.
  private static func answer(
    _ setup: PairingSetup, _ peer: PairingShare, _ secret: SecureBytes
  ) -> (State, Action) {
    let generator = CPace.generator(secret: secret.unprotectedCopy, channel: setup.channel, session: setup.session)
    let associated = setup.listenerAssociated(peer.means)
    guard let point = CPace.share(setup.scalar, generator: generator),
      let key = CPace.sessionKey(
        scalar: setup.scalar, peerShare: peer.share, session: setup.session, first: (peer.share, peer.associated),
        second: (point, associated))
    else { return fail(.malformedShare) }
    let tags = (
      own: CPace.confirmation(sessionKey: key, session: setup.session, share: point, associated: associated),
      expected: CPace.confirmation(
        sessionKey: key, session: setup.session, share: peer.share, associated: peer.associated)
    )
    return (
      .listenerShared(own: SecureBytes(tags.own), expected: SecureBytes(tags.expected)),
      .sendShare(PairingShare(share: point, associated: associated, means: peer.means))
    )
  }

  /// Connector: the listener's share is there; whatever is wrong with it, the guess is spent.
  private static func confirm(
    _ setup: PairingSetup, _ secret: SecureBytes, own: PairingShare, peer: PairingShare
  ) -> (State, Action) {
    guard peer.means == own.means, peer.associated == setup.listenerAssociated(own.means),
      let key = CPace.sessionKey(
        scalar: setup.scalar, peerShare: peer.share, session: setup.session, first: (own.share, own.associated),
        second: (peer.share, peer.associated))
    else { return fail(.wrongCode) }
    let expected = CPace.confirmation(
      sessionKey: key, session: setup.session, share: peer.share, associated: peer.associated)
    let tag = CPace.confirmation(
      sessionKey: key, session: setup.session, share: own.share, associated: own.associated)
    return (.connectorConfirmed(expected: SecureBytes(expected)), .sendConfirm(tag))
  }
}
