import Channel
import ChannelTestSupport
import Crypto
import Testing

@Suite struct SecureStreamTests {
  @Test func `bytes of both directions arrive whole and in order`() async throws {
    let pair = try StreamPair()
    let (up, down) = (pattern(3_000_000, seed: 1), pattern(2_000_000, seed: 2))
    async let listener = onThread { try exchange(pair.listener(), sending: down, expecting: up.count) }
    let received = try await onThread { try exchange(pair.connector(), sending: up, expecting: down.count) }
    #expect(received == down)
    #expect(try await listener == up)
  }

  @Test func `two sides that only write do not block each other, however small the pipe`() async throws {
    let pair = try StreamPair(out: Faults(capacity: 2_000), back: Faults(pieceSize: 701, capacity: 1_000))
    let (up, down) = (pattern(300_000, seed: 3), pattern(400_000, seed: 4))
    async let listener = onThread { try exchange(pair.listener(), sending: down, expecting: up.count) }
    let received = try await onThread { try exchange(pair.connector(), sending: up, expecting: down.count) }
    #expect(received == down)
    #expect(try await listener == up)
  }

  @Test func `two sides that flush at once do not block each other, and lose nothing`() async throws {
    let pair = try StreamPair(out: Faults(capacity: 20_000), back: Faults(capacity: 20_000))
    let (up, down) = (pattern(3_000_000, seed: 6), pattern(3_000_000, seed: 7))
    async let listener = onThread { try flushThenRead(pair.listener(), up: down, count: up.count) }
    let received = try await onThread { try flushThenRead(pair.connector(), up: up, count: down.count) }
    #expect(received == down)
    #expect(try await listener == up)
  }

  @Test func `both ends know each other's key and share the exporter's secret`() async throws {
    let pair = try StreamPair()
    async let other = onThread {
      let stream = try pair.listener(.anyone)
      return (stream.peerID, try stream.exportKeyingMaterial(label: "EXPORTER-test", length: 32))
    }
    let mine = try await onThread {
      let stream = try pair.connector(.anyone)
      return (stream.peerID, try stream.exportKeyingMaterial(label: "EXPORTER-test", length: 32))
    }
    #expect(try await other.0 == pair.a.peerID)
    #expect(mine.0 == pair.b.peerID)
    #expect(try await other.1 == mine.1)
  }

  @Test func `a stranger to the connector is refused inside the handshake`() async throws {
    let pair = try StreamPair()
    async let other = failure { try pair.listener(.anyone) }
    #expect(await failure { try pair.connector(.pinned([pair.a.peerID])) } == .identityChanged)
    #expect(await other == .refusedByPeer)
  }

  @Test func `a stranger to the listener is refused inside the handshake and learns it by its first wait`() async throws
  {
    let pair = try StreamPair()
    async let other = failure { try pair.listener(.pinned([])) }
    let event = try await onThread {
      let stream = try pair.connector()
      stream.write([1, 2, 3])
      return stream.wait(until: .after(seconds: 10))
    }
    #expect(event == .closed(.failed(.refusedByPeer)))
    #expect(await other == .identityChanged)
  }

  @Test func `a close is told apart from a connection that breaks`() async throws {
    for isClean in [true, false] {
      let pair = try StreamPair()
      async let other = onThread {
        let stream = try pair.listener()
        return [stream.wait(until: .after(seconds: 10)), stream.wait(until: .after(seconds: 10))]
      }
      try await onThread {
        let stream = try pair.connector()
        stream.write([1, 2, 3])
        if isClean { stream.close(until: .after(seconds: 10)) } else { try stream.flush(until: .after(seconds: 10)) }
        #expect(stream.wait(until: .now) == (isClean ? .closed(.here) : .timedOut))
      }
      #expect(try await other == [.received([1, 2, 3]), .closed(isClean ? .byPeer : .lost)])
    }
  }

  @Test(arguments: [0, 1, 5, 100, 300, 700, 900, 1_500, 5_000, 20_000])
  func `a cut anywhere ends both sides`(position: Int) async throws {
    let pair = try StreamPair(out: Faults(cutAfter: position))
    let deadline = Deadline.after(seconds: 20)
    async let other = ending { try pair.listener() }
    let mine = await ending {
      let stream = try pair.connector()
      stream.write(pattern(100_000, seed: 5))
      while !deadline.hasPassed {
        if case .closed = stream.wait(until: deadline) { break }
      }
      return stream
    }
    #expect(await other)
    #expect(mine)
  }

  @Test func `one changed bit in the stream ends it`() async throws {
    let pair = try StreamPair(out: Faults(flipAt: 5_000))
    async let event = onThread {
      let stream = try pair.listener()
      while true {
        let event = stream.wait(until: .after(seconds: 10))
        if case .received = event { continue }
        return event
      }
    }
    _ = try? await onThread {
      let stream = try pair.connector()
      stream.write(pattern(100_000, seed: 5))
      try stream.flush(until: .after(seconds: 10))
    }
    guard case .closed(.failed(.tls(.openSSL(let stack)))) = try await event else {
      Issue.record("\(try await event)")
      return
    }
    #expect(stack.contains { $0.contains("bad record mac") })
  }

  @Test func `a peer that trickles or says nothing does not outlive the handshake's deadline`() throws {
    let device = try DeviceIdentity.temporary()
    for isTalking in [false, true] {
      let (near, far) = try Socket.pair()
      let stream = try SecureStream(near, context: device.context(.listener, peers: .anyone))
      if isTalking { _ = try [UInt8]([22, 3, 1]).withUnsafeBytes { try far.write($0) } }
      #expect(throws: ChannelError.timedOut) { try stream.handshake(until: .after(milliseconds: 50)) }
      #expect(stream.wait(until: .never) == .closed(.failed(.timedOut)))
      far.close()
    }
  }

  @Test func `what is no TLS is incompatible`() throws {
    let (near, far) = try Socket.pair()
    let stream = try SecureStream(near, context: DeviceIdentity.temporary().context(.listener, peers: .anyone))
    _ = try Array("GET / HTTP/1.1\r\n\r\n".utf8).withUnsafeBytes { try far.write($0) }
    #expect(throws: ChannelError.incompatible) { try stream.handshake(until: .after(seconds: 5)) }
  }

  @Test func `a wait tells of a waker, of the deadline and, once, of output that has drained`() async throws {
    let pair = try StreamPair()
    async let other = onThread { try exchange(pair.listener(), sending: [9], expecting: 2_000_000) }
    let waker = try Waker()
    let events = try await onThread {
      let stream = try pair.connector()
      waker.wake()
      var events = [stream.wait(until: .never, waker: waker)]
      if case .received = events[0] { events = [stream.wait(until: .never, waker: waker)] }
      stream.write(pattern(2_000_000, seed: 1))
      #expect(stream.pendingBytes >= SecureStream.lowWaterMark)
      while true {
        let event = stream.wait(until: .after(seconds: 20))
        if case .received = event { continue }
        events.append(event)
        break
      }
      #expect(stream.pendingBytes < SecureStream.lowWaterMark)
      try stream.flush(until: .after(seconds: 10))
      return events
    }
    #expect(events == [.woken, .drained])
    #expect(try await other.count == 2_000_000)
  }

  @Test func `a waker ends a handshake`() throws {
    let (near, far) = try Socket.pair()
    let waker = try Waker()
    waker.wake()
    let stream = try SecureStream(near, context: DeviceIdentity.temporary().context(.connector, peers: .anyone))
    #expect(throws: ChannelError.cancelled) { try stream.handshake(until: .never, waker: waker) }
    far.close()
  }

  // MARK: Helpers

  private func flushThenRead(_ stream: SecureStream, up: [UInt8], count: Int) throws -> [UInt8] {
    stream.write(up)
    try stream.flush(until: .after(seconds: 30))
    return try exchange(stream, sending: [], expecting: count)
  }

  private func failure(_ body: @escaping @Sendable () throws -> SecureStream) async -> ChannelError? {
    do {
      try await onThread { _ = try body() }
      return nil
    } catch { return error as? ChannelError }
  }

  /// Whether a side comes to an end by itself: by an error, or by `closed`.
  private func ending(_ body: @escaping @Sendable () throws -> SecureStream) async -> Bool {
    do {
      return try await onThread {
        let stream = try body()
        while true {
          switch stream.wait(until: .after(seconds: 20)) {
          case .closed: return true
          case .timedOut: return false
          case .received, .drained, .woken: continue
          }
        }
      }
    } catch { return error is ChannelError && error as? ChannelError != .timedOut }
  }
}
