import Channel
import ChannelTestSupport
import Testing

@Suite struct ByteStreamTests {
  @Test(arguments: ByteStreamContract.checks.indices)
  func `a socket pair keeps the contract`(check: Int) throws {
    let (a, b) = try Socket.pair()
    try ByteStreamContract.checks[check].run(a, b)
  }

  @Test(arguments: ByteStreamContract.checks.indices, ["127.0.0.1", "::1"])
  func `a TCP connection keeps the contract`(check: Int, host: String) throws {
    let (a, b) = try connected(host)
    try ByteStreamContract.checks[check].run(a, b)
  }

  @Test(arguments: ByteStreamContract.checks.indices)
  func `a connection in memory keeps the contract`(check: Int) throws {
    let (a, b) = try LoopbackStream.pair(out: Faults(pieceSize: 4_099), back: Faults(delay: 1))
    try ByteStreamContract.checks[check].run(a, b)
  }

  private func connected(_ host: String) throws -> (Socket, Socket) {
    let listener = try Listener([Endpoint(host: host, port: 0)])
    let socket = try Socket.connect(to: #require(listener.addresses.first), until: .after(seconds: 5))
    let visitor = try #require(try listener.accept(until: .after(seconds: 5)))
    #expect(visitor.socket.peer.host == host)
    #expect(socket.peer == listener.addresses.first)
    return (socket, visitor.socket)
  }
}
