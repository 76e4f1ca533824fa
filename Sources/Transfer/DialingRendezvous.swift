import Channel
import Crypto
import Wire

/// The side that typed the code: dials, and dials again with growing pauses.
final class DialingRendezvous: Rendezvous {
  /// Where the other device may be; asked before each attempt.
  private let addresses: () throws(TransferError) -> [Endpoint]
  private let introduction: Introduction
  private let stop: StopSignal
  private let waker: Waker
  private var key: Opening.Key
  private var backoff = Backoff()
  private var attempts = 0
  private var hangUps = 0
  private var pause = 0
  private var answered: Endpoint?
  private let remember: (Endpoint) -> Void

  /// Pairing attempts that end without a word: each may have been a guess of somebody in between (security.md 3).
  private static let maximumAttempts = 3
  /// Connections that are closed before TLS is there: no guess was shown, and all places may be taken for the moment.
  private static let maximumHangUps = 12

  init(
    introduction: Introduction, key: Opening.Key, stop: StopSignal, waker: Waker,
    addresses: @escaping () throws(TransferError) -> [Endpoint], answered remember: @escaping (Endpoint) -> Void
  ) {
    self.introduction = introduction
    self.key = key
    self.stop = stop
    self.waker = waker
    self.addresses = addresses
    self.remember = remember
  }

  var hasNewerConnection: Bool { false }
  func refuseNewer() {}
  func close() {}
  func stood() { backoff.reset() }

  func delay() -> Int {
    pause = backoff.next(jitter: Random.uniform(below: 401))
    return pause
  }

  func next(until deadline: Deadline) throws(TransferError) -> Contact {
    while true {
      if pause > 0, stop.wait(milliseconds: min(pause, deadline.millisecondsLeft)) { throw .stopped }
      if stop.isStopped { throw .stopped }
      do throws(OpeningFailure) {
        return try dial()
      } catch {
        try judge(error)
      }
      if deadline.hasPassed {
        throw TransferError(.interrupted, "The other side cannot be reached.", .goOn)
      }
      if pause == 0 || key.token != nil { _ = delay() }
    }
  }

  /// Tries every address once.
  private func dial() throws(OpeningFailure) -> Contact {
    var last = OpeningFailure.channel(.unreachable("no address"))
    var candidates: [Endpoint]
    do throws(TransferError) { candidates = try addresses() } catch { throw .nowhere(error) }
    if let answered, let index = candidates.firstIndex(of: answered) { candidates.swapAt(0, index) }
    for address in candidates where !stop.isStopped {
      do throws(OpeningFailure) {
        let contact = try dial(address)
        answered = address
        remember(address)
        key.token = contact.token
        key.pinned = contact.peer
        return contact
      } catch {
        last = error
        // Whoever answers a code has used up a guess: no other address is tried with it. A known peer may be elsewhere:
        // whoever is not it is refused inside the handshake.
        if case .channel(let reason) = error, key.token != nil || reason.isUnreachable { continue }
        throw error
      }
    }
    throw last
  }

  private func dial(_ address: Endpoint) throws(OpeningFailure) -> Contact {
    let stream: SecureStream
    do throws(ChannelError) {
      let socket = try Socket.connect(to: address, until: .after(seconds: 10), waker: waker)
      let peers: KnownPeers = key.pinned.map { .pinned([$0]) } ?? .anyone
      stream = try SecureStream(socket, context: introduction.identity.context(.connector, peers: peers))
    } catch {
      throw .channel(error)
    }
    return try Opening(introduction: introduction, link: MessageLink(stream), waker: waker).connect(key)
  }

  /// Throws when trying again cannot help.
  private func judge(_ failure: OpeningFailure) throws(TransferError) {
    if case .nowhere(let error) = failure { throw error }
    if stop.isStopped { throw .stopped }
    guard key.token == nil else {
      // A session that is open goes on until its life ends; only a clear word ends it before.
      switch failure {
      case .peer(let code) where !code.isRetryable && code != .timeout: throw TransferError(code, theirs: true)
      case .here(let code) where !code.isRetryable && code != .timeout: throw TransferError(code, theirs: false)
      case .channel(.identityChanged), .channel(.refusedByPeer): throw TransferError(failure)
      case .channel, .lost, .peer, .here, .nowhere: return
      }
    }
    if failure == .channel(.closedByPeer) {
      hangUps += 1
      guard hangUps < Self.maximumHangUps else {
        throw TransferError(
          .interrupted, "What listens there hangs up at once: it is busy, or no Wherry.",
          hint: "Check the address and the port, and try again.")
      }
      pause = 500
      return
    }
    attempts += 1
    guard case .lost = failure, attempts < Self.maximumAttempts else { throw TransferError(failure) }
    pause = 200
  }
}

extension ChannelError {
  /// Nobody answers there.
  fileprivate var isUnreachable: Bool {
    if case .unreachable = self { return true }
    return false
  }
}
