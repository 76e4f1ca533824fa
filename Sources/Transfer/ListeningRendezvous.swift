import Channel
import Crypto
import Foundation
import Wire

/// The side that shows the code: lets visitors in, opens each on a thread of its own, and hands what is authenticated to the
/// session's thread. Strangers cost no more than their few places.
final class ListeningRendezvous: Rendezvous, @unchecked Sendable {
  // Reasons for @unchecked: 1. the mutable properties are used under the lock of `condition` only; 2. a contact is made by
  // an opening thread and used by the session's thread after it has been taken out.
  private let condition = NSCondition()
  private var pinned: PeerID?
  private var offer: CodeOffer?
  private var arrivals: [Contact] = []

  private let listener: Listener
  private let introduction: Introduction
  private let token: TransferToken
  private let announcement: Announcement
  private let pin: @Sendable (PeerID) throws -> Void
  private let stop: StopSignal
  private let waker: Waker
  private var doorway: Doorway?

  /// Listens from now on. `pinned`: the peer of a session that is open; else `offer` is the code that is shown.
  init(
    listener: Listener, introduction: Introduction, token: TransferToken, pinned: PeerID?, offer: CodeOffer?,
    announcement: Announcement, stop: StopSignal, waker: Waker, pin: @escaping @Sendable (PeerID) throws -> Void
  ) throws(ChannelError) {
    self.listener = listener
    self.introduction = introduction
    self.token = token
    self.announcement = announcement
    self.pinned = pinned
    self.offer = offer
    self.stop = stop
    self.waker = waker
    self.pin = pin
    stop.listen { [weak self] in self?.signal() }
    doorway = try Doorway(listener) { [weak self] visitor in self?.receive(visitor) }
  }

  private func signal() { condition.withLock { condition.broadcast() } }

  func delay() -> Int { 0 }
  func stood() {}
  var hasNewerConnection: Bool { condition.withLock { !arrivals.isEmpty } }

  func refuseNewer() {
    let refused: [Contact] = condition.withLock {
      defer { arrivals = [] }
      return arrivals
    }
    for contact in refused {
      contact.link.send(.error(ErrorReport(.busy)))
      contact.link.close()
    }
  }

  func close() {
    condition.withLock { condition.broadcast() }
    doorway?.close()
    refuseNewer()
  }

  func next(until deadline: Deadline) throws(TransferError) -> Contact {
    let result: Result<Contact, TransferError> = condition.withLock {
      while true {
        if !arrivals.isEmpty { return .success(arrivals.removeLast()) }
        if stop.isStopped { return .failure(.stopped) }
        var limit = deadline
        if pinned == nil, let offer {
          if offer.isDead() {
            return .failure(
              TransferError(offer.attemptsLeft == 0 ? .tooManyAttempts : .codeExpired, theirs: false))
          }
          // Whoever is trying may be the right one; the end of the attempt is signalled.
          if !offer.isBeingTried { limit = min(limit, offer.end) }
        }
        if deadline.hasPassed {
          return .failure(
            TransferError(.interrupted, "The other side did not come back.", .goOn))
        }
        _ = condition.wait(
          until: Date(timeIntervalSinceNow: Double(min(limit.millisecondsLeft, 60_000)) / 1_000 + 0.001))
      }
    }
    return try result.get()
  }

  // MARK: On opening threads

  private func receive(_ visitor: Listener.Visitor) {
    let (known, code) = condition.withLock { (pinned, offer) }
    // Once the peer is known, a stranger's bytes never reach our parser.
    let codeIsLive = code.map { $0.end > .now } ?? false
    let peers: KnownPeers = known.map { .pinned([$0]) } ?? (codeIsLive ? .anyone : .pinned([]))
    guard let context = try? introduction.identity.context(.listener, peers: peers),
      let stream = try? SecureStream(visitor.socket, context: context)
    else { return }
    let door = Opening.Door(pinned: known, offer: code, token: token) { [self] peer in
      try pin(peer)
      condition.withLock { pinned = peer }
      announcement.hideDoor()
    }
    let opening = Opening(introduction: introduction, link: MessageLink(stream), waker: nil)
    do throws(OpeningFailure) {
      let contact = try opening.accept(door) { visitor.place.release() }
      condition.withLock {
        arrivals.append(contact)
        condition.broadcast()
      }
      waker.wake()
    } catch {
      // The stranger has heard what it may hear; a counted guess may have been the last one.
      signal()
    }
  }
}
