/// A two-way stream of bytes that never blocks except in `wait`. Owned by one thread.
package protocol ByteStream: AnyObject {
  /// Takes what has come, at most the buffer's size.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(ChannelError) -> StreamReading
  /// Sends from the front of the bytes what can be sent now; how many, 0 when nothing.
  func write(_ bytes: UnsafeRawBufferPointer) throws(ChannelError) -> Int
  /// Waits until there is something to read (or the end), until more can be written when asked for that, until the waker
  /// wakes or until the deadline; then the result is empty.
  func wait(forWriting: Bool, waker: Waker?, until deadline: Deadline) throws(ChannelError) -> StreamReadiness
  /// Ends it in both directions. Reading afterwards gives `.ended`, writing throws `closedByPeer`. May be called twice.
  func close()
}

/// What one read gave.
package enum StreamReading: Equatable, Sendable {
  /// So many bytes, at least one.
  case bytes(Int)
  /// Nothing yet.
  case nothing
  /// The other side has ended it.
  case ended
}

/// Why a wait came back; empty: the deadline has passed.
package struct StreamReadiness: OptionSet, Sendable {
  /// The bits.
  package let rawValue: UInt8
  /// From bits.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// There is something to read, or the end.
  package static let readable = StreamReadiness(rawValue: 1)
  /// More can be written.
  package static let writable = StreamReadiness(rawValue: 2)
  /// The waker woke; its wakes are taken.
  package static let woken = StreamReadiness(rawValue: 4)
}
