import Channel
import Crypto
import Foundation
import Store
import TestSupport
import Testing
import Wire

@testable import Transfer

/// One side of an opening on a thread of its own, against what a test says by hand.
@Suite struct OpeningTests {
  private let ours: DeviceIdentity
  private let theirs: DeviceIdentity

  init() throws {
    ours = try DeviceIdentity.temporary()
    theirs = try DeviceIdentity.temporary()
  }

  private func introduction(_ identity: DeviceIdentity, _ role: Role) -> Introduction {
    Introduction(identity: identity, name: "test", software: "test", role: role)
  }

  /// Lets a listener accept while `visitor` speaks over its link; gives the listener's result.
  private func accept(
    offer: CodeOffer?, pinned: PeerID? = nil, token: TransferToken = .random(),
    visitor: (MessageLink) throws -> Void
  ) throws -> OpeningFailure? {
    let (near, far) = try Socket.pair()
    let box = ResultBox()
    let listening = introduction(ours, .export)
    let peers: KnownPeers = pinned.map { .pinned([$0]) } ?? .anyone
    let thread = Thread {
      do {
        let stream = try SecureStream(near, context: listening.identity.context(.listener, peers: peers))
        let door = Opening.Door(pinned: pinned, offer: offer, token: token) { _ in }
        _ = try Opening(introduction: listening, link: MessageLink(stream), waker: nil).accept(door) {}
        box.set(nil)
      } catch {
        box.set(error as? OpeningFailure ?? .lost)
      }
    }
    thread.start()
    let stream = try SecureStream(far, context: theirs.context(.connector, peers: .anyone))
    let link = MessageLink(stream)
    try? visitor(link)
    return box.wait()
  }

  private func hello(
    _ link: MessageLink, _ hello: Hello = Hello(role: .import, nonce: [UInt8](repeating: 1, count: 16))
  ) throws {
    try link.stream.handshake(until: .after(seconds: 5))
    link.send(.hello(hello))
    _ = try link.wait(until: .after(seconds: 5), waker: nil)
  }

  /// The error that the visitor hears.
  private func heard(_ link: MessageLink) throws -> ErrorCode? {
    while true {
      switch try link.wait(until: .after(seconds: 5), waker: nil) {
      case .message(.error(let report)): return report.code
      case .message: continue
      case .closed, .timedOut, .woken: return nil
      }
    }
  }

  @Test func `a visitor of the same role is told so`() throws {
    var code: ErrorCode?
    let failure = try accept(offer: CodeOffer(door: 1)) { link in
      try hello(link, Hello(role: .export, nonce: [UInt8](repeating: 1, count: 16)))
      code = try heard(link)
    }
    #expect(failure == .here(.roleConflict))
    #expect(code == .roleConflict)
  }

  @Test func `a visitor of another version is told so`() throws {
    var code: ErrorCode?
    let failure = try accept(offer: CodeOffer(door: 1)) { link in
      try hello(
        link,
        Hello(
          versions: ProtocolVersion(oldest: 900, newest: 901), role: .import, nonce: [UInt8](repeating: 1, count: 16)))
      code = try heard(link)
    }
    #expect(failure == .here(.version))
    #expect(code == .version)
  }

  @Test func `a stranger is told when no code is shown`() throws {
    var code: ErrorCode?
    let failure = try accept(offer: nil) { link in
      try hello(link)
      code = try heard(link)
    }
    #expect(failure == .here(.notPaired))
    #expect(code == .notPaired)
  }

  @Test func `a transfer that nobody knows is gone`() throws {
    var code: ErrorCode?
    let failure = try accept(offer: CodeOffer(door: 1)) { link in
      try hello(
        link, Hello(role: .import, nonce: [UInt8](repeating: 1, count: 16), token: TransferToken.random().bytes))
      code = try heard(link)
    }
    #expect(failure == .here(.gone))
    #expect(code == .gone)
  }

  @Test func `anything before HELLO closes the connection`() throws {
    var code: ErrorCode?
    let failure = try accept(offer: CodeOffer(door: 1)) { link in
      try link.stream.handshake(until: .after(seconds: 5))
      link.send(.cancel(.person))
      code = try heard(link)
    }
    #expect(failure == .here(.unexpected))
    #expect(code == .unexpected)
  }

  @Test func `an attempt with rubbish burns no attempt`() throws {
    let offer = CodeOffer(door: 7)
    let failure = try accept(offer: offer) { link in
      try hello(link)
      link.send(.pairShare(PairShare(share: [UInt8](repeating: 255, count: 32), associatedData: [], means: .digits)))
      _ = try heard(link)
    }
    #expect(failure == .here(.malformed))
    #expect(offer.attemptsLeft == 3)
  }

  @Test func `a stranger's key is refused inside the handshake once the peer is known`() throws {
    let failure = try accept(offer: nil, pinned: ours.peerID) { link in try hello(link) }
    #expect(failure == .channel(.identityChanged))
  }
}

final class ResultBox: @unchecked Sendable {
  private let condition = NSCondition()
  private var result: OpeningFailure??

  func set(_ value: OpeningFailure?) {
    condition.withLock {
      result = .some(value)
      condition.broadcast()
    }
  }

  func wait() -> OpeningFailure? {
    let end = Date(timeIntervalSinceNow: 20)
    return condition.withLock {
      while result == nil { if !condition.wait(until: end) { return .lost } }
      return result ?? .lost
    }
  }
}
