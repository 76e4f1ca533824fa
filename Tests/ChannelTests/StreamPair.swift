import Channel
import ChannelTestSupport
import Crypto
import Foundation
import Testing

/// Two devices that know each other, and a connection between them.
struct StreamPair: Sendable {
  let (a, b): (DeviceIdentity, DeviceIdentity)
  private let left: any ByteStream & Sendable
  private let right: any ByteStream & Sendable

  /// Over the system's sockets.
  init() throws {
    (a, b) = (try .temporary(), try .temporary())
    (left, right) = try Socket.pair()
  }

  /// In memory; `out` is from the connector to the listener.
  init(out: Faults, back: Faults = Faults()) throws {
    (a, b) = (try .temporary(), try .temporary())
    (left, right) = try LoopbackStream.pair(out: out, back: back)
  }

  /// Each on its own thread: both block until the other answers.
  func connector(_ peers: KnownPeers? = nil) throws -> SecureStream {
    let stream = try SecureStream(left, context: a.context(.connector, peers: peers ?? .pinned([b.peerID])))
    try stream.handshake(until: .after(seconds: 20))
    return stream
  }

  func listener(_ peers: KnownPeers? = nil) throws -> SecureStream {
    let stream = try SecureStream(right, context: b.context(.listener, peers: peers ?? .pinned([a.peerID])))
    try stream.handshake(until: .after(seconds: 20))
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

/// Sends everything while receiving until the count is complete and all is sent.
func exchange(_ stream: SecureStream, sending bytes: [UInt8], expecting count: Int) throws -> [UInt8] {
  let deadline = Deadline.after(seconds: 60)
  stream.write(bytes)
  var received: [UInt8] = []
  while received.count < count {
    switch stream.wait(until: deadline) {
    case .received(let piece): received += piece
    case .drained, .woken: break
    case .timedOut: throw ChannelError.timedOut
    case .closed(let closing): throw Unexpected(closing: closing)
    }
  }
  try stream.flush(until: deadline)
  return received
}

struct Unexpected: Error {
  var closing: SecureStream.Closing
}
