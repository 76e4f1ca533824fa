/// Waits for peers on one or several addresses. `accept` is for one thread; `addresses` for any.
package final class Listener: Sendable {
  /// A connection that has come in and has proven nothing yet.
  package struct Visitor: Sendable {
    /// The connection.
    package let socket: Socket
    /// To be released when the visitor is authenticated; kept until then.
    package let place: ConnectionLimit.Place
  }

  private let sockets: [ListeningSocket]
  private let limit: ConnectionLimit

  /// Listens. No endpoint: all addresses, any free port. An endpoint without a host: all addresses, that port.
  /// Throws `cannotListen`.
  package init(
    _ endpoints: [Endpoint] = [], limit: ConnectionLimit = ConnectionLimit()
  ) throws(ChannelError) {
    var sockets: [ListeningSocket] = []
    for endpoint in endpoints.isEmpty ? [Endpoint(host: "", port: 0)] : endpoints {
      sockets.append(contentsOf: try Listener.listen(on: endpoint))
    }
    self.sockets = sockets
    self.limit = limit
  }

  private static func listen(on endpoint: Endpoint) throws(ChannelError) -> [ListeningSocket] {
    if endpoint.host.isEmpty {
      // One IPv6 socket takes IPv4 as well; a machine without IPv6 gets the other.
      let every = Endpoint(host: "::", port: endpoint.port)
      if let address = try? SystemAddress.resolve(every, forListening: true).first,
        let socket = try? ListeningSocket(address)
      {
        return [socket]
      }
      let addresses = try SystemAddress.resolve(Endpoint(host: "0.0.0.0", port: endpoint.port), forListening: true)
      return try addresses.prefix(1).map(ListeningSocket.init)
    }
    var sockets: [ListeningSocket] = []
    for address in try SystemAddress.resolve(endpoint, forListening: true) {
      sockets.append(try ListeningSocket(address))
    }
    return sockets
  }

  /// Where peers may connect to, with the real ports; a wildcard is given as the addresses of this machine, loopback last.
  package var addresses: [Endpoint] {
    sockets.flatMap { socket -> [Endpoint] in
      switch socket.local.host {
      case "::":
        SystemAddress.ofInterfaces().map { Endpoint(host: $0.host, port: socket.local.port) }
      case "0.0.0.0":
        SystemAddress.ofInterfaces().filter { !$0.host.contains(":") }
          .map { Endpoint(host: $0.host, port: socket.local.port) }
      default: [socket.local]
      }
    }
  }

  /// The port of the first address.
  package var port: UInt16 { sockets.first?.local.port ?? 0 }

  /// The next visitor; nil when the waker woke or the deadline has passed. Who comes while all places are taken is
  /// closed at once.
  package func accept(until deadline: Deadline, waker: Waker? = nil) throws(ChannelError) -> Visitor? {
    while true {
      var isExhausted = false
      for listening in sockets {
        do throws(ChannelError) {
          while let socket = try listening.accept() {
            if let place = limit.enter(socket.peer.host) { return Visitor(socket: socket, place: place) }
          }
        } catch {
          isExhausted = true
        }
      }
      var interests = isExhausted ? [] : sockets.map { Poll.Interest(descriptor: $0.descriptor, reading: true) }
      if let waker { interests.append(Poll.Interest(descriptor: waker.descriptor, reading: true)) }
      // Without free descriptors a connection stays ready: look again later instead of spinning.
      let own = isExhausted ? min(deadline, .after(milliseconds: 100)) : deadline
      let isReady = try Poll.wait(&interests, until: own)
      if let waker, isReady, waker.take() { return nil }
      if deadline.hasPassed { return nil }
    }
  }
}
