package import Channel

/// What every `ByteStream` keeps to. Each check takes two fresh ends and throws what is broken.
package enum ByteStreamContract {
  /// What a stream did not keep to.
  package struct Broken: Error, CustomStringConvertible {
    /// The sentence of the contract.
    package let description: String
  }

  /// The checks by name.
  package static let checks: [(name: String, run: @Sendable (any ByteStream, any ByteStream) throws -> Void)] = [
    ("an empty stream gives nothing and a wait times out", emptiness),
    ("bytes arrive whole and in order, both ways", order),
    ("a full stream takes nothing and says when it takes more", backPressure),
    ("a close gives what was sent, then the end, then refuses writing", ending),
    ("a waker ends a wait and is taken by it", waking),
  ]

  private static func require(_ condition: Bool, _ sentence: String) throws {
    if !condition { throw Broken(description: sentence) }
  }

  private static func emptiness(_ a: any ByteStream, _ b: any ByteStream) throws {
    var buffer = [UInt8](repeating: 0, count: 16)
    try require(try buffer.withUnsafeMutableBytes { try a.read(into: $0) } == .nothing, "reads nothing")
    try require(try a.wait(forWriting: false, waker: nil, until: .after(milliseconds: 5)).isEmpty, "times out")
    try require(try a.wait(forWriting: true, waker: nil, until: .never) == .writable, "can be written")
    try require(try b.wait(forWriting: false, waker: nil, until: .now).isEmpty, "the other end too")
  }

  private static func order(_ a: any ByteStream, _ b: any ByteStream) throws {
    for (from, to) in [(a, b), (b, a)] {
      let message = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
      var (sent, received) = (0, [UInt8]())
      var buffer = [UInt8](repeating: 0, count: 5_000)
      while received.count < message.count {
        sent += try message[sent...].withUnsafeBytes { try $0.isEmpty ? 0 : from.write($0) }
        _ = try to.wait(forWriting: false, waker: nil, until: .after(seconds: 10))
        guard case .bytes(let count) = try buffer.withUnsafeMutableBytes({ try to.read(into: $0) }) else {
          throw Broken(description: "bytes come")
        }
        received += buffer.prefix(count)
      }
      try require(received == message, "the same bytes")
    }
  }

  private static func backPressure(_ a: any ByteStream, _ b: any ByteStream) throws {
    let piece = [UInt8](repeating: 7, count: 64 * 1_024)
    var sent = 0
    while true {
      let count = try piece.withUnsafeBytes { try a.write($0) }
      if count == 0 { break }
      sent += count
      try require(sent < 1 << 28, "has a bound")
    }
    try require(try a.wait(forWriting: true, waker: nil, until: .after(milliseconds: 5)).isEmpty, "is full")
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var received = 0
    while received < sent {
      _ = try b.wait(forWriting: false, waker: nil, until: .after(seconds: 10))
      guard case .bytes(let count) = try buffer.withUnsafeMutableBytes({ try b.read(into: $0) }) else {
        throw Broken(description: "what was sent comes")
      }
      received += count
    }
    try require(try a.wait(forWriting: true, waker: nil, until: .after(seconds: 10)) == .writable, "takes more")
  }

  private static func ending(_ a: any ByteStream, _ b: any ByteStream) throws {
    try require(try [1, 2, 3].withUnsafeBytes { try a.write($0) } > 0, "takes bytes")
    a.close()
    a.close()
    _ = try b.wait(forWriting: false, waker: nil, until: .after(seconds: 10))
    var buffer = [UInt8](repeating: 0, count: 1_000)
    guard case .bytes = try buffer.withUnsafeMutableBytes({ try b.read(into: $0) }) else {
      throw Broken(description: "what was sent before the close comes")
    }
    for stream in [b, a] {
      _ = try stream.wait(forWriting: false, waker: nil, until: .after(seconds: 10))
      let reading = try buffer.withUnsafeMutableBytes { try stream.read(into: $0) }
      try require(reading == .ended, "then the end")
    }
    do {
      _ = try [1].withUnsafeBytes { try a.write($0) }
      throw Broken(description: "writing after the close is refused")
    } catch ChannelError.closedByPeer {}
  }

  private static func waking(_ a: any ByteStream, _: any ByteStream) throws {
    let waker = try Waker()
    waker.wake()
    waker.wake()
    try require(try a.wait(forWriting: false, waker: waker, until: .never) == .woken, "is woken")
    try require(try a.wait(forWriting: false, waker: waker, until: .now).isEmpty, "once")
  }
}
