internal import CLinux
internal import Glibc

/// Wakes a thread that waits in a `ByteStream` or a `Listener`, from any thread. A wake is kept until it is taken.
package final class Waker: Sendable {
  /// For poll: readable while a wake is kept.
  package let descriptor: Int32

  /// Nothing to wake yet.
  package init() throws(ChannelError) {
    descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    if descriptor < 0 { throw .system("eventfd", errno: errno) }
  }

  deinit { close(descriptor) }

  /// Ends the present wait, or the next one.
  package func wake() {
    var one: UInt64 = 1
    _ = write(descriptor, &one, 8)
  }

  /// Waits for a wake, which is taken, or until the deadline.
  package func wait(until deadline: Deadline) {
    var interests = [Poll.Interest(descriptor: descriptor, reading: true)]
    _ = try? Poll.wait(&interests, until: deadline)
    take()
  }

  /// Forgets the wakes so far; whether there was one.
  @discardableResult
  package func take() -> Bool {
    var count: UInt64 = 0
    return read(descriptor, &count, 8) == 8
  }
}
