import Channel
import Testing

@Suite struct ListenerTests {
  @Test func `without an address it listens on all of them, IPv4 and IPv6`() throws {
    let listener = try Listener()
    #expect(listener.port != 0)
    #expect(listener.addresses.contains(Endpoint(host: "127.0.0.1", port: listener.port)))
    for host in ["127.0.0.1", "::1"] {
      let socket = try Socket.connect(to: Endpoint(host: host, port: listener.port), until: .after(seconds: 5))
      let visitor = try #require(try listener.accept(until: .after(seconds: 5)))
      #expect(visitor.socket.peer.host == host)
      #expect(socket.local.port == visitor.socket.peer.port)
    }
  }

  @Test func `several addresses are listened on at once`() throws {
    let listener = try Listener([Endpoint("127.0.0.1:0"), Endpoint("[::1]:0")].compactMap { $0 })
    #expect(listener.addresses.map(\.host) == ["127.0.0.1", "::1"])
    for address in listener.addresses {
      _ = try Socket.connect(to: address, until: .after(seconds: 5))
      #expect(try listener.accept(until: .after(seconds: 5)) != nil)
    }
  }

  @Test func `a port that is taken or an address that is not ours cannot be listened on`() throws {
    let first = try Listener([Endpoint(host: "127.0.0.1", port: 0)])
    for endpoint in [Endpoint(host: "127.0.0.1", port: first.port), Endpoint(host: "192.0.2.1", port: 0)] {
      #expect {
        try Listener([endpoint])
      } throws: { error in
        if case .cannotListen = error as? ChannelError { true } else { false }
      }
    }
  }

  @Test func `two from one address and eight in all, the others are closed at once`() throws {
    let listener = try Listener([Endpoint(host: "::", port: 0)])
    var sockets: [Socket] = []
    var visitors: [Listener.Visitor] = []
    for _ in 0..<3 {
      sockets.append(
        try Socket.connect(to: Endpoint(host: "127.0.0.1", port: listener.port), until: .after(seconds: 5)))
    }
    while let visitor = try listener.accept(until: .after(milliseconds: 50)) { visitors.append(visitor) }
    #expect(visitors.count == 2)
    var buffer = [UInt8](repeating: 0, count: 1)
    #expect(try buffer.withUnsafeMutableBytes { try sockets[2].read(into: $0) } == .ended)
    #expect(try buffer.withUnsafeMutableBytes { try sockets[0].read(into: $0) } == .nothing)

    // One that has proven itself, or has gone, makes room.
    visitors[0].place.release()
    visitors[0].place.release()
    sockets.append(
      try Socket.connect(to: Endpoint(host: "127.0.0.1", port: listener.port), until: .after(seconds: 5)))
    let next = try listener.accept(until: .after(seconds: 5))
    #expect(next != nil)
  }

  @Test func `a limit counts in all and by address, and a place is given back once`() {
    let limit = ConnectionLimit()
    var places = ["a", "a", "b", "b", "c", "c", "d", "d"].map { limit.enter($0) }
    #expect(places.allSatisfy { $0 != nil })
    #expect(limit.enter("e") == nil)
    places[0] = nil
    #expect(limit.enter("b") == nil)
    let again = limit.enter("e")
    #expect(again != nil)
    #expect(limit.enter("f") == nil)
    again?.release()
    again?.release()
    let (first, second) = (limit.enter("f"), limit.enter("g"))
    #expect(first != nil)
    #expect(second == nil)
  }

  @Test func `a waker ends an accept, a deadline too`() async throws {
    let listener = try Listener([Endpoint(host: "127.0.0.1", port: 0)])
    let waker = try Waker()
    #expect(try listener.accept(until: .after(milliseconds: 5), waker: waker) == nil)
    async let ended = onThread { try listener.accept(until: .after(seconds: 60), waker: waker) == nil }
    waker.wake()
    #expect(try await ended)
  }
}

@Suite struct SocketTests {
  @Test func `a port where nobody listens is unreachable`() throws {
    let port = try Listener([Endpoint(host: "127.0.0.1", port: 0)]).port
    #expect(throws: ChannelError.unreachable("Connection refused")) {
      try Socket.connect(to: Endpoint(host: "127.0.0.1", port: port), until: .after(seconds: 5))
    }
  }

  @Test func `a name that does not exist is unreachable`() {
    #expect {
      try Socket.connect(to: Endpoint(host: "no-such-host.invalid", port: 1), until: .after(seconds: 5))
    } throws: { error in
      if case .unreachable = error as? ChannelError { true } else { false }
    }
  }

  @Test func `a deadline that has passed ends a connect, and a waker too`() throws {
    // 192.0.2.0/24 is for documentation: nobody answers, or the system knows no way there.
    let nowhere = Endpoint(host: "192.0.2.1", port: 9)
    let waker = try Waker()
    waker.wake()
    for attempt in [
      { try Socket.connect(to: nowhere, until: .after(milliseconds: 20)) },
      { try Socket.connect(to: nowhere, until: .after(seconds: 60), waker: waker) },
    ] {
      #expect(throws: ChannelError.self) { try attempt() }
    }
  }
}

@Suite struct DeadlineTests {
  @Test func `deadlines are ordered, pass, and never overflow`() {
    #expect(Deadline.now.hasPassed)
    #expect(!Deadline.after(seconds: 60).hasPassed)
    #expect(Deadline.after(milliseconds: 5) < .after(seconds: 5))
    #expect(Deadline.after(milliseconds: .max) == .never)
    #expect(Deadline.never.advanced(milliseconds: 1) == .never)
    #expect(!Deadline.never.hasPassed)
    #expect(Deadline.after(seconds: 60).millisecondsLeft > 59_000)
    #expect(Deadline(nanoseconds: 0).millisecondsLeft == 0)
  }
}
