package import Channel
import Synchronization

/// A queue that any thread fills and one thread empties, and that wakes that thread's poll.
package final class Mailbox<Item: Sendable>: Sendable {
  private let items = Mutex<[Item]>([])
  private let waker: Waker

  /// Wakes `waker` at every item.
  package init(waker: Waker) { self.waker = waker }

  /// Puts an item in and wakes the owner.
  package func post(_ item: Item) {
    items.withLock { $0.append(item) }
    waker.wake()
  }

  /// Takes everything out, oldest first.
  package func take() -> [Item] {
    items.withLock { items in
      let taken = items
      items.removeAll()
      return taken
    }
  }
}
