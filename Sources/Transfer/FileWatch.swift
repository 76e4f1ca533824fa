internal import CLinux
internal import Channel
internal import Foundation

/// Tells when files of a folder change, by inotify: it costs nothing while nothing changes. Changes that follow one another
/// closely are told once.
package final class FileWatch: Sendable {
  private let waker: Waker
  private let isOver = Latch()

  /// How long further changes are waited for before one is told, in milliseconds.
  private static let patience = 200

  /// Watches the files of this folder whose names begin so. `changed` is called by a thread of its own. Throws when the
  /// system gives no watch.
  package init(
    folder: String, names prefix: String, changed: @escaping @Sendable () -> Void
  ) throws(TransferError) {
    let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    guard descriptor >= 0 else { throw TransferError(.system("inotify_init1", errno: errno)) }
    let wanted = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_DELETE
    guard inotify_add_watch(descriptor, folder, UInt32(wanted)) >= 0 else {
      let number = errno
      CLinux.close(descriptor)
      throw TransferError(.system("inotify_add_watch", errno: number))
    }
    do throws(ChannelError) { waker = try Waker() } catch {
      CLinux.close(descriptor)
      throw TransferError(error)
    }
    Thread.detachNewThread { [waker, isOver] in
      let prefix = Array(prefix.utf8)
      while !isOver.isSet {
        FileWatch.wait(for: [descriptor, waker.descriptor], milliseconds: -1)
        guard FileWatch.take(descriptor, prefix), !isOver.isSet else { continue }
        FileWatch.wait(for: [waker.descriptor], milliseconds: Int32(FileWatch.patience))
        _ = FileWatch.take(descriptor, prefix)
        if !isOver.isSet { changed() }
      }
      CLinux.close(descriptor)
    }
  }

  /// Nothing is told any more.
  package func close() {
    isOver.set()
    waker.wake()
  }

  deinit { close() }

  private static func wait(for descriptors: [Int32], milliseconds: Int32) {
    var interests = descriptors.map { wherry_interest(descriptor: $0, wanted: Int16(POLLIN), happened: 0) }
    _ = wherry_poll(&interests, UInt(interests.count), milliseconds)
  }

  /// Takes all events; whether one of them is about a file that is meant.
  private static func take(_ descriptor: Int32, _ prefix: [UInt8]) -> Bool {
    var isMeant = false
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return isMeant }
      var place = 0
      while place + 16 <= count {
        // struct inotify_event: wd, mask, cookie, len (u32 each), then the name with zeros behind it.
        let length = Int(buffer[place + 12]) | Int(buffer[place + 13]) << 8 | Int(buffer[place + 14]) << 16
        let end = min(count, place + 16 + length)
        if buffer[(place + 16)..<end].starts(with: prefix) { isMeant = true }
        place = end
      }
    }
  }
}
