package import Channel
internal import Glibc
internal import Synchronization

/// What a direction of a `LoopbackStream` does to the bytes. Counts are of bytes written into that direction.
package struct Faults: Sendable {
  /// The connection breaks, both ways, after so many bytes.
  package var cutAfter: Int?
  /// The bit 0x20 of the byte at this offset is turned over.
  package var flipAt: Int?
  /// No read gives more than so many bytes.
  package var pieceSize: Int?
  /// Bytes arrive so many milliseconds after they were written.
  package var delay: Int
  /// How many bytes may be on the way before writing waits.
  package var capacity: Int

  /// None, unless said otherwise.
  package init(
    cutAfter: Int? = nil, flipAt: Int? = nil, pieceSize: Int? = nil, delay: Int = 0, capacity: Int = 256 * 1_024
  ) {
    self.cutAfter = cutAfter
    self.flipAt = flipAt
    self.pieceSize = pieceSize
    self.delay = delay
    self.capacity = capacity
  }
}

/// One end of a connection in memory that misbehaves as it is told.
package final class LoopbackStream: ByteStream, Sendable {
  private let link: Link
  private let side: Int

  private init(_ link: Link, _ side: Int) {
    self.link = link
    self.side = side
  }

  /// Two ends. `out` holds for what the first one writes, `back` for what the second one writes.
  package static func pair(
    out: Faults = Faults(), back: Faults = Faults()
  ) throws -> (LoopbackStream, LoopbackStream) {
    let link = try Link(out, back)
    return (LoopbackStream(link, 0), LoopbackStream(link, 1))
  }

  /// How many bytes this end has written so far.
  package var bytesWritten: Int { link.state.withLock { $0.directions[side].written } }

  /// See `ByteStream`.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(ChannelError) -> StreamReading {
    let result = link.state.withLock { state in
      state.directions[1 - side].take(into: buffer, isOpen: !state.isBroken && !state.isClosed[side])
    }
    if case .bytes = result { link.wakers[1 - side].wake() }
    return result
  }

  /// See `ByteStream`.
  package func write(_ bytes: UnsafeRawBufferPointer) throws(ChannelError) -> Int {
    let count = link.state.withLock { state -> Int? in
      if state.isBroken || state.isClosed[0] || state.isClosed[1] { return nil }
      let count = state.directions[side].put(bytes)
      if state.directions[side].isCut { state.isBroken = true }
      return count
    }
    link.wakers[1 - side].wake()
    link.wakers[side].wake()
    guard let count else { throw .closedByPeer }
    return count
  }

  /// See `ByteStream`.
  package func wait(
    forWriting: Bool, waker: Waker?, until deadline: Deadline
  ) throws(ChannelError) -> StreamReadiness {
    while true {
      let (ready, next) = link.state.withLock { $0.readiness(side, forWriting) }
      var result = ready
      if let waker, waker.take() { result.insert(.woken) }
      if !result.isEmpty || deadline.hasPassed { return result }
      var entries = [pollfd(fd: link.wakers[side].descriptor, events: Int16(POLLIN), revents: 0)]
      if let waker { entries.append(pollfd(fd: waker.descriptor, events: Int16(POLLIN), revents: 0)) }
      _ = poll(&entries, nfds_t(entries.count), Int32(min(min(deadline, next).millisecondsLeft, 5_000)))
      link.wakers[side].take()
    }
  }

  /// See `ByteStream`.
  package func close() {
    link.state.withLock { state in
      state.isClosed[side] = true
      state.directions[side].isFinished = true
    }
    for waker in link.wakers { waker.wake() }
  }
}

/// What both ends share.
private final class Link: Sendable {
  let state: Mutex<LinkState>
  let wakers: [Waker]

  init(_ out: Faults, _ back: Faults) throws {
    state = Mutex(LinkState(directions: [Direction(faults: out), Direction(faults: back)]))
    wakers = [try Waker(), try Waker()]
  }
}

private struct LinkState {
  var directions: [Direction]
  var isClosed = [false, false]
  var isBroken = false

  func readiness(_ side: Int, _ forWriting: Bool) -> (StreamReadiness, Deadline) {
    var result: StreamReadiness = []
    let incoming = directions[1 - side]
    let isOver = isBroken || isClosed[side]
    if isOver || incoming.isReadable { result.insert(.readable) }
    if forWriting && (isOver || isClosed[1 - side] || directions[side].room > 0) { result.insert(.writable) }
    return (result, incoming.pieces.first?.due ?? .never)
  }
}

private struct Direction {
  let faults: Faults
  var pieces: [(bytes: ArraySlice<UInt8>, due: Deadline)] = []
  var waiting = 0
  var written = 0
  var isFinished = false

  init(faults: Faults) { self.faults = faults }

  var isCut: Bool { faults.cutAfter.map { written >= $0 } ?? false }
  var room: Int { max(0, faults.capacity - waiting) }
  var isReadable: Bool { pieces.first.map { $0.due.hasPassed } ?? isFinished }

  mutating func put(_ bytes: UnsafeRawBufferPointer) -> Int {
    var taken = Array(bytes.prefix(room))
    if let cut = faults.cutAfter { taken = Array(taken.prefix(max(0, cut - written))) }
    if let flip = faults.flipAt, flip >= written, flip < written + taken.count { taken[flip - written] ^= 0x20 }
    if taken.isEmpty { return 0 }
    pieces.append((taken[...], Deadline.now.advanced(milliseconds: faults.delay)))
    waiting += taken.count
    written += taken.count
    return taken.count
  }

  /// A broken or closed connection gives nothing more, not even what was on its way.
  mutating func take(into buffer: UnsafeMutableRawBufferPointer, isOpen: Bool) -> StreamReading {
    guard isOpen else { return .ended }
    guard let first = pieces.first else { return isFinished ? .ended : .nothing }
    guard first.due.hasPassed else { return .nothing }
    let count = min(first.bytes.count, buffer.count, faults.pieceSize ?? .max)
    buffer.copyBytes(from: first.bytes.prefix(count))
    pieces[0].bytes = first.bytes.dropFirst(count)
    if pieces[0].bytes.isEmpty { pieces.removeFirst() }
    waiting -= count
    return .bytes(count)
  }
}
