import Channel
import Foundation

/// Lets visitors in: waits on a thread of its own and opens each visit on a further one, so that a slow stranger holds up
/// nobody.
final class Doorway: Sendable {
  private let waker: Waker

  /// Waits from now on, until `close` or until `isOver` says so after a wake.
  init(_ listener: Listener, receive: @escaping @Sendable (Listener.Visitor) -> Void) throws(ChannelError) {
    let waker = try Waker()
    let isOver = Latch()
    self.waker = waker
    self.isOver = isOver
    Thread.detachNewThread {
      while !isOver.isSet {
        guard let visitor = try? listener.accept(until: .never, waker: waker) else { continue }
        Thread.detachNewThread { receive(visitor) }
      }
    }
  }

  private let isOver: Latch

  /// Nobody is let in any more.
  func close() {
    isOver.set()
    waker.wake()
  }

  deinit { close() }
}
