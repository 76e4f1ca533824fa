import Channel
import Foundation

/// Stands between two programs on loopback and cuts each connection after a number of bytes.
package final class CuttingProxy: @unchecked Sendable {
  // Reason for @unchecked: the counters are used under `lock`; the rest is immutable.
  private let listener: Listener
  private let target: Endpoint
  private let lock = NSLock()
  private var budgets: [Int]
  private var made = 0

  /// Where to connect.
  package let address: String

  /// Cuts the first connection after so many bytes in both directions together, and so on; those after the last are not cut.
  package init(to target: String, cutAfter budgets: [Int]) throws {
    listener = try Listener([Endpoint(host: "127.0.0.1", port: 0)], limit: ConnectionLimit(total: 64, perAddress: 64))
    guard let endpoint = Endpoint(target), let own = listener.addresses.first else {
      throw CocoaError(.featureUnsupported)
    }
    self.target = endpoint
    self.budgets = budgets
    address = own.description
    Thread.detachNewThread { [self] in
      while let visitor = try? listener.accept(until: .after(seconds: 600)) {
        let budget = next()
        Thread.detachNewThread { [self] in forward(visitor, budget: budget) }
      }
    }
  }

  /// How many connections were cut.
  package var cuts: Int { lock.withLock { made } }

  private func next() -> Int { lock.withLock { budgets.isEmpty ? .max : budgets.removeFirst() } }

  private func forward(_ visitor: Listener.Visitor, budget: Int) {
    guard let far = try? Socket.connect(to: target, until: .after(seconds: 5)) else { return visitor.socket.close() }
    let near = visitor.socket
    let left = Budget(budget)
    let group = DispatchGroup()
    for (from, to) in [(near, far), (far, near)] {
      group.enter()
      Thread.detachNewThread {
        Self.copy(from, to, left)
        near.close()
        far.close()
        group.leave()
      }
    }
    group.wait()
    if left.isSpent { lock.withLock { made += 1 } }
  }

  private static func copy(_ from: Socket, _ to: Socket, _ left: Budget) {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      guard (try? from.wait(forWriting: false, waker: nil, until: .after(seconds: 120))) != nil,
        let reading = try? from.read(into: buffer)
      else { return }
      guard case .bytes(let count) = reading else {
        if reading == .ended { return }
        continue
      }
      let allowed = left.take(count)
      var sent = 0
      while sent < allowed {
        guard let step = try? to.write(UnsafeRawBufferPointer(rebasing: buffer[sent..<allowed])) else { return }
        sent += step
        if step == 0, (try? to.wait(forWriting: true, waker: nil, until: .after(seconds: 30))) == nil { return }
      }
      if allowed < count { return }
    }
  }
}

/// Bytes that may still pass.
private final class Budget: @unchecked Sendable {
  private let lock = NSLock()
  private var left: Int
  init(_ left: Int) { self.left = left }
  var isSpent: Bool { lock.withLock { left == 0 } }
  func take(_ count: Int) -> Int {
    lock.withLock {
      let taken = min(count, left)
      left -= taken
      return taken
    }
  }
}
