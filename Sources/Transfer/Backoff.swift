/// How long to wait before the next attempt to connect: 1, 2, 4 … 60 seconds, each ±20 % (protocol.md 3).
package struct Backoff: Sendable {
  private var attempt = 0

  /// Before the first attempt.
  package init() {}

  /// Milliseconds until the next attempt; `jitter` is a random number from 0 to 400.
  package mutating func next(jitter: UInt32) -> Int {
    let base = min(60_000, 1_000 << min(attempt, 6))
    attempt += 1
    return base * (800 + Int(min(jitter, 400))) / 1_000
  }

  /// The connection stood: begin again with a second.
  package mutating func reset() { attempt = 0 }
}
