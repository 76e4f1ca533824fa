import Channel
import Crypto
import Foundation
import Synchronization

/// Somebody between two devices: takes the place of each towards the other, with TLS and a key of its own on either side, and
/// hands on what it can read. Opens one connection onward for each that comes.
final class ManInTheMiddle: @unchecked Sendable {
  // Reason for @unchecked: everything but `moved`, which guards itself, is immutable.
  let address: String
  private let listener: Listener
  private let onward: Endpoint
  private let waker: Waker
  private let moved = Mutex<[Int]>([0, 0])

  /// Between whoever comes and this address.
  init(to address: String) throws {
    guard let onward = Endpoint(address) else { throw ChannelError.unreachable("no address") }
    self.onward = onward
    listener = try Listener([Endpoint(host: "127.0.0.1", port: 0)], limit: ConnectionLimit(total: 100, perAddress: 100))
    self.address = listener.addresses.first?.description ?? ""
    waker = try Waker()
    Thread.detachNewThread { [self] in
      while let visitor = try? listener.accept(until: .after(seconds: 60), waker: waker) {
        Thread.detachNewThread { [self] in try? relay(visitor.socket) }
      }
    }
  }

  /// How many bytes of their messages it has read and handed on: towards the listener, and back.
  var bytes: [Int] { moved.withLock { $0 } }

  func leave() { waker.wake() }

  private func relay(_ visitor: Socket) throws {
    let near = try SecureStream(visitor, context: DeviceIdentity.temporary().context(.listener, peers: .anyone))
    let socket = try Socket.connect(to: onward, until: .after(seconds: 5))
    let far = try SecureStream(socket, context: DeviceIdentity.temporary().context(.connector, peers: .anyone))
    try near.handshake(until: .after(seconds: 10))
    try far.handshake(until: .after(seconds: 10))
    while true {
      for (direction, from, to) in [(0, near, far), (1, far, near)] {
        switch from.wait(until: .after(milliseconds: 5)) {
        case .received(let bytes):
          moved.withLock { $0[direction] += bytes.count }
          to.write(bytes)
        case .closed:
          to.close(until: .after(seconds: 2))
          return
        case .drained, .woken, .timedOut: continue
        }
      }
    }
  }
}
