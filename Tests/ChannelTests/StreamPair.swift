import Channel
import Crypto
import Foundation
import Testing

/// Two devices that know each other, and two connected sockets between them.
struct StreamPair: Sendable {
  let (a, b): (DeviceIdentity, DeviceIdentity)
  let (left, right): (Socket, Socket)

  init() throws {
    (a, b) = (try .temporary(), try .temporary())
    (left, right) = try Socket.pair()
  }

  /// Each on its own thread: both block until the other answers.
  func connector(_ peers: KnownPeers? = nil) throws -> SecureStream {
    let stream = try SecureStream(left, context: a.context(.connector, peers: peers ?? .pinned([b.peerID])))
    try stream.handshake(until: .after(seconds: 10))
    return stream
  }

  func listener(_ peers: KnownPeers? = nil) throws -> SecureStream {
    let stream = try SecureStream(right, context: b.context(.listener, peers: peers ?? .pinned([a.peerID])))
    try stream.handshake(until: .after(seconds: 10))
    return stream
  }
}

/// Runs what blocks on a thread of its own.
func onThread<T: Sendable>(_ body: @escaping @Sendable () throws -> T) async throws -> T {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
  }
}

/// Bytes that repeat in no short period.
func pattern(_ count: Int, seed: UInt64) -> [UInt8] {
  var state = seed &* 0x9e37_79b9_7f4a_7c15 | 1
  return (0..<count).map { _ in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return UInt8(truncatingIfNeeded: state >> 56)
  }
}
