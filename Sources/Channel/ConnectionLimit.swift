internal import Synchronization

/// How many strangers may be connected at once, in all and from one address. From any thread.
package final class ConnectionLimit: Sendable {
  /// A place that a connection takes until it has proven who it is or has gone.
  package final class Place: Sendable {
    private let limit: ConnectionLimit
    private let address: String
    private let isTaken = Mutex(true)

    fileprivate init(_ limit: ConnectionLimit, _ address: String) {
      self.limit = limit
      self.address = address
    }

    /// Makes room for the next one: call it when the peer is authenticated. Going away does the same.
    package func release() {
      let wasTaken = isTaken.withLock { taken in
        defer { taken = false }
        return taken
      }
      if wasTaken { limit.leave(address) }
    }

    deinit { release() }
  }

  private let total: Int
  private let perAddress: Int
  private let counts = Mutex<[String: Int]>([:])

  /// By default 8 in all, 2 from one address.
  package init(total: Int = 8, perAddress: Int = 2) {
    self.total = total
    self.perAddress = perAddress
  }

  /// A place, or nil when there is none.
  package func enter(_ address: String) -> Place? {
    let isAdmitted = counts.withLock { counts in
      guard counts.values.reduce(0, +) < total, counts[address, default: 0] < perAddress else { return false }
      counts[address, default: 0] += 1
      return true
    }
    return isAdmitted ? Place(self, address) : nil
  }

  private func leave(_ address: String) {
    counts.withLock { counts in
      let left = counts[address, default: 1] - 1
      counts[address] = left > 0 ? left : nil
    }
  }
}
