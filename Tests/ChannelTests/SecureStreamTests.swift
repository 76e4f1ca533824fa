import Channel
import Crypto
import Testing

@Suite struct SecureStreamTests {
  @Test func `bytes of both directions arrive whole and in order`() async throws {
    let pair = try StreamPair()
    let up = pattern(3_000_000, seed: 1)
    let down = pattern(2_000_000, seed: 2)
    async let listener = onThread { try exchange(pair.listener(), sending: down, expecting: up.count) }
    let received = try await onThread { try exchange(pair.connector(), sending: up, expecting: down.count) }
    #expect(received == down)
    #expect(try await listener == up)
  }
}

/// Sends everything while receiving until the count is complete and all is sent.
func exchange(_ stream: SecureStream, sending bytes: [UInt8], expecting count: Int) throws -> [UInt8] {
  let deadline = Deadline.after(seconds: 60)
  stream.write(bytes)
  var received: [UInt8] = []
  while received.count < count || stream.pendingBytes > 0 {
    switch stream.wait(until: deadline) {
    case .received(let piece): received += piece
    case .drained, .woken: break
    case .timedOut: throw ChannelError.timedOut
    case .closed(let closing):
      if received.count == count { return received }
      throw Unexpected(closing: closing)
    }
    if received.count == count && stream.pendingBytes > 0 { try stream.flush(until: deadline) }
  }
  return received
}

struct Unexpected: Error {
  var closing: SecureStream.Closing
}
