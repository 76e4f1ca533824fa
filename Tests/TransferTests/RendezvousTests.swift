import Channel
import Foundation
import Store
import TestSupport
import Testing
import Wire

@testable import Transfer

/// How long a code that is shown lives, seen from the session that waits.
@Suite struct RendezvousTests {
  private let peer: PeerID
  private let rendezvous: ListeningRendezvous
  private let offer: CodeOffer
  private let stop = StopSignal()

  init() throws {
    peer = try DeviceIdentity.temporary().peerID
    offer = CodeOffer(door: 4)
    rendezvous = try Self.rendezvous(offer, stop)
  }

  private static func rendezvous(_ offer: CodeOffer, _ stop: StopSignal) throws -> ListeningRendezvous {
    let listener = try Listener([Endpoint(host: "127.0.0.1", port: 0)])
    let introduction = Introduction(identity: try .temporary(), name: "test", software: "test", role: .export)
    return try ListeningRendezvous(
      listener: listener, introduction: introduction, token: .random(), pinned: nil, offer: offer,
      announcement: Announcement(of: listener, door: offer.code.door), stop: stop, waker: Waker()
    ) { _ in }
  }

  @Test func `a code that is too old ends the wait`() throws {
    let rendezvous = try Self.rendezvous(CodeOffer(door: 3, end: .after(milliseconds: 50)), stop)
    defer { rendezvous.close() }
    let error = #expect(throws: TransferError.self) { try rendezvous.next(until: .after(seconds: 30)) }
    #expect(error?.code == .wrongCode)
    #expect(error?.message.contains("ten minutes") == true)
  }

  @Test func `three wrong tries end the wait`() throws {
    defer { rendezvous.close() }
    for _ in 0..<3 {
      _ = offer.takeAttempt(.digits, by: peer)
      offer.endAttempt()
    }
    let error = #expect(throws: TransferError.self) { try rendezvous.next(until: .after(seconds: 30)) }
    #expect(error?.code == .wrongCode)
    #expect(error?.message.contains("three times") == true)
  }

  @Test func `a try that is under way may be the right one, and nobody else's coming and going ends it`() throws {
    defer { rendezvous.close() }
    for _ in 0..<2 {
      _ = offer.takeAttempt(.digits, by: peer)
      offer.endAttempt()
    }
    _ = offer.takeAttempt(.digits, by: peer)
    #expect(offer.use(by: peer))
    // The third try is used, and its key is being written: the session goes on waiting.
    let error = #expect(throws: TransferError.self) { try rendezvous.next(until: .after(milliseconds: 100)) }
    #expect(error?.code == .interrupted)
  }
}
